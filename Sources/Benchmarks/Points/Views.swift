import Foundation
import PointSets
@_spi(Server) import Treeline

/// Views of 1024 x 768 px. All programs of a comparison use the same views. Each view is a box at a whole zoom.
extension [Viewport] {
  /// Returns views centered on random points, `perZoom` at each zoom from 4 to 16.
  ///
  /// Views that cross the antimeridian or the edge of Web Mercator are left out. In such views, other libraries would
  /// return fewer points.
  static func around(_ coordinates: [Coordinate], perZoom: Int, seed: UInt64) -> [Viewport] {
    var random = SplitMix64(seed: seed)
    var views: [Viewport] = []
    for zoom in stride(from: 4.0, through: 16, by: 1) {
      let end = views.count + perZoom
      while views.count < end {
        let center = coordinates[random.index(below: coordinates.count)]
        let box = Viewport(center: center, zoom: zoom, width: 1024, height: 768).bounds
        guard box.west < center.longitude, center.longitude < box.east, box.south > -Plane.maximumLatitude,
          box.north < Plane.maximumLatitude
        else { continue }
        views.append(Viewport(box, zoom: zoom))
      }
    }
    return views
  }

  /// Returns the views for counting instructions, one view per zoom.
  static func counted(around coordinates: [Coordinate]) -> [Viewport] { around(coordinates, perZoom: 1, seed: 7) }

  init(readFrom path: String) throws {
    self = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst().map { line in
      let numbers = line.split(separator: ",").map { Double($0)! }
      return Viewport(
        BoundingBox(west: numbers[1], south: numbers[2], east: numbers[3], north: numbers[4]), zoom: numbers[0])
    }
  }

  func write(to path: String) throws {
    let lines = map { view in
      let box = view.bounds
      return "\(Int(view.zoom!)),\(box.west),\(box.south),\(box.east),\(box.north)\n"
    }
    try ("zoom,west,south,east,north\n" + lines.joined()).write(toFile: path, atomically: true, encoding: .utf8)
  }
}

extension Viewport {
  /// The box that a view shows.
  var bounds: BoundingBox { try! box(on: .webMercator()) }
}

extension Query {
  @inline(__always) func answer(of tree: ClusterTree) throws -> Clusters { try tree.clusters(cut, in: viewport) }

  /// Checks an answer against the points: each point inside the view is in exactly one cluster, and every cluster has a
  /// point inside the view.
  ///
  /// - Complexity: O(pointCount)
  func check(_ answer: Clusters, of tree: ClusterTree) throws {
    require(
      !answer.isEmpty && answer.count <= cut.limit,
      "expected 1 to \(cut.limit) clusters around a point, found \(answer.count)")
    let window = try viewport.located(on: tree.plane)!.window
    func inside(_ range: Range<Int>) -> Int { range.count { window.contains(tree.position(atTreeIndex: $0)) } }
    var (end, counted) = (0, 0)
    for cluster in answer {
      require(cluster.range.lowerBound >= end, "a cluster overlaps the cluster before it")
      let count = inside(cluster.range)
      require(count > 0, "a cluster has no point in the box \(viewport.bounds)")
      end = cluster.range.upperBound
      counted += count
    }
    let all = inside(0..<tree.pointCount)
    require(counted == all, "the clusters hold \(counted) of the \(all) points in the box \(viewport.bounds)")
  }
}
