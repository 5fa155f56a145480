import Treeline

/// Outlines of land, ready to be drawn into any view of the sphere.
struct LandOutline {
  /// In units of the plane from its seam eastwards, beyond its edges where a ring is.
  private let rings: [Ring]

  private struct Ring {
    let places: [PixelPoint]
    let minX: Double
    let maxX: Double
  }

  /// - Parameter rings: in degrees, as in GeoJSON: cut at the antimeridian or leading on beyond 180 degrees.
  init(_ rings: [[Coordinate]], on plane: Plane) {
    self.rings = rings.filter { $0.count > 2 }.map { ring in
      let places = ring.map { place in
        // Longitude as it is told, not modulo a turn: rings that go round the pole must not come together.
        PixelPoint(
          x: (place.longitude + 180) * (Self.worldWidth / 360) - Double(plane.seam),
          y: Double(plane.point(at: place).y))
      }
      let xs = places.map(\.x)
      return Ring(places: places, minX: xs.min()!, maxX: xs.max()!)
    }
  }

  /// The path of all land in a view, to be filled by the even-odd rule, in tenths of a pixel.
  ///
  /// - Returns: nil where the outline is too coarse for the view: a coast of a few long lines would put points into the
  ///   sea that are not there.
  func path(in view: ComparisonView) -> String? {
    let box = PixelBox(
      minX: -Self.rim, minY: -Self.rim, maxX: view.width + Self.rim, maxY: view.height + Self.rim)
    let units = view.unitsPerPixel
    let left = Double(view.window.x) + box.minX * units
    let right = Double(view.window.x) + box.maxX * units
    var path = PathText()
    var coast = CoastLength(of: box)
    for ring in rings {
      // The world repeats: each of its turns that reaches into the view is drawn.
      var turn = ((left - ring.maxX) / Self.worldWidth).rounded(.up)
      while ring.minX + turn * Self.worldWidth <= right {
        let origin = Double(view.window.x) - turn * Self.worldWidth
        let places = ring.places.map {
          PixelPoint(x: ($0.x - origin) / units, y: ($0.y - Double(view.window.minY)) / units)
        }
        let land = clipped(places, to: box)
        coast.add(land)
        path.add(simplified(land))
        turn += 1
      }
    }
    return coast.isCoarse ? nil : path.text
  }

  /// Leaves out what is too near the place before to be seen.
  private func simplified(_ ring: [PixelPoint]) -> [PixelPoint] {
    var kept: [PixelPoint] = []
    for place in ring where kept.last.map({ $0.squaredDistance(to: place) > 0.36 }) ?? true {
      kept.append(place)
    }
    return kept
  }

  /// How far beyond the picture rings are cut, in pixels, so that their cut edges do not show.
  private static let rim = 8.0
  private static let worldWidth = 0x1p32
}

/// How long the straight pieces are that coasts in a picture consist of.
private struct CoastLength {
  private let box: PixelBox
  private var length = 0.0
  private var pieces = 0

  init(of box: PixelBox) { self.box = box }

  mutating func add(_ ring: [PixelPoint]) {
    guard var from = ring.last else { return }
    for place in ring {
      // Pieces along an edge of the box come from the cut.
      let isCut =
        (place.x == from.x && (place.x == box.minX || place.x == box.maxX))
        || (place.y == from.y && (place.y == box.minY || place.y == box.maxY))
      if !isCut {
        length += from.squaredDistance(to: place).squareRoot()
        pieces += 1
      }
      from = place
    }
  }

  /// By eye: beyond some 40 px a piece no coast looks like one.
  var isCoarse: Bool { length > 40 * Double(pieces) }
}

extension PathText {
  fileprivate mutating func add(_ ring: [PixelPoint]) {
    guard ring.count > 2 else { return }
    move(to: ring[0])
    for place in ring.dropFirst() { line(to: place) }
    close(at: ring[0])
  }
}
