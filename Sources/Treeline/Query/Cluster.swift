/// A node of the tree as shown on a map: one point, or several that stand together.
public struct Cluster: Sendable, Identifiable {
  public let id: ClusterID

  /// Which points belong to it, as places in tree order. Ranges of two clusters of one tree are nested or disjoint.
  public let range: Range<Int>

  /// The row number of its point where it has just one.
  public let index: Int?

  /// The mean of its points' positions, in units of the plane.
  public let meanX: Double
  public let meanY: Double

  /// The smallest box around its points, on the plane.
  public let rect: PlaneRect

  /// The plane it lies on.
  public let plane: Plane

  package let spread: NodeSpread

  public var pointCount: Int { range.count }

  /// The mean of its points' positions on the plane, as a place.
  public var coordinate: Coordinate { plane.coordinate(x: meanX, y: meanY) }

  /// The smallest box around its points.
  public var bounds: BoundingBox { plane.boundingBox(of: rect) }

  /// Whether it is more than one point, all at one position: no zoom tells them apart.
  public var isStack: Bool { pointCount > 1 && rect.isPoint }

  /// The direction and the extent along which its points spread.
  public var ellipse: Ellipse { Ellipse(covariance: spread) }

  /// Whether `other` lies strictly below this cluster in the tree.
  ///
  /// - Precondition: both are clusters of one tree.
  public func isAncestor(of other: Cluster) -> Bool {
    range.count > other.range.count && range.lowerBound <= other.range.lowerBound
      && other.range.upperBound <= range.upperBound
  }
}

extension Cluster: Hashable {
  public static func == (a: Cluster, b: Cluster) -> Bool {
    a.id == b.id && a.range == b.range && a.rect == b.rect && a.index == b.index
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension ClusterTree {
  /// - Precondition: `storage.checkSummary(of: node)`.
  @inline(__always)
  func cluster(of node: Node) -> Cluster {
    let rect = storage.box(of: node)
    let (sums, spread) = storage.summary(of: node, in: rect)
    let count = Double(node.count)
    return Cluster(
      id: node.id, range: node.range,
      index: node.count == 1 ? Int(storage.rows[Int(node.first)]) : nil,
      meanX: Double(rect.minX) + Double(sums.x) / count, meanY: Double(rect.minY) + Double(sums.y) / count,
      rect: rect, plane: plane, spread: spread)
  }

  /// The cluster of a node that nothing has looked at yet.
  func checkedCluster(of node: Node) throws(IndexError) -> Cluster {
    try storage.checkSummary(of: node)
    return cluster(of: node)
  }
}
