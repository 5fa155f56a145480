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
  static func around(_ places: [Coordinate], perZoom: Int, seed: UInt64) -> [MapView] {
    var random = SplitMix64(seed: seed)
    var views: [MapView] = []
    for zoom in 4...16 {
      var drawn = 0
      while drawn < perZoom {
        let center = places[random.index(below: places.count)]
        let viewport = Viewport(center: center, zoom: Double(zoom), width: 1024, height: 768)
        let box = try! viewport.box(on: .webMercator())!
        guard box.west < center.longitude, center.longitude < box.east,
          box.south > -Plane.maximumLatitude, box.north < Plane.maximumLatitude
        else { continue }
        views.append(MapView(zoom: zoom, box: box))
        drawn += 1
      }
    }
    return views
  }

  /// Those that work is counted with, one a zoom.
  static func counted(around places: [Coordinate]) -> [MapView] { around(places, perZoom: 1, seed: 7) }

  static func write(_ views: [MapView], to path: String) throws {
    let lines = views.map { view in
      let box = view.box
      return "\(view.zoom),\(box.west),\(box.south),\(box.east),\(box.north)\n"
    }
    try ("zoom,west,south,east,north\n" + lines.joined()).write(
      toFile: path, atomically: true, encoding: .utf8)
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
