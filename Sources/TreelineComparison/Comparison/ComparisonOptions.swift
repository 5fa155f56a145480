import GridBaseline
import Treeline

/// What to compare, and how.
package struct ComparisonOptions: Sendable {
  /// What to look at; nil chooses several views.
  package var box: BoundingBox?

  /// The zoom at which the box is looked at; nil is the largest at which it fits into `size`.
  package var zoom: Double?

  /// The size of the screen.
  package var size: PictureSize

  /// How wide the cells of the grid are.
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

    /// Views one after the other, each as a box and its zoom.
    case views([(box: BoundingBox, zoom: Double)])
  }

  package init(
    box: BoundingBox? = nil, zoom: Double? = nil, size: PictureSize = .standard, cellSize: CellSize = .pixels(64),
    limit: Int? = nil
  ) {
    self.box = box
    self.zoom = zoom
    self.size = size
    self.cellSize = cellSize
    self.limit = limit
  }
}

/// A comparison that cannot be made.
@_spi(Server) public enum ComparisonError: Error, Hashable, Sendable {
  case sizeNotPositive(width: Double, height: Double)
  case zoomNotFinite(found: Double)
  case zoomWithoutBox(found: Double)
  case boxOffPlane(found: BoundingBox)
  case boxWithoutArea(found: BoundingBox)
  case limitBelowOne(found: Int)
  case pictureTooLarge(width: Double, height: Double)
}

@_spi(Server) extension ComparisonError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .sizeNotPositive(let width, let height):
      "expected a size of finite numbers above 0 pixels, found \(width)x\(height)"
    case .zoomNotFinite(let found): "expected a finite zoom, found \(found)"
    case .zoomWithoutBox(let found):
      "expected a box to look at with a zoom, found zoom \(found) alone; without either, views are chosen"
    case .boxOffPlane(let found): "expected a box that touches the square around the data, found \(found)"
    case .boxWithoutArea(let found): "expected a box wider and higher than 0, found \(found)"
    case .pictureTooLarge(let width, let height):
      "expected a box of at most \(fixed(ComparisonView.maximumSide, 0)) pixels a side at its zoom, "
        + "found \(fixed(width, 0)) x \(fixed(height, 0)); lower the zoom or shrink the box"
    case .limitBelowOne(let found): "expected a limit of 1 or more clusters, found \(found)"
    }
  }
}
