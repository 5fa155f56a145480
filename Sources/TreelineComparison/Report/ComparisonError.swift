import Treeline

/// A comparison that cannot be made.
public enum ComparisonError: Error, Hashable, Sendable {
  case sizeNotPositive(width: Double, height: Double)
  case zoomNotFinite(found: Double)
  case zoomWithoutBox(found: Double)
  case boxOffPlane(found: BoundingBox)
  case boxWithoutArea(found: BoundingBox)
  case limitBelowOne(found: Int)
  case pictureTooLarge(width: Double, height: Double)
}

extension ComparisonError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .sizeNotPositive(let width, let height):
      "expected a size of finite numbers above 0 pixels, found \(width)x\(height)"
    case .zoomNotFinite(let found):
      "expected a finite zoom, found \(found)"
    case .zoomWithoutBox(let found):
      "expected a box to look at with a zoom, found zoom \(found) alone; without either, views are chosen"
    case .boxOffPlane(let found):
      "expected a box that touches the square around the data, found \(found)"
    case .boxWithoutArea(let found):
      "expected a box wider and higher than 0, found \(found)"
    case .pictureTooLarge(let width, let height):
      "expected a box of at most \(fixed(ComparisonView.maximumSide, 0)) pixels a side at its zoom, "
        + "found \(fixed(width, 0)) x \(fixed(height, 0)); lower the zoom or shrink the box"
    case .limitBelowOne(let found):
      "expected a limit of 1 or more clusters, found \(found)"
    }
  }
}
