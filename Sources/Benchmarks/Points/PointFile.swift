import ArgumentParser
import Foundation
import Treeline
import TreelineFormats

/// Points for benchmarks: made in memory (`clustered:1000000`), pairs of little-endian doubles, longitude first
/// (`.f64`), or anything that Treeline reads.
struct PointFile: ExpressibleByArgument {
  let name: String

  init?(argument: String) { name = argument }

  func read() throws -> [Coordinate] {
    if let (kind, count) = generated { return kind.coordinates(count) }
    guard name.hasSuffix(".f64") else { return try PointReader.read(path: name).coordinates }
    let data = try Data(contentsOf: URL(fileURLWithPath: name), options: .alwaysMapped)
    return data.withUnsafeBytes { Array($0.bindMemory(to: Coordinate.self)) }
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
  /// Writes points as their name says: `.f64`, `.csv` or `.geojson`.
  ///
  /// - Parameter padding: how many bytes a row's text carries besides, as tables of real data do.
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
