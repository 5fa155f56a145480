import Foundation
import PointSets
import TestSupport
import Testing
@_spi(Server) import Treeline
import TreelineBuilder

@testable import TreelineTiles

@Suite struct TilePyramidTests {
  private static let sets = Trials.some(of: PointSet.nasty.filter { $0.projection == .webMercator }, atLeast: 12)

  private static let cuts: [Cut] = [.badges(), .badges(scale: 0.5), .spacing(44), .detail(20), .detail(0)]

  private static func tree(_ set: PointSet, for cut: Cut) throws -> ClusterTree {
    let growth = Growth.merging(by: cut.badgeScale == nil ? .distance : .badges)
    return try ClusterTree(set.coordinates, options: BuildOptions(growth: growth))
  }

  /// Decodes all tiles, and compares them with all clusters of the plane by brute force. Each cluster must be in the
  /// tile that contains its position.
  @Test(arguments: sets, cuts) func everyClusterIsInExactlyTheTileOfItsAnchor(_ set: PointSet, _ cut: Cut) throws {
    let tree = try Self.tree(set, for: cut)
    let pyramid = try TilePyramid(of: tree, cut, zooms: 0...7)
    var found: [MapTile: [DecodedTile.Feature]] = [:]
    var last: UInt64?
    try pyramid.forEachTile(threads: 3) { tile in
      let id = HilbertCurve.id(of: tile.tile)
      #expect(last.map { $0 < id } ?? true, "tiles come in the order of their ids")
      last = id
      found[tile.tile] = try DecodedTile(gzip: tile.bytes).features
    }
    for zoom in 0...7 {
      let clusters = try tree.clusters(cut, in: .everything(zoom: Double(zoom), tileSize: .pixels512))
      var expected: [MapTile: [UInt64: UInt64]] = [:]
      for cluster in clusters {
        let side = 0x1p32 / Double(1 << zoom)
        let x = (cluster.x + Double(tree.plane.seam)).truncatingRemainder(dividingBy: 0x1p32)
        let tile = try #require(
          MapTile(zoom: zoom, x: min(Int(x / side), 1 << zoom - 1), y: min(Int(cluster.y / side), 1 << zoom - 1)))
        expected[tile, default: [:]][cluster.id.rawValue] = UInt64(cluster.pointCount)
      }
      let tiles = found.filter { $0.key.zoom == zoom }
      let counts = tiles.mapValues { features in
        Dictionary(features.map { ($0.id, $0.counts["point_count"]!) }, uniquingKeysWith: { $1 })
      }
      #expect(counts == expected, "\(set), \(cut), zoom \(zoom)")
      #expect(tiles.values.joined().reduce(0) { $0 + Int($1.counts["point_count"]!) } == tree.pointCount)
      for feature in tiles.values.joined() { #expect(0..<4096 ~= feature.x && 0..<4096 ~= feature.y) }
    }
  }

  /// Distances are measured in pixels of the tiles' zoom. They go across the edges of tiles and across the
  /// antimeridian.
  @Test(arguments: sets) func noBadgesTouchAcrossTiles(_ set: PointSet) throws {
    let tree = try Self.tree(set, for: .badges())
    for zoom in [0, 3, 6, 9] {
      var badges: [(x: Double, y: Double, diameter: Double)] = []
      try TilePyramid(of: tree, .badges(), zooms: zoom...zoom).forEachTile(threads: 2) { tile in
        for feature in try DecodedTile(gzip: tile.bytes).features {
          badges.append(
            (
              x: (Double(tile.tile.x) + (Double(feature.x) + 0.5) / 4096) * 512,
              y: (Double(tile.tile.y) + (Double(feature.y) + 0.5) / 4096) * 512, diameter: feature.doubles["badge_px"]!
            ))
        }
      }
      let world = 512 * Double(1 << zoom)
      for (number, a) in badges.enumerated() {
        for b in badges[..<number] {
          let width = min(abs(a.x - b.x), world - abs(a.x - b.x))
          // Tiles round positions to an eighth of a pixel.
          let distance = (width * width + (a.y - b.y) * (a.y - b.y)).squareRoot() + 0.25
          #expect(distance >= (a.diameter + b.diameter) / 2, "\(set), zoom \(zoom)")
        }
      }
    }
  }

  @Test func tilesAreTheSameWithAnyNumberOfThreads() throws {
    let tree = try Self.tree(.cities(20_000, seed: 5), for: .badges())
    let pyramid = try TilePyramid(of: tree, .badges(), zooms: 0...12)
    func tiles(_ threads: Int) throws -> [[UInt8]] {
      var tiles: [[UInt8]] = []
      try pyramid.forEachTile(threads: threads) { tiles.append($0.bytes) }
      return tiles
    }
    let expected = try tiles(1)
    #expect(expected.count > 1000)
    for threads in [2, 7] { #expect(try tiles(threads) == expected) }
  }

  @Test func whatDoesNotAddUpIsRefused() throws {
    let tree = try Self.tree(.cities(50, seed: 1), for: .badges())
    #expect(throws: TileError.limit) { _ = try TilePyramid(of: tree, .limit(9), zooms: 0...1) }
    #expect(throws: TileError.limit) { _ = try TilePyramid(of: tree, .badges().atMost(9), zooms: 0...1) }
    let planar = try PointSet.planar(9, x: 0...1, y: 0...1, seed: 1).tree()
    #expect(throws: TileError.plainPlane) { _ = try TilePyramid(of: planar, .detail(9), zooms: 0...1) }
  }

  @Test func tooManyClustersInATileAreAnError() throws {
    let count = (1 << 17) + 100
    let points = (0..<count).map { number in
      Coordinate(longitude: Double(number % 400) / 1000, latitude: Double(number / 400) / 1000)
    }
    let tree = try ClusterTree(points)
    #expect(throws: TileError.self) {
      try TilePyramid(of: tree, .detail(0), zooms: 0...0).forEachTile(threads: 2) { _ in }
    }
  }
}
