import GridBaseline
import Treeline

/// What to compare, and how.
public struct ComparisonOptions: Sendable {
  /// What to look at; nil chooses several views.
  public var box: BoundingBox?

  /// The zoom at which the box is looked at; nil is the largest at which it fits into `size`.
  public var zoom: Double?

  /// The size of the screen.
  public var size: PictureSize

  /// How wide the cells of the grid are.
  public var cellSize: CellSize

  /// How many clusters a view may have; nil is as many as the grid happens to have there.
  public var limit: Int?

  /// What clusters by k-means, as a yardstick; it is asked for several numbers of clusters in each view.
  public var kMeans: KMeans?

  /// What to fly through besides; nil is no journey.
  public var journey: JourneyOptions?

  /// How many dots a picture has at most to show points, 0 or more. A dot is about 8 bytes.
  public var dotLimit = 12_000

  public init(
    box: BoundingBox? = nil, zoom: Double? = nil, size: PictureSize = .standard,
    cellSize: CellSize = .pixels(64),
    limit: Int? = nil
  ) {
    self.box = box
    self.zoom = zoom
    self.size = size
    self.cellSize = cellSize
    self.limit = limit
  }
}

/// What a journey leads through.
public enum JourneyOptions: Sendable {
  /// A flight chosen by the data: see `Flight`.
  case flight

  /// Views one after the other, each as a box and its zoom.
  case views([(box: BoundingBox, zoom: Double)])
}
