/// A cell size that makes no grid.
public enum GridError: Error, Hashable, Sendable {
  case cellSizeNotPositive(found: Double)
  case zoomNotFinite(found: Double)
}

extension GridError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .cellSizeNotPositive(let found):
      "expected a finite cell size above 0 pixels, found \(found)"
    case .zoomNotFinite(let found):
      "expected a finite zoom, found \(found)"
    }
  }
}
