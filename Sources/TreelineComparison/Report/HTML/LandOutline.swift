import Treeline

/// Outlines of land. They can be drawn into any view of the sphere.
struct LandOutline {
  private let rings: [Ring]

  /// A ring in units of the plane. x is counted eastwards from the western edge of the plane, and may lie beyond the
  /// eastern edge or be negative.
  private struct Ring {
    let corners: [PixelPoint]
    let minX: Double
    let maxX: Double
  }

  /// - Parameter rings: Rings of land, as in `ComparisonReport.html`.
  init(_ rings: [[Coordinate]], on plane: Plane) {
    self.rings = rings.filter { $0.count > 2 }.map { ring in
      let corners = ring.map { corner in
        // Longitudes are not reduced modulo 360 degrees, because the two ends of a ring around a pole must stay apart.
        PixelPoint(
          x: (corner.longitude + 180) * (Plane.turnWidth / 360) - Double(plane.seam),
          y: Double(plane.point(at: corner).y))
      }
      let xs = corners.map(\.x)
      return Ring(corners: corners, minX: xs.min()!, maxX: xs.max()!)
    }
  }

  /// Returns the path of all land in a view, in tenths of a pixel. The path must be filled by the even-odd rule.
  /// Returns nil if the outline is so coarse in this view that points on land would seem to lie in the sea.
  func path(in view: ComparisonView) -> String? {
    let box = PixelBox(minX: -Self.rim, minY: -Self.rim, maxX: view.width + Self.rim, maxY: view.height + Self.rim)
    let units = view.unitsPerPixel
    let (left, right) = (Double(view.window.x) + box.minX * units, Double(view.window.x) + box.maxX * units)
    var path = PathText()
    var (coastLength, pieceCount) = (0.0, 0)
    for ring in rings {
      // The world repeats, so each copy of the ring that reaches into the view is drawn.
      var turn = ((left - ring.maxX) / Plane.turnWidth).rounded(.up)
      while ring.minX + turn * Plane.turnWidth <= right {
        let origin = PixelPoint(x: Double(view.window.x) - turn * Plane.turnWidth, y: Double(view.window.minY))
        let land = clipped(ring.corners.map { ($0 - origin) / units }, to: box)
        for (from, to) in zip([land.last].compactMap { $0 } + land, land) where !box.hasOnEdge(from, to) {
          coastLength += from.squaredDistance(to: to).squareRoot()
          pieceCount += 1
        }
        path.add(simplified(land))
        turn += 1
      }
    }
    return coastLength > Self.coarseness * Double(pieceCount) ? nil : path.text
  }

  /// Removes corners that are so close to the previous corner that the difference would not be visible.
  private func simplified(_ ring: [PixelPoint]) -> [PixelPoint] {
    var kept: [PixelPoint] = []
    for corner in ring where kept.last.map({ $0.squaredDistance(to: corner) > 0.36 }) ?? true { kept.append(corner) }
    return kept
  }

  /// Distance beyond the picture at which rings are cut, in pixels. The distance keeps the cut edges out of sight.
  private static let rim = 8.0
  /// Maximum mean length of straight pieces, in pixels. Longer pieces do not look like a coast. The value was found by
  /// eye.
  private static let coarseness = 40.0
}

extension PathText {
  fileprivate mutating func add(_ ring: [PixelPoint]) {
    guard ring.count > 2 else { return }
    move(to: ring[0])
    for corner in ring.dropFirst() { line(to: corner) }
    close(at: ring[0])
  }
}

// MARK: - Clipping

/// A box in a picture, including its edges.
struct PixelBox {
  var minX: Double
  var minY: Double
  var maxX: Double
  var maxY: Double

  /// Returns whether two neighboring corners of a ring lie on the same edge of this box. If so, the line between these
  /// corners comes from clipping.
  fileprivate func hasOnEdge(_ a: PixelPoint, _ b: PixelPoint) -> Bool {
    (a.x == b.x && (a.x == minX || a.x == maxX)) || (a.y == b.y && (a.y == minY || a.y == maxY))
  }
}

/// Returns the part of a closed ring that lies inside a box, by the algorithm of Sutherland and Hodgman (1974),
/// https://doi.org/10.1145/360767.360802.
///
/// If the ring is cut into several parts, the result is still one ring. The parts are joined along the edges of the
/// box.
func clipped(_ ring: [PixelPoint], to box: PixelBox) -> [PixelPoint] {
  var ring = clipped(ring, along: \.x, at: box.minX) { $0 >= box.minX }
  ring = clipped(ring, along: \.x, at: box.maxX) { $0 <= box.maxX }
  ring = clipped(ring, along: \.y, at: box.minY) { $0 >= box.minY }
  return clipped(ring, along: \.y, at: box.maxY) { $0 <= box.maxY }
}

private func clipped(
  _ ring: [PixelPoint], along axis: WritableKeyPath<PixelPoint, Double>, at edge: Double, isInside: (Double) -> Bool
) -> [PixelPoint] {
  guard var from = ring.last else { return [] }
  var result: [PixelPoint] = []
  for to in ring {
    if isInside(to[keyPath: axis]) != isInside(from[keyPath: axis]) {
      let share = (edge - from[keyPath: axis]) / (to[keyPath: axis] - from[keyPath: axis])
      var crossing = from + (to - from) * share
      crossing[keyPath: axis] = edge
      result.append(crossing)
    }
    if isInside(to[keyPath: axis]) { result.append(to) }
    from = to
  }
  return result
}
