import Foundation
import PointSets
import Treeline

/// A view of 1024 x 768 px, as both sides of a comparison ask for it.
struct MapView {
  /// Of tiles of 256 px: at zoom 0 the world is 256 px wide.
  var zoom: Int
  var box: BoundingBox

  /// Views centred on random points, as many at each zoom from 4 to 16.
  ///
  /// None crosses the antimeridian or the edge of Web Mercator, where a peer would see less.
  static func around(_ coordinates: [Coordinate], perZoom: Int, seed: UInt64) -> [MapView] {
    var random = SplitMix64(seed: seed)
    var views: [MapView] = []
    for zoom in 4...16 {
      var drawn = 0
      while drawn < perZoom {
        let center = coordinates[random.index(below: coordinates.count)]
        let viewport = Viewport(center: center, zoom: Double(zoom), width: 1024, height: 768)
        let box = try! viewport.box(on: .webMercator())!
        guard box.west < center.longitude, center.longitude < box.east, box.south > -Plane.maximumLatitude,
          box.north < Plane.maximumLatitude
        else { continue }
        views.append(MapView(zoom: zoom, box: box))
        drawn += 1
      }
    }
    return views
  }

  /// Those that work is counted with, one a zoom.
  static func counted(around coordinates: [Coordinate]) -> [MapView] { around(coordinates, perZoom: 1, seed: 7) }

  static func write(_ views: [MapView], to path: String) throws {
    let lines = views.map { view in
      let box = view.box
      return "\(view.zoom),\(box.west),\(box.south),\(box.east),\(box.north)\n"
    }
    try ("zoom,west,south,east,north\n" + lines.joined()).write(toFile: path, atomically: true, encoding: .utf8)
  }

  static func read(_ path: String) throws -> [MapView] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst().map { line in
      let numbers = line.split(separator: ",").map { Double($0)! }
      return MapView(
        zoom: Int(numbers[0]),
        box: BoundingBox(west: numbers[1], south: numbers[2], east: numbers[3], north: numbers[4]))
    }
  }
}

/// One query and what its answer must be.
struct Question: Sendable {
  var box: BoundingBox
  var limit: Int

  @inline(__always) func answer(of tree: ClusterTree) throws -> Clusters {
    try tree.clusters(.limit(limit), in: Viewport(box))
  }

  /// Compares an answer with the points: each that is inside is in exactly one cluster, and every cluster has one.
  ///
  /// - Complexity: O(pointCount)
  func check(_ answer: Clusters, of tree: ClusterTree) throws {
    require(!answer.isEmpty && answer.count <= limit, "\(answer.count) clusters around a point, of \(limit)")
    let window = try tree.plane.window(showing: box)!
    func inside(_ range: Range<Int>) -> Int {
      range.reduce(0) { $0 + (window.contains(tree.position(atTreeIndex: $1)) ? 1 : 0) }
    }
    var end = 0
    var counted = 0
    for cluster in answer {
      require(cluster.range.lowerBound >= end, "a cluster overlaps the one before it")
      let count = inside(cluster.range)
      require(count > 0, "a cluster has no point in the box \(box)")
      end = cluster.range.upperBound
      counted += count
    }
    let all = inside(0..<tree.pointCount)
    require(counted == all, "the clusters hold \(counted) of the \(all) points in the box \(box)")
  }
}
