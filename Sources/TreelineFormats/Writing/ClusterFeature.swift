import Treeline

/// One cluster of whatever method, as it is written out.
public struct ClusterFeature: Sendable {
  public var id: UInt64
  public var pointCount: Int
  public var coordinate: Coordinate
  public var bounds: BoundingBox
  /// The row number of the point where there is just one.
  public var index: Int?
  /// The other columns of that point.
  public var columns: [(name: String, value: AttributeValue)]
  /// The row numbers of all points, where they are wanted.
  public var members: [Int]?

  public init(
    id: UInt64, pointCount: Int, coordinate: Coordinate, bounds: BoundingBox, index: Int? = nil,
    columns: [(name: String, value: AttributeValue)] = [], members: [Int]? = nil
  ) {
    self.id = id
    self.pointCount = pointCount
    self.coordinate = coordinate
    self.bounds = bounds
    self.index = index
    self.columns = columns
    self.members = members
  }
}
