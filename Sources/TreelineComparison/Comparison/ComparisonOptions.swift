import Foundation
import GridBaseline
import Treeline

/// What to compare, and how.
package struct ComparisonOptions: Sendable {
  /// What to look at; nil chooses several views.
  package var viewport: Viewport?

  /// The size of the screen where views are chosen.
  package var size: Viewport.Size

  package var cellSize: CellSize

  /// How many clusters a view may have; nil is as many as the grid happens to have there.
  package var limit: Int?

  /// What clusters by k-means, as a yardstick; it is asked for several numbers of clusters in each view.
  package var kMeans: KMeans?

  /// What to fly through besides; nil is no journey.
  package var journey: Journey?

  package enum Journey: Sendable {
    /// A flight chosen by the data: see `Flight`.
    case flight

    /// Views one after the other.
    case views([Viewport])
  }

  package init(
    viewport: Viewport? = nil, size: Viewport.Size = .standard, cellSize: CellSize = .pixels(64), limit: Int? = nil
  ) {
    (self.viewport, self.size, self.cellSize, self.limit) = (viewport, size, cellSize, limit)
  }
}

extension Viewport.Size {
  package static let standard = Viewport.Size(width: 1024, height: 768)
}

/// A comparison that cannot be made.
@_spi(Server) public enum ComparisonError: Error, Hashable, Sendable {
  case notAPicture(found: Viewport)
  case boxOffPlane(found: BoundingBox)
  case boxWithoutArea(found: BoundingBox)
  case limitBelowOne(found: Int)
  case pictureTooLarge(width: Double, height: Double)
}

@_spi(Server) extension ComparisonError: LocalizedError {
  public var errorDescription: String? { description }
}

@_spi(Server) extension ComparisonError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notAPicture(let found): "expected a viewport with a zoom or a size, found \(found)"
    case .boxOffPlane(let found): "expected a box that touches the square around the data, found \(found)"
    case .boxWithoutArea(let found): "expected a box wider and higher than 0, found \(found)"
    case .pictureTooLarge(let width, let height):
      "expected a box of at most \(fixed(ComparisonView.maximumSide, 0)) pixels a side at its zoom, "
        + "found \(fixed(width, 0)) x \(fixed(height, 0)); lower the zoom or shrink the box"
    case .limitBelowOne(let found): "expected a limit of 1 or more clusters, found \(found)"
    }
  }
}
