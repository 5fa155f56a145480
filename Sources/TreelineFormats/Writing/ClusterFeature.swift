import Foundation
import GridBaseline
import Treeline

/// One cluster of whatever method, as it is written out.
public struct ClusterFeature: Sendable {
  package var id: UInt64
  /// Whether it is one of several points that share a cluster's number, and so has no `id` of its own.
  package private(set) var sharesID = false
  package var pointCount: Int
  package var coordinate: Coordinate
  package var bounds: BoundingBox
  /// Whether it is several points of one position.
  package var isStack: Bool
  /// How its points spread, where that is wanted: of several positions.
  package private(set) var ellipse: Ellipse?
  /// The length of a unit of the plane there, in metres; on a plain plane in the unit of the data.
  package private(set) var unitLength = 0.0
  /// The diameter to draw it with, in pixels, where badges were asked for.
  @_spi(Server) public var badgeDiameter: Double?
  /// The name of its group, in an index of groups that never mix.
  package var group: String?
  /// The corners of its convex hull, where that is wanted.
  package var hull: [Coordinate]?
  /// The row number of the point that stands for a cluster, where its position is shown instead of the mean.
  package var shownRow: Int?
  /// The row number of the point where there is just one.
  public var row: Int?
  /// The `id` of that point's Feature in the input, which becomes a property.
  public var featureID: AttributeValue?
  /// The other columns of that point.
  public var columns: [(name: String, value: AttributeValue)]
  /// What is told of the values of its points, by the names of properties.
  package private(set) var aggregates: [(name: String, value: AggregateValue)] = []
  /// The row numbers of all points, where they are wanted.
  public var members: [Int]?

  @_spi(Server) public init(
    id: UInt64, pointCount: Int, coordinate: Coordinate, bounds: BoundingBox, isStack: Bool = false,
    row: Int? = nil, columns: [(name: String, value: AttributeValue)] = []
  ) {
    self.id = id
    self.pointCount = pointCount
    self.coordinate = coordinate
    self.bounds = bounds
    self.isStack = isStack
    self.row = row
    self.columns = columns
  }
}

extension ClusterFeature {
  /// A cluster of an index, a single point with the columns that the index keeps of it.
  ///
  /// - Parameters:
  ///   - cluster: The cluster.
  ///   - tree: The tree that it is of.
  ///   - position: Where it is shown; nil for where it stands, where that is its mean.
  ///   - hasEllipse: Whether its spread is written.
  ///   - cut: What it is of, if that is known: by badges its diameter is written.
  public init(
    _ cluster: Cluster, of tree: ClusterTree, at position: ShownPosition? = nil, hasEllipse: Bool = false,
    cut: Cut? = nil
  ) {
    self.init(
      id: cluster.id.rawValue, pointCount: cluster.pointCount, coordinate: position?.coordinate ?? cluster.coordinate,
      bounds: cluster.bounds, isStack: cluster.isStack, row: cluster.row, columns: tree.attributes(of: cluster))
    if hasEllipse { setEllipse(of: cluster, on: tree.plane) }
    badgeDiameter = cut.flatMap { tree.badgeDiameter(of: cluster, for: $0) }
    group = tree.group(of: cluster)
    if cluster.row == nil { shownRow = position?.treeIndex.map(tree.row(atTreeIndex:)) }
  }
}

extension ClusterFeature {
  /// A cell of a grid, by the number of its first point, which is no other cell's; without row and columns.
  @_spi(Server) public init(_ cluster: GridCluster, of grid: Grid) {
    self.init(
      id: UInt64(cluster.firstPoint), pointCount: cluster.pointCount, coordinate: grid.coordinate(of: cluster),
      bounds: grid.boundingBox(of: cluster), isStack: cluster.isStack)
  }

  /// A single point by itself, though others may have its position; without its row and its columns.
  ///
  /// - Parameter leaf: The last of the clusters that contain it.
  @_spi(Server) public init(ofPointAt treeIndex: Int, in leaf: Cluster, of tree: ClusterTree) {
    let coordinate = tree.plane.coordinate(at: tree.position(atTreeIndex: treeIndex))
    self.init(
      id: leaf.id.rawValue, pointCount: 1, coordinate: coordinate,
      bounds: BoundingBox(
        west: coordinate.longitude, south: coordinate.latitude, east: coordinate.longitude, north: coordinate.latitude))
    sharesID = leaf.pointCount > 1
  }
}

extension ClusterFeature {
  /// Adds what is told of the values of its points.
  ///
  /// - Parameters:
  ///   - names: Of aggregates, as `FeatureProperties` has them.
  ///   - values: One for each.
  @_spi(Server) public mutating func setAggregates(_ names: [String], _ values: [AggregateValue]) {
    aggregates = Array(zip(names, values).lazy.map { ($0, $1) })
  }

  /// Adds the ellipse of a cluster whose points have one: those of several positions.
  package mutating func setEllipse(of cluster: Cluster, on plane: Plane) {
    if cluster.rect.isPoint { return }
    ellipse = cluster.ellipse
    unitLength = plane.unitLength(atLatitude: cluster.coordinate.latitude)
  }
}

extension Plane {
  /// The square kilometres of the ellipse of two standard deviations along each axis, which is taken to be at least a
  /// quarter as wide as it is long; nil for a stack. The viewer colours tiles by it, and other answers as `density.js`
  /// computes the same.
  @_spi(Server) public func coveredArea(of cluster: Cluster) -> Double? {
    if cluster.rect.isPoint { return nil }
    let ellipse = cluster.ellipse
    let kilometre = unitLength(atLatitude: cluster.coordinate.latitude) / 1000
    let (length, width) = (ellipse.semiMajor, max(ellipse.semiMinor, ellipse.semiMajor * Self.leastWidth))
    return Self.areaDeviations * Self.areaDeviations * .pi * length * width * kilometre * kilometre
  }

  @_spi(Server) public static let areaDeviations = 2.0
  @_spi(Server) public static let leastWidth = 0.25

  /// In metres on the sphere of Web Mercator, whose radius is that of the Earth at the equator.
  fileprivate func unitLength(atLatitude latitude: Double) -> Double {
    projection == .planar ? side / 0x1p32 : 2 * .pi * 6_378_137 / 0x1p32 * cos(latitude * .pi / 180)
  }
}
