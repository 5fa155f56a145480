import ArgumentParser
import Foundation
import PointSets
import Treeline
import TreelineFormats

/// Points for benchmarks: generated in memory (`clustered:1000000`), read as pairs of little-endian doubles with the
/// longitude first (`.f64`), or read from any file that Treeline reads.
struct PointFile: ExpressibleByArgument {
  let name: String

  init?(argument: String) { name = argument }

  func read() throws -> [Coordinate] {
    if let (kind, count) = generated { return kind.coordinates(count) }
    guard name.hasSuffix(".f64") else { return try PointReader.read(path: name).coordinates }
    let data = try Data(contentsOf: URL(fileURLWithPath: name), options: .alwaysMapped)
    return data.withUnsafeBytes { Array($0.bindMemory(to: Coordinate.self)) }
  }

  /// Calls `body` with the points. If the points can be generated in parts, `body` is called with batches of 2^18
  /// points. Otherwise `body` is called once, with all points.
  func forEachBatch(_ body: ([Coordinate]) throws -> Void) throws {
    guard let (kind, count) = generated, let makePoints = kind.maker else { return try body(read()) }
    for start in stride(from: 0, to: count, by: 1 << 18) { try body(makePoints(start..<min(start + 1 << 18, count))) }
  }

  private var generated: (GeneratedSet, Int)? {
    let parts = name.split(separator: ":")
    guard parts.count == 2, let kind = GeneratedSet(rawValue: String(parts[0])), let count = Int(parts[1]) else {
      return nil
    }
    return (kind, count)
  }
}

extension [Coordinate] {
  /// Writes points in the format of the file's extension: `.f64`, `.csv` or `.geojson`.
  ///
  /// - Parameter padding: Number of bytes of additional text in each row. Rows of real data have such text.
  func write(to path: String, padding: Int) throws {
    let url = URL(fileURLWithPath: path)
    guard !path.hasSuffix(".f64") else { return try withUnsafeBytes { try Data($0).write(to: url) } }
    let isGeoJSON = path.hasSuffix(".geojson")
    let text = String(repeating: "x", count: padding)
    try Data().write(to: url)
    let file = try FileHandle(forWritingTo: url)
    try file.write(
      contentsOf: Data((isGeoJSON ? #"{"type":"FeatureCollection","features":["# : "id,longitude,latitude,name\n").utf8)
    )
    for start in stride(from: 0, to: count, by: 4096) {
      var lines = ""
      for row in start..<Swift.min(start + 4096, count) {
        let longitude = (self[row].longitude * 1e6).rounded() / 1e6
        let latitude = (self[row].latitude * 1e6).rounded() / 1e6
        lines +=
          isGeoJSON
          ? #"\#(row == 0 ? "" : ",\n"){"type":"Feature","geometry":{"type":"Point","coordinates":"#
            + #"[\#(longitude),\#(latitude)]},"properties":{"id":\#(row),"name":"\#(text)"}}"#
          : "\(row),\(longitude),\(latitude),\(text)\n"
      }
      try file.write(contentsOf: Data(lines.utf8))
    }
    if isGeoJSON { try file.write(contentsOf: Data("]}\n".utf8)) }
    try file.close()
  }
}

/// The kinds of generated points. All kinds use fixed seeds.
enum GeneratedSet: String, CaseIterable, ExpressibleByArgument {
  /// Points spread evenly over the part of the sphere that Web Mercator shows. Other libraries lose points outside this
  /// part.
  case uniform
  /// Few large and many small towns, sized by Zipf's law. A tenth of the points lie between the towns.
  case clustered
  /// Uniform points, sorted from west to east.
  case sorted
  /// All points at one position.
  case coincident
  /// Points along one meridian.
  case line
  /// A lattice, row by row. Its spacing is chosen so that the lattice covers a quarter of the world.
  case lattice
  /// Points in rings around one position. Each ring is half as large as the ring before it.
  case geometric

  /// Returns the points. Except for `sorted` and `lattice`, the points of a smaller set are the first points of every
  /// larger set.
  func coordinates(_ count: Int) -> [Coordinate] {
    switch self {
    case .uniform, .clustered: maker!(0..<count)
    case .sorted:
      GeneratedSet.uniform.coordinates(count).sorted { ($0.longitude, $0.latitude) < ($1.longitude, $1.latitude) }
    case .coincident: [Coordinate](repeating: Coordinate(longitude: 2.35, latitude: 48.86), count: count)
    case .line:
      Self.inChunks(0..<count, seed: 4) { Coordinate(longitude: 12.5, latitude: $0.number(from: -60, to: 60)) }
    case .lattice: Self.lattice(count)
    case .geometric: Self.inChunks(0..<count, seed: 5, Self.geometricPoint)
    }
  }

  /// Function that generates a range of rows. The range starts at a multiple of `chunk`. Nil if no benchmark needs
  /// many points of this kind.
  fileprivate var maker: ((Range<Int>) -> [Coordinate])? {
    switch self {
    case .uniform: return { Self.inChunks($0, seed: 1, Self.uniformPoint) }
    case .clustered:
      let towns = Towns(2000, seed: 2)
      return { Self.inChunks($0, seed: 3) { towns.point(&$0) } }
    default: return nil
    }
  }

  @Sendable static func uniformPoint(_ random: inout SplitMix64) -> Coordinate {
    Coordinate(
      longitude: random.number(from: -180, to: 180), latitude: asin(random.number(from: -0.996, to: 0.996)) * 180 / .pi)
  }

  private static func lattice(_ count: Int) -> [Coordinate] {
    let columns = Int(Double(count).squareRoot().rounded(.up))
    let (plane, step) = (Plane.webMercator(), UInt32((1 << 31) / columns))
    return (0..<count).map { row in
      let (x, y) = (UInt32(row % columns) * step, UInt32(row / columns) * step)
      return plane.coordinate(at: PlanePoint(x: 1 << 30 + x, y: 1 << 30 + y))
    }
  }

  /// Returns a point in a random direction, in one of 28 rings.
  @Sendable private static func geometricPoint(_ random: inout SplitMix64) -> Coordinate {
    let distance = 40 * pow(2, -Double(random.index(below: 28))) * (1 + random.fraction())
    let angle = random.number(from: 0, to: 2 * .pi)
    return Coordinate(longitude: distance * cos(angle), latitude: distance * sin(angle))
  }

  private static let chunk = 1 << 16

  /// Generates points on all cores, so that 100 million points take only seconds. Each chunk of points has its own
  /// seed, so that the cores can work independently.
  private static func inChunks(
    _ rows: Range<Int>, seed: UInt64, _ makePoint: @Sendable (inout SplitMix64) -> Coordinate
  ) -> [Coordinate] {
    let first = rows.lowerBound / chunk
    return Array(unsafeUninitializedCapacity: rows.count) { buffer, initializedCount in
      nonisolated(unsafe) let coordinates = buffer.baseAddress!
      DispatchQueue.concurrentPerform(iterations: (rows.count + chunk - 1) / chunk) { index in
        // The seed of a chunk is itself a random number. If chunks had consecutive seeds, their sequences of random
        // numbers would overlap.
        var seeds = SplitMix64(seed: seed << 32 | UInt64(first + index))
        var random = SplitMix64(seed: seeds.next())
        for row in index * chunk..<min((index + 1) * chunk, rows.count) {
          (coordinates + row).initialize(to: makePoint(&random))
        }
      }
      initializedCount = rows.count
    }
  }
}

/// A mixture of towns. Their sizes follow Zipf's law, like sizes of cities, and their widths vary by a factor of 1000.
struct Towns: Sendable {
  private struct Town {
    var longitude: Double
    var latitude: Double
    /// Standard deviation in degrees.
    var width: Double
  }

  private let towns: [Town]
  /// For each town, the upper bound of the random numbers that choose this town.
  private let upTo: [Double]

  init(_ count: Int, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    towns = (0..<count).map { _ in
      Town(
        longitude: random.number(from: -180, to: 180), latitude: random.number(from: -60, to: 75),
        width: pow(10, random.number(from: -3, to: 0)))
    }
    var total = 0.0
    upTo = (1...count).map { rank in
      total += 1 / Double(rank)
      return total
    }
  }

  func point(_ random: inout SplitMix64) -> Coordinate {
    guard random.fraction() >= 0.1 else { return GeneratedSet.uniformPoint(&random) }
    let draw = random.number(from: 0, to: upTo.last!)
    let town = towns[firstIndex(in: 0..<towns.count - 1) { draw < upTo[$0] }]
    let longitude = town.longitude + random.bell() * town.width
    let latitude = town.latitude + random.bell() * town.width
    return Coordinate(
      longitude: longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude, latitude: latitude)
  }
}
