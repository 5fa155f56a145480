/// The points of a view as dots of its picture.
public struct PointDots: Sendable {
  /// In pixels of the view; no two in one square of half a pixel.
  public let positions: [PixelPoint]

  /// Every point is under a dot if this is 1; otherwise one in so many dots is drawn.
  public let step: Int

  /// Points under a dot already need none. Of the dots left, at most `limit` are kept, every so manieth in tree order,
  /// which thins all parts of the picture alike.
  ///
  /// - Complexity: O(points in view)
  init(_ points: ViewPoints, atMost limit: Int) {
    var seen: Set<PixelPoint> = []
    let dots = points.positions.filter { place in
      seen.insert(PixelPoint(x: (place.x * 2).rounded(.down), y: (place.y * 2).rounded(.down))).inserted
    }
    let step = limit > 0 ? max((dots.count + limit - 1) / limit, 1) : max(dots.count, 1)
    self.step = step
    positions = limit > 0 ? stride(from: 0, to: dots.count, by: step).map { dots[$0] } : []
  }
}
