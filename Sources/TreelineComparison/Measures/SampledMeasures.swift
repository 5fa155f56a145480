import GridBaseline
import Treeline

/// How good an answer is, quickly: the measures of a comparison, but what goes by points looks at a sample of them where
/// there are many. So it can be told live, after each move of a map.
///
/// The sample is every so many points in tree order, hence spread over the map as the points are, and the same each time.
public struct SampledMeasures: Hashable, Sendable {
  /// How many clusters are shown, and how many points they stand for.
  public var clusterCount = 0
  public var pointCount = 0

  /// How many points are in view, by the sample; exact where all were looked at.
  public var pointsInView = 0
  /// How many of them were looked at.
  public var sampledPoints = 0

  /// As those of `ClusteringMeasures`.
  public var distortion: Double?
  public var overlap = 0.0
  public var closestPair: Double?
  public var gridLook: Double?
  public var neighbourSpread: Double?
  public var dataDistance: Double?

  /// Those of an answer that shows nothing.
  public static let none = SampledMeasures()

  private init() {}

  /// At most about so many points are looked at.
  private static let sampleSize = 16_384

  /// The measures of a tree's answer for a view.
  ///
  /// - Throws: `IndexError` where a file is damaged.
  /// - Complexity: O(k log n) for k clusters, besides a bounded sample
  public init(of clusters: Clusters, over tree: ClusterTree, in view: ComparisonView) throws {
    let shown = clusters.map { Self.shown(x: $0.meanX, y: $0.meanY, pointCount: $0.pointCount, in: view) }
    try self.init(of: shown, cover: clusters.map(\.range), over: tree, in: view) { cover, _ in cover }
  }

  /// The measures of a grid's answer for a view; its row numbers are places in the order of a tree.
  public init(of cells: [GridCluster], over tree: ClusterTree, in view: ComparisonView) throws {
    let shown = cells.map { Self.shown(x: $0.meanX, y: $0.meanY, pointCount: $0.pointCount, in: view) }
    let side = cells.first?.cell.side ?? 1
    func key(column: UInt32, row: UInt32) -> UInt64 { UInt64(row) << 32 | UInt64(column) }
    let numbers = Dictionary(
      uniqueKeysWithValues: cells.indices.map {
        (key(column: cells[$0].cell.column, row: cells[$0].cell.row), $0)
      })
    let cover = try tree.clusters(.limit(Self.coverSize), in: view.window).map(\.range)
    try self.init(of: shown, cover: cover, over: tree, in: view) { _, point in
      // Columns are counted from longitude -180, wherever the plane begins.
      numbers[
        key(
          column: UInt32(UInt64(point.x &+ tree.plane.seam) / side), row: UInt32(UInt64(point.y) / side))]
    }
  }

  /// How many nodes stand for the points in view where the answer's own do not.
  private static let coverSize = 256

  private static func shown(x: Double, y: Double, pointCount: Int, in view: ComparisonView) -> ShownCluster {
    ShownCluster(at: view.pixel(x: x, y: y), pointCount: pointCount, places: { [] })
  }

  /// - Parameters:
  ///   - cover: Places in tree order, among them those of all points in view.
  ///   - owner: The cluster that a point in view belongs to, given which range of the cover it is in.
  private init(
    of shown: [ShownCluster], cover: [Range<Int>], over tree: ClusterTree, in view: ComparisonView,
    owner: (_ cover: Int, PlanePoint) -> Int?
  ) throws {
    let index = PixelIndex(shown.map(\.position))
    let look = GridLook(shown, index)
    clusterCount = shown.count
    pointCount = shown.reduce(0) { $0 + $1.pointCount }
    overlap = ClusteringMeasures.overlap(shown, index)
    closestPair = ClusteringMeasures.closestPair(shown, index)
    gridLook = look.axisShare
    neighbourSpread = look.neighbourSpread
    dataDistance = try ClusteringMeasures.dataDistance(shown, in: view, of: tree)

    let covered = cover.reduce(0) { $0 + $1.count }
    let step = max(1, covered / Self.sampleSize)
    var sum = 0.0
    for (number, range) in cover.enumerated() {
      for place in stride(from: (range.lowerBound + step - 1) / step * step, to: range.upperBound, by: step) {
        let point = tree.position(atTreeIndex: place)
        guard view.window.contains(point), let owner = owner(number, point) else { continue }
        let (position, badge) = (view.pixel(of: point), shown[owner].position)
        // In a picture of the whole world a cluster may stand on the other side of it from some of its points.
        let dx = min(abs(position.x - badge.x), abs(view.turn - abs(position.x - badge.x)))
        let dy = position.y - badge.y
        sum += dx * dx + dy * dy
        sampledPoints += 1
      }
    }
    pointsInView = min(sampledPoints * step, covered)
    distortion = sampledPoints > 0 ? (sum / Double(sampledPoints)).squareRoot() : nil
  }
}
