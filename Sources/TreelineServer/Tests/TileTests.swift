import Foundation
import Testing
import Treeline
import TreelineBuilder

@testable import TreelineServer

@Suite struct TileTests {
  /// Over all tiles of a zoom, each cluster of that zoom stands in one, at its position.
  @Test(arguments: [0, 1, 3, 5, 7])
  func eachClusterStandsInOneTile(_ zoom: Int) async throws {
    let tree = TestServer.places
    let expected = try tree.clusters(in: .world, zoom: Double(zoom) + 1, spacing: 44)
    try await TestServer().ask { client in
      var found: [UInt64: (x: Double, y: Double)] = [:]
      for x in 0..<1 << zoom {
        for y in 0..<1 << zoom where Self.mayHold(zoom, x, y, expected) {
          let answer = try await client.execute(
            uri: "/v1/places/tiles/\(zoom)/\(x)/\(y).mvt?buffer=0", method: .get)
          #expect(answer.status == .ok)
          for (id, position) in try Self.positions(in: answer) {
            #expect(0..<4096 ~= position.x && 0..<4096 ~= position.y)
            #expect(found[id] == nil, "\(id) stands in two tiles")
            let side = Double(1 << (32 - zoom)) / 4096
            found[id] = (
              (Double(x) * 4096 + Double(position.x)) * side, (Double(y) * 4096 + Double(position.y)) * side
            )
          }
        }
      }
      #expect(Set(found.keys) == Set(expected.map(\.id.rawValue)))
      for cluster in expected {
        let position = try #require(found[cluster.id.rawValue])
        let x = (cluster.meanX + Double(tree.plane.seam)).truncatingRemainder(dividingBy: 0x1p32)
        let unit = Double(1 << (32 - zoom)) / 4096
        #expect(0..<unit ~= x - position.x && 0..<unit ~= cluster.meanY - position.y)
      }
    }
  }

  /// A buffer shows what stands near by in the neighbours, and that alone besides.
  @Test func buffersAgreeWithNeighbours() async throws {
    try await TestServer().ask { client in
      func tile(_ x: Int, _ buffer: Int) async throws -> [UInt64: (x: Int, y: Int)] {
        try Self.positions(
          in: try await client.execute(
            uri: "/v1/places/tiles/9/\(x)/176.mvt?buffer=\(buffer)&detail=5", method: .get))
      }
      let (left, right) = (try await tile(258, 0), try await tile(259, 0))
      let wide = try await tile(258, 128)
      for (id, position) in right where position.x < 1024 {
        #expect(try #require(wide[id]).x == position.x + 4096)
      }
      for (id, position) in wide where 0..<4096 ~= position.x && 0..<4096 ~= position.y {
        #expect(try #require(left[id]) == position)
      }
      #expect(wide.count > left.count && !right.isEmpty)
    }
  }

  /// Around the seam of the plane and the antimeridian as anywhere else.
  @Test func theWorldIsRound() async throws {
    let places = [-179.9, 179.9, -179.99, 179.99, 0].map { Coordinate(longitude: $0, latitude: -17) }
    let tree = try ClusterTree(places, options: BuildOptions(findsSeparations: true))
    try await TestServer(["fiji": tree]).ask { client in
      for zoom in [0, 1, 4] {
        var count = 0
        for x in 0..<1 << zoom {
          for y in 0..<1 << zoom {
            let answer = try await client.execute(
              uri: "/v1/fiji/tiles/\(zoom)/\(x)/\(y).mvt?spacing=0&buffer=0", method: .get)
            count += try Self.positions(in: answer).count
          }
        }
        #expect(count == 5, "zoom \(zoom)")
      }
      // The eastern neighbour of the last tile is the first.
      let last = try await client.execute(uri: "/v1/fiji/tiles/4/15/8.mvt?spacing=0", method: .get)
      #expect(try Self.positions(in: last).values.count { $0.x >= 4096 } == 2)
    }
  }

  @Test func aTileWithoutClustersIsEmpty() async throws {
    try await TestServer().ask { client in
      let answer = try await client.execute(uri: "/v1/places/tiles/5/0/0.mvt", method: .get)
      #expect(answer.status == .ok && answer.body.readableBytes == 0)
    }
  }

  private static func positions(in answer: TestAnswer) throws -> [UInt64: (x: Int, y: Int)] {
    let layers = try ProtobufMessage(Array(answer.body.readableBytesView))[3]
    guard let bytes = layers.first?.bytes else { return [:] }
    let layer = try ProtobufMessage(bytes)
    #expect(layer[15].map(\.number) == [2] && layer[5].map(\.number) == [4096] && layers.count == 1)
    return Dictionary(
      uniqueKeysWithValues: try layer[2].map {
        let feature = try ProtobufMessage($0.bytes)
        let geometry = try ProtobufMessage.numbers(packed: feature[4][0].bytes)
        let tags = try ProtobufMessage.numbers(packed: feature[2][0].bytes)
        func decoded(_ number: UInt64) -> Int { Int(number >> 1) ^ -Int(number & 1) }
        #expect(geometry.first == 9 && feature[3].map(\.number) == [1] && tags.count.isMultiple(of: 2))
        return (feature[1][0].number, (decoded(geometry[1]), decoded(geometry[2])))
      })
  }

  /// So that not all tiles of a great zoom are asked for: whether any cluster stands in or beside one.
  private static func mayHold(_ zoom: Int, _ x: Int, _ y: Int, _ clusters: Clusters) -> Bool {
    clusters.contains { cluster in
      let tiles = Double(1 << zoom) / 0x1p32
      let column =
        (cluster.meanX + Double(cluster.plane.seam)).truncatingRemainder(dividingBy: 0x1p32) * tiles
      return abs(column - Double(x)) < 2 && abs(cluster.meanY * tiles - Double(y)) < 2
    }
  }
}

/// A message of protocol buffers, taken apart.
private struct ProtobufMessage {
  struct Value {
    var number: UInt64 = 0
    var bytes: [UInt8] = []
  }

  struct Malformed: Error {}

  private var fields: [UInt64: [Value]] = [:]

  subscript(field: UInt64) -> [Value] { fields[field] ?? [] }

  init(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let tag = try Self.varint(&rest)
      var value = Value()
      switch tag & 7 {
      case 0: value.number = try Self.varint(&rest)
      case 2:
        let count = Int(try Self.varint(&rest))
        guard count <= rest.count else { throw Malformed() }
        value.bytes = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
      default: throw Malformed()
      }
      fields[tag >> 3, default: []].append(value)
    }
  }

  static func numbers(packed bytes: [UInt8]) throws -> [UInt64] {
    var (rest, numbers): (ArraySlice<UInt8>, [UInt64]) = (bytes[...], [])
    while !rest.isEmpty { numbers.append(try varint(&rest)) }
    return numbers
  }

  private static func varint(_ bytes: inout ArraySlice<UInt8>) throws -> UInt64 {
    var (number, shift): (UInt64, UInt64) = (0, 0)
    while let byte = bytes.popFirst() {
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
    throw Malformed()
  }
}
