import CLibrary
import GridBaseline
import Treeline

/// A cluster of any clustering method, with all data that is written about the cluster.
public struct ClusterFeature: Sendable {
  /// The properties that every format writes.
  package var properties: ClusterProperties
  /// Whether the feature is one of several points that share a cluster id. If true, the feature is written without an
  /// `id`.
  private(set) var sharesID = false
  package var coordinate: Coordinate
  package var bounds: BoundingBox
  /// Corners of a shape in counterclockwise order. The shape is written instead of the cluster's position. If the
  /// shape has no area, there are fewer than three corners.
  package var outline: [Coordinate] = []
  /// The `id` of the point's Feature in the input. This `id` is written as a property.
  public var featureID: AttributeValue?
  /// Columns of the point, except its coordinates.
  public var columns: [(name: String, value: AttributeValue)]
  /// Aggregates of the values of the cluster's points. Each aggregate becomes a property with the given name.
  public var aggregates: [(name: String, value: AggregateValue)] = []

  package init(
    id: UInt64, pointCount: Int, coordinate: Coordinate, bounds: BoundingBox, isStack: Bool = false,
    row: Int? = nil, columns: [(name: String, value: AttributeValue)] = []
  ) {
    properties = ClusterProperties(id: id, pointCount: pointCount, isStack: isStack, row: row)
    (self.coordinate, self.bounds, self.columns) = (coordinate, bounds, columns)
  }
}

extension ClusterFeature {
  /// Creates the feature of a cluster of an index. If the cluster is a single point, the feature has the point's
  /// columns.
  ///
  /// - Parameters:
  ///   - cluster: The cluster.
  ///   - tree: The tree of the cluster.
  ///   - position: Position at which the cluster is shown; nil for `cluster.coordinate`. Pass nil only if
  ///     `cluster.coordinate` is the mean of the cluster's points.
  ///   - requested: Properties that the feature has in addition to its usual properties.
  ///   - cut: Cut of the answer, if known. If the cut has badges, the feature has the diameter of the badge.
  public init(
    _ cluster: Cluster, of tree: ClusterTree, at position: ShownPosition? = nil,
    with requested: [RequestedProperty] = [], cut: Cut? = nil
  ) {
    self.init(
      id: cluster.id.rawValue, pointCount: cluster.pointCount, coordinate: position?.coordinate ?? cluster.coordinate,
      bounds: cluster.bounds, isStack: cluster.isStack, row: cluster.row, columns: tree.attributes(of: cluster))
    for property in requested { set(property, of: cluster, in: tree) }
    properties.badgeDiameter = cut.flatMap { tree.badgeDiameter(of: cluster, for: $0) }
    properties.group = tree.group(of: cluster)
    if cluster.row == nil { properties.shownRow = position?.treeIndex.map(tree.row(atTreeIndex:)) }
  }
}

extension ClusterFeature {
  /// Creates the feature of a grid cell. Its id is the number of the first point in the cell, so all cells have
  /// different ids.
  ///
  /// - Parameter tree: The tree whose points are in the grid, in the order of the tree. If the cell has only one point,
  ///   the feature has the point's row and columns. Nil to leave out rows and columns.
  @_spi(Server) public init(_ cluster: GridCluster, of grid: Grid, in tree: ClusterTree? = nil) {
    self.init(
      id: UInt64(cluster.firstPoint), pointCount: cluster.pointCount, coordinate: grid.coordinate(of: cluster),
      bounds: grid.boundingBox(of: cluster), isStack: cluster.isStack)
    if let tree, cluster.pointCount == 1 { addPoint(atTreeIndex: cluster.firstPoint, of: tree) }
  }

  /// Creates the feature of a single point, without its row number and its columns. Other points may share the point's
  /// position.
  ///
  /// - Parameter leaf: The smallest cluster that contains the point.
  package init(ofPointAt treeIndex: Int, in leaf: Cluster, of tree: ClusterTree) {
    let coordinate = tree.plane.coordinate(at: tree.position(atTreeIndex: treeIndex))
    self.init(
      id: leaf.id.rawValue, pointCount: 1, coordinate: coordinate,
      bounds: BoundingBox(
        west: coordinate.longitude, south: coordinate.latitude, east: coordinate.longitude, north: coordinate.latitude))
    sharesID = leaf.pointCount > 1
  }
}

extension ClusterFeature {
  /// Creates the feature of a single point, with its row and its columns.
  ///
  /// - Precondition: The point passes the filter of the tree.
  @_spi(Server) public init(ofSinglePointAt treeIndex: Int, of tree: ClusterTree) throws {
    self.init(ofPointAt: treeIndex, in: try tree.clusters(containingTreeIndex: treeIndex).last!, of: tree)
    addPoint(atTreeIndex: treeIndex, of: tree)
  }

  /// Adds the row and the columns of a single point.
  private mutating func addPoint(atTreeIndex treeIndex: Int, of tree: ClusterTree) {
    properties.row = tree.row(atTreeIndex: treeIndex)
    columns = tree.attributes(atTreeIndex: treeIndex)
  }

  private mutating func set(_ property: RequestedProperty, of cluster: Cluster, in tree: ClusterTree) {
    switch property {
    case .ellipses:
      if cluster.rect.isPoint { return }
      properties.ellipse = ClusterProperties.Spread(
        cluster.ellipse, unitLength: tree.plane.unitLength(atLatitude: cluster.coordinate.latitude),
        isPlanar: tree.plane.projection == .planar)
    case .members: properties.members = tree.members(of: cluster).sorted()
    case .hulls: properties.hull = tree.convexHull(of: cluster)
    case .treeRanges: properties.treeRange = cluster.range
    }
  }
}

extension Plane {
  /// Returns a polygon of the ellipse around the mean of a cluster's points. The half axes of the ellipse are two
  /// standard deviations. The polygon has 64 corners in counterclockwise order. It is empty if all points share one
  /// position.
  package func outline(ofEllipseOf cluster: Cluster) -> [Coordinate] {
    if cluster.rect.isPoint { return [] }
    let ellipse = cluster.ellipse
    return (0..<64).map { number in
      let angle = -2 * Double.pi * Double(number) / 64
      let along = 2 * ellipse.semiMajor * cos(angle)
      let across = 2 * ellipse.semiMinor * sin(angle)
      let (x, y) = (ellipse.axisX * along - ellipse.axisY * across, ellipse.axisY * along + ellipse.axisX * across)
      return coordinate(x: cluster.x + x, y: min(max(cluster.y + y, 0), 0x1p32))
    }
  }

  /// Returns the area that a cluster's points cover, in square kilometers; nil if all points share one position. This
  /// is the area of an ellipse whose half axes are two standard deviations of the points. The width of the ellipse
  /// counts as at least a quarter of its length. The viewer colors tiles by this area. `density.js` computes the same
  /// area for answers that are not tiles.
  package func coveredArea(of cluster: Cluster) -> Double? {
    if cluster.rect.isPoint { return nil }
    let ellipse = cluster.ellipse
    let kilometre = unitLength(atLatitude: cluster.coordinate.latitude) / 1000
    let (length, width) = (ellipse.semiMajor, max(ellipse.semiMinor, ellipse.semiMajor * Self.leastWidth))
    return Self.areaDeviations * Self.areaDeviations * .pi * length * width * kilometre * kilometre
  }

  /// Returns the area of a cluster on a map, in square pixels. As in `coveredArea`, this is the area of an ellipse.
  /// The zoom is a zoom for 512 px tiles.
  package static func coveredPixels(of cluster: Cluster, zoom: Int) -> UInt64 {
    let ellipse = cluster.ellipse
    let pixelsPerUnit = 512 * Double(sign: .plus, exponent: zoom, significand: 1) / 0x1p32
    let (length, width) = (ellipse.semiMajor, max(ellipse.semiMinor, ellipse.semiMajor * leastWidth))
    let area = areaDeviations * areaDeviations * .pi * length * width * pixelsPerUnit * pixelsPerUnit
    return UInt64(min(area.rounded(), 0x1p53))
  }

  package static let areaDeviations = 2.0
  package static let leastWidth = 0.25

  /// Returns the length of a unit of the plane. If the plane has no map projection, the length is in units of the
  /// data. Otherwise it is in meters on the sphere of Web Mercator, whose radius is the Earth's radius at the equator.
  fileprivate func unitLength(atLatitude latitude: Double) -> Double {
    projection == .planar ? side / 0x1p32 : 2 * .pi * 6_378_137 / 0x1p32 * cos(latitude * .pi / 180)
  }
}
