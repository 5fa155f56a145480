import GridBaseline
@_spi(Server) import Treeline

/// The measures of a report, computed fast enough to show them after each move of a map. If there are many points,
/// only every n-th point in tree order is read.
@_spi(Server) public struct SampledMeasures: Hashable, Sendable {
  public private(set) var clusterCount = 0
  /// Total number of points in the clusters.
  public private(set) var pointCount = 0
  /// Number of points in view: exact if all points were read, otherwise estimated from the sample.
  public private(set) var pointsInView = 0
  /// Number of sampled points.
  public private(set) var sampledPoints = 0

  /// Values of the measures, as in a report.
  public private(set) var distortion: Double?
  public private(set) var overlap = 0.0
  public private(set) var closestPair: Double?
  public private(set) var axisShare: Double?
  public private(set) var neighbourSpread: Double?
  public private(set) var dataDistance: Double?

  /// The measures of an answer without clusters.
  public static let none = SampledMeasures()

  private init() {}

  /// Approximate maximum number of sampled points.
  private static let sampleSize = 16_384
  /// Number of nodes that cover the points in view. Needed only if the clusters of the answer are not nodes.
  private static let coverSize = 256

  /// Computes the measures of the clusters that a tree has in a view.
  ///
  /// - Throws: `IndexError` if the index is damaged.
  /// - Complexity: O(k log n) for k clusters, plus the time to read a sample of bounded size.
  public init(of clusters: Clusters, cut: Cut, over tree: ClusterTree, in view: ComparisonView) throws {
    let shown = clusters.map { cluster in
      var shown = Self.shown(x: cluster.x, y: cluster.y, pointCount: cluster.pointCount, in: view)
      shown.badgeDiameter = tree.badgeDiameter(of: cluster, for: cut)
      return shown
    }
    try self.init(of: shown, cover: clusters.map(tree.members), over: tree, in: view) { cover, _ in cover }
  }

  /// Computes the measures of the clusters that a grid has in a view. The grid must use the tree indices of the points
  /// as their row numbers.
  public init(of cells: [GridCluster], over tree: ClusterTree, in view: ComparisonView) throws {
    let shown = cells.map { Self.shown(x: $0.meanX, y: $0.meanY, pointCount: $0.pointCount, in: view) }
    let side = cells.first?.cell.side ?? 1
    let numbers = Dictionary(uniqueKeysWithValues: cells.enumerated().map { (SIMD2($1.cell.column, $1.cell.row), $0) })
    let cover = try tree.clusters(.limit(Self.coverSize), in: view.window).map(tree.members)
    try self.init(of: shown, cover: cover, over: tree, in: view) { _, point in
      // Columns of cells are counted from longitude -180, not from the seam (the meridian where the plane begins).
      numbers[SIMD2(UInt32(UInt64(point.x &+ tree.plane.seam) / side), UInt32(UInt64(point.y) / side))]
    }
  }

  private static func shown(x: Double, y: Double, pointCount: Int, in view: ComparisonView) -> ShownCluster {
    ShownCluster(position: view.pixel(x: x, y: y), pointCount: pointCount, treeIndices: { [] })
  }

  /// - Parameters:
  ///   - cover: The points of some nodes, among them all points in view. With a filter, only points that pass it.
  ///   - owner: Returns the cluster of a point in view. The first argument is the index in `cover` at which the point
  ///     occurs.
  private init(
    of shown: [ShownCluster], cover: [RowNumbers], over tree: ClusterTree, in view: ComparisonView,
    owner: (_ cover: Int, PlanePoint) -> Int?
  ) throws {
    let covered = cover.reduce(0) { $0 + $1.count }
    let step = max(1, covered / Self.sampleSize)
    var sampled = Distortion(in: view)
    var next = 0
    for (number, members) in cover.enumerated() {
      for position in stride(from: next, to: members.count, by: step) {
        next = position + step
        let point = tree.position(atTreeIndex: members.treeIndex(at: position))
        guard view.window.contains(point), let owner = owner(number, point) else { continue }
        sampled.add(view.pixel(of: point), shownAt: shown[owner].position)
      }
      next -= members.count
    }
    sampledPoints = sampled.pointCount
    pointsInView = min(sampledPoints * step, covered)

    let measured = MeasuredView(shown, limit: shown.count, in: view, of: tree, distortion: sampled.rootMeanSquare)
    clusterCount = shown.count
    pointCount = shown.reduce(0) { $0 + $1.pointCount }
    distortion = measured.distortion
    overlap = measured.badges.overlap(of: shown)
    closestPair = measured.neighbours.least
    axisShare = measured.neighbours.axisShare
    neighbourSpread = measured.neighbours.spread
    dataDistance = try ViewMeasure.dataDistance.formula(measured)
  }
}
