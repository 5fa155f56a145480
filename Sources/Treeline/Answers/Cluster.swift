/// A node of the tree as shown on a map: one point, or several points that are shown as one.
public struct Cluster: Sendable, Identifiable {
  public let id: ClusterID

  /// The cluster's points, as a range of indices in tree order. Under a filter, the range may contain points that fail
  /// the filter and do not belong to the cluster. The ranges of two clusters of one tree are nested or disjoint.
  package let range: Range<Int>

  /// The number of points, including points out of view; under a filter, the number of points that pass.
  public let pointCount: Int

  /// The row number of the cluster's point; nil if the cluster has several points.
  public let row: Int?

  /// The tree index of the cluster's point; nil if the cluster has several points.
  package let treeIndex: Int?

  /// The tree index of the point at which the cluster is anchored; nil if the cluster is at a mean.
  let anchorIndex: Int?

  /// The x of the cluster's position, in units of the plane.
  package let x: Double
  /// The y of the cluster's position, in units of the plane. y grows southwards.
  package let y: Double

  /// The mean x of the cluster's points, in units of the plane.
  package let meanX: Double
  /// The mean y of the cluster's points, in units of the plane. y grows southwards.
  package let meanY: Double

  /// The smallest box around the cluster's points, on the plane.
  ///
  /// - Complexity: O(1) without a filter. In a filtered tree of n points, the box of the first cluster costs O(n), and
  ///   the box of each later cluster costs O(log n).
  package var rect: PlaneRect { part?.summary.box ?? rectOfAll }

  /// The plane on which the cluster lies.
  package let plane: Plane

  package var spread: NodeSpread { part?.summary.spread ?? spreadOfAll }

  /// The box around all points of the node, including points that fail the filter.
  private let rectOfAll: PlaneRect
  /// The covariance of all points of the node, including points that fail the filter.
  private let spreadOfAll: NodeSpread

  /// The points of the node that pass the filter; nil if all points of the node pass.
  private let part: PassingPart?

  /// - Parameters:
  ///   - node: The node of the tree that the cluster shows.
  ///   - anchor: The position of the cluster.
  ///   - anchorIndex: The tree index of the point at this position; nil if the position is a mean.
  ///   - rect: The box around all points of the node.
  ///   - spread: The covariance of all points of the node.
  ///   - part: The points of the node that pass the filter; nil if all points of the node pass.
  @inline(__always) fileprivate init(
    of node: Node, on plane: Plane, anchoredAt anchor: (x: Double, y: Double), anchorIndex: Int?,
    mean: (x: Double, y: Double), count: Int, treeIndex: Int?, row: Int?, rect: PlaneRect, spread: NodeSpread,
    part: PassingPart?
  ) {
    (id, range, pointCount, self.row, self.treeIndex) = (node.id, node.range, count, row, treeIndex)
    (self.anchorIndex, x, y, meanX, meanY, self.plane) = (anchorIndex, anchor.x, anchor.y, mean.x, mean.y, plane)
    (rectOfAll, spreadOfAll, self.part) = (rect, spread, part)
  }

  /// The position of the cluster: the mean of the positions of its points. In a tree with `ClusterAnchor.member`, it
  /// is the position of one of the points. Under a filter, the position depends on the cut with which the cluster was
  /// queried. With a cut by spacing or by badges, the cluster keeps the position that it has without the filter. With
  /// any other cut, the position is the mean of the points that pass.
  public var coordinate: Coordinate { plane.coordinate(x: x, y: y) }

  /// The mean position of the cluster's points. Under a filter, it is the mean position of the points that pass.
  public var mean: Coordinate { plane.coordinate(x: meanX, y: meanY) }

  /// The smallest box around the cluster's points.
  public var bounds: BoundingBox { plane.boundingBox(of: rect) }

  /// Whether the cluster consists of several points at one position. No zoom separates such points.
  public var isStack: Bool { pointCount > 1 && rect.isPoint }

  /// Returns the root mean square distance of the cluster's points to their mean, in pixels.
  ///
  /// - Parameters:
  ///   - zoom: The zoom of the map, which may be fractional.
  ///   - tileSize: The size of the tiles to which the zoom refers.
  public func radius(inPixelsAt zoom: Double, tileSize: Viewport.TileSize = .pixels256) -> Double {
    planeRadius / Plane.unitsPerPixel(zoom: zoom + tileSize.zoomOffset)
  }

  /// The root mean square distance of the cluster's points to their mean, in plane units.
  package var planeRadius: Double { spread.trace.squareRoot() }

  /// The ellipse that shows how far and in which direction the cluster's points spread.
  package var ellipse: Ellipse { Ellipse(covariance: spread) }

  /// Returns whether `other` lies strictly below this cluster in the tree.
  ///
  /// - Precondition: Both clusters belong to one tree.
  package func isAncestor(of other: Cluster) -> Bool {
    range.count > other.range.count && range.lowerBound <= other.range.lowerBound
      && other.range.upperBound <= range.upperBound
  }
}

/// The points of a node that pass a filter. Properties that are seldom needed are computed on demand.
private struct PassingPart: Sendable {
  let selection: Selection
  let node: Node

  var summary: NodeSummary { selection.points.summary(of: node, in: selection.storage) }
}

extension Cluster: CustomStringConvertible {
  /// The number of points and the position, such as `12 points at (2.35, 48.86)`. A single point is described by its
  /// row and its position.
  public var description: String {
    let coordinate = coordinate
    func rounded(_ degrees: Double) -> Double { (degrees * 1e5).rounded() / 1e5 }
    return pointCount == 1
      ? "row \(row!) at (\(rounded(coordinate.longitude)), \(rounded(coordinate.latitude)))"
      : "\(pointCount) points at (\(rounded(coordinate.longitude)), \(rounded(coordinate.latitude)))"
  }
}

extension Cluster: Hashable {
  public static func == (a: Cluster, b: Cluster) -> Bool {
    a.id == b.id && a.range == b.range && a.pointCount == b.pointCount && a.rect == b.rect && a.row == b.row
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The id of a cluster, which identifies a node of the tree.
///
/// A node is determined by its level, which is 0 for the root, and by its first point in tree order. The index of this
/// point and the level are stored in one number. The number is below 2^53, so JSON and JavaScript represent it
/// exactly. In one tree, an id identifies the same cluster for every viewport, limit and zoom. The id is valid only
/// for this tree. If a point is added and the tree is built again, many ids identify another cluster or no cluster.
/// Ids sort in tree order, with an ancestor before its descendants.
public struct ClusterID: Hashable, Sendable, RawRepresentable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }

  init(first: UInt32, level: Int) { rawValue = UInt64(first) << Self.levelBits | UInt64(level) }

  static let levelBits: UInt64 = 10
  var first: UInt64 { rawValue >> Self.levelBits }
  var level: Int { Int(rawValue & (1 << Self.levelBits - 1)) }
}

extension ClusterID: Comparable {
  public static func < (a: ClusterID, b: ClusterID) -> Bool { a.rawValue < b.rawValue }
}

extension ClusterID: CustomStringConvertible { public var description: String { String(rawValue) } }

/// The one-sigma ellipse of a cluster's points. Its half-axes are the standard deviations along the two principal
/// axes.
///
/// If the ellipse is drawn at twice its size, it contains most points of an evenly spread cluster. Points along a
/// railway have a long, narrow ellipse in the direction of the railway.
package struct Ellipse: Hashable, Sendable {
  /// The standard deviation along the longer principal axis, in plane units.
  package let semiMajor: Double
  /// The standard deviation along the shorter principal axis, in plane units.
  package let semiMinor: Double

  /// The x of a unit vector along the longer axis, on the plane, where x grows eastwards. This x is not negative.
  package let axisX: Double
  /// The y of the unit vector along the longer axis, on the plane, where y grows southwards.
  package let axisY: Double

  init(covariance: NodeSpread) {
    var (xx, xy, yy) = (Double(covariance.xx), Double(covariance.xy), Double(covariance.yy))
    // A damaged index may have any numbers.
    if !(xx.isFinite && xy.isFinite && yy.isFinite) { (xx, xy, yy) = (0, 0, 0) }
    let mean = (xx + yy) / 2
    let half = (xx - yy) / 2
    let radius = (half * half + xy * xy).squareRoot()
    // No deviation exceeds the side of the plane, except in a damaged index.
    semiMajor = min(max(mean + radius, 0).squareRoot(), 0x1p32)
    semiMinor = min(max(mean - radius, 0).squareRoot(), 0x1p32)
    // The angle from the x axis to the vector (`half`, `xy`) is twice the angle to the longer axis. The unit vector is
    // computed from the cosine of the double angle with square roots only, because trigonometric functions would need
    // the C library.
    let cosine = radius > 0 ? half / radius : 1
    axisX = ((1 + cosine) / 2).squareRoot()
    axisY = radius > 0 ? ((1 - cosine) / 2).squareRoot() * (xy < 0 ? -1 : 1) : 0
  }
}

extension ClusterTree {
  /// Returns the cluster of a node.
  ///
  /// - Parameter isAnchored: Whether the cluster keeps the position that it has without a filter. If not, and the tree
  ///   has a filter, the cluster is at the mean of its points that pass, even if all points of the tree pass.
  /// - Precondition: `storage.checkSummary(of: node)` succeeds, and at least one point of the node passes the filter.
  @inline(__always) func cluster(of node: Node, isAnchored: Bool = false) -> Cluster {
    guard let selection else { return cluster(of: node, AllPoints(), isAnchored: isAnchored || !isFiltered) }
    defer { withExtendedLifetime(selection) {} }
    return cluster(of: node, selection.points, isAnchored: isAnchored)
  }

  /// Returns the position of a node's cluster, in units of the plane, without making the cluster.
  ///
  /// - Precondition: As for `cluster(of:isAnchored:)`.
  @inline(__always) func anchor(of node: Node, isAnchored: Bool, in storage: TreeStorage) -> (x: Double, y: Double) {
    if isAnchored || !isFiltered { return storage.anchor(of: node) }
    return selection?.points.mean(of: node, in: storage) ?? storage.mean(of: node)
  }

  @inline(__always) private func cluster(of node: Node, _ counted: some CountedPoints, isAnchored: Bool) -> Cluster {
    withStorage { storage in
      let count = counted.count(of: node)
      let treeIndex = count == 1 ? counted.firstIndex(of: node) : nil
      let row = treeIndex.map { storage.rows[$0] }
      let index = isAnchored ? storage.anchorIndex(of: node) : nil
      let anchor = index.map { (x: Double(storage.points[$0].x), y: Double(storage.points[$0].y)) }
      if let selection, count < Int(node.count), count > 0 {
        let mean = counted.meanOfPart(of: node, count: count, in: storage)
        return Cluster(
          of: node, on: plane, anchoredAt: anchor ?? (isAnchored ? storage.anchor(of: node) : mean),
          anchorIndex: index, mean: mean, count: count, treeIndex: treeIndex, row: row,
          rect: storage.nodes[Int(node.record)].box, spread: NodeSpread(xx: 0, xy: 0, yy: 0),
          part: PassingPart(selection: selection, node: node))
      }
      let summary = AllPoints().summary(of: node, in: storage)
      let mean = summary.mean
      return Cluster(
        of: node, on: plane, anchoredAt: anchor ?? mean, anchorIndex: index, mean: mean, count: count,
        treeIndex: treeIndex, row: row, rect: summary.box, spread: summary.spread, part: nil)
    }
  }

  /// Checks the stored summary of a node, then returns the node's cluster.
  func checkedCluster(of node: Node) throws(IndexError) -> Cluster {
    try withStorage { storage throws(IndexError) in
      try storage.checkSummary(of: node)
      return cluster(of: node)
    }
  }
}

/// The clusters of an answer, in tree order.
///
/// An answer is a cut through the tree. The answer stores only the nodes of its clusters, with 16 bytes for each node.
/// All other properties of a cluster are computed on access. The changes between two answers are found without these
/// other properties.
public struct Clusters: RandomAccessCollection, Sendable {
  package let tree: ClusterTree
  var nodes: [Node]
  /// Whether the clusters keep the positions that they have without a filter.
  let isAnchored: Bool

  init(tree: ClusterTree, nodes: [Node], isAnchored: Bool = false) {
    (self.tree, self.nodes, self.isAnchored) = (tree, nodes, isAnchored)
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { nodes.count }

  /// - Complexity: O(1). For clusters of up to 16 points, the mean and the spread are computed at each access.
  public subscript(position: Int) -> Cluster {
    tree.withStorage { _ in tree.cluster(of: nodes[position], isAnchored: isAnchored) }
  }

  /// Returns the index, within the answer, of the cluster that contains a point; nil if no cluster contains the point.
  /// With this index, a client can mark the cluster of a selected point in every new answer.
  ///
  /// - Parameter treeIndex: The index of the point in tree order.
  /// - Complexity: O(log k) for an answer of k clusters.
  package func firstIndex(containingTreeIndex treeIndex: Int) -> Int? {
    let index = Treeline.firstIndex(in: 0..<nodes.count) { nodes[$0].range.upperBound > treeIndex }
    return index < nodes.count && nodes[index].range.contains(treeIndex) ? index : nil
  }

  /// Returns the clusters of the answer that satisfy a condition.
  package func filtered(by isIncluded: (Cluster) -> Bool) -> Clusters { with(nodes.filter { isIncluded(self[$0]) }) }

  /// Returns an answer that consists of the given nodes of this tree. The value of `isAnchored` is copied from this
  /// answer.
  func with(_ nodes: [Node]) -> Clusters { Clusters(tree: tree, nodes: nodes, isAnchored: isAnchored) }

  /// The cluster of a node of the answer.
  subscript(node: Node) -> Cluster { tree.cluster(of: node, isAnchored: isAnchored) }

  func isOf(_ storage: TreeStorage) -> Bool { tree.withStorage { $0 === storage } }
}

extension Clusters: Equatable { public static func == (a: Clusters, b: Clusters) -> Bool { a.elementsEqual(b) } }
