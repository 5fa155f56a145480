import Treeline

/// How a view leads on to the next, by what they show.
enum Move: String, Hashable, Sendable {
  /// The next shows a part of this one, closer.
  case zoomIn = "zoom-in"
  /// This one shows a part of the next, which is from further away.
  case zoomOut = "zoom-out"
  /// Both show some of the same, at one zoom.
  case pan
  case other

  init(from first: ComparisonView, to second: ComparisonView) {
    if second.zoom > first.zoom, first.window.contains(second.window) {
      self = .zoomIn
    } else if second.zoom < first.zoom, second.window.contains(first.window) {
      self = .zoomOut
    } else if second.zoom == first.zoom, first.window.intersects(second.window) {
      self = .pan
    } else {
      self = .other
    }
  }
}

extension PlaneWindow {
  fileprivate func contains(_ other: PlaneWindow) -> Bool {
    let start = width == .max ? 0 : other.x &- x
    return start <= width && other.width <= width - start && minY <= other.minY && other.maxY <= maxY
  }

  fileprivate func intersects(_ other: PlaneWindow) -> Bool {
    (other.x &- x <= width || x &- other.x <= other.width) && minY <= other.maxY && other.minY <= maxY
  }
}
