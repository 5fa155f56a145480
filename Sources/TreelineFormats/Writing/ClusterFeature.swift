import Treeline

/// One cluster of whatever method, as it is written out.
public struct ClusterFeature: Sendable {
  public var id: UInt64
  public var pointCount: Int
  public var coordinate: Coordinate
  public var bounds: BoundingBox
  /// The row number of the point that stands for a cluster, where its position is shown instead of the mean.
  public var shownIndex: Int?
  /// The row number of the point where there is just one.
  public var index: Int?
  /// The `id` of that point's Feature in the input.
  public var featureID: AttributeValue?
  /// The other columns of that point.
  public var columns: [(name: String, value: AttributeValue)]
  /// The row numbers of all points, where they are wanted.
  public var members: [Int]?

  public init(
    id: UInt64, pointCount: Int, coordinate: Coordinate, bounds: BoundingBox, shownIndex: Int? = nil,
    index: Int? = nil,
    featureID: AttributeValue? = nil, columns: [(name: String, value: AttributeValue)] = [],
    members: [Int]? = nil
  ) {
    self.id = id
    self.pointCount = pointCount
    self.coordinate = coordinate
    self.bounds = bounds
    self.shownIndex = shownIndex
    self.index = index
    self.featureID = featureID
    self.columns = columns
    self.members = members
  }
}
