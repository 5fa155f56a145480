import Foundation
import GridBaseline
@_spi(Server) import Treeline

/// A clustering method of a comparison: its name, its texts and its answers.
package struct ClusteringMethod: Sendable {
  /// Name in JSON and in the terminal, such as `breadth-first`. The name needs no escapes in JSON.
  let name: String
  /// Heading of one or two words.
  let title: String
  /// Half a sentence that describes the method to newcomers, in lower case and without a period.
  let summary: String
  /// The meaning of the shapes behind badges, worded like `summary`; nil if there are no shapes.
  var extentMeaning: String?

  /// Whether the clusters exist before a view is chosen, so that different views may share clusters. If false, the
  /// method computes new clusters for each view. Such a method is only a yardstick: it takes no part in journeys and
  /// is never called best.
  var isFixed = true

  /// Returns this method with the same detail in all views of a journey. With this detail, the views have at most
  /// `limit` clusters on average. Needed only if the method would otherwise choose a different detail for each view.
  var settling: (@Sendable (_ views: [ComparisonView], _ limit: Int) throws -> ClusteringMethod)?

  /// Returns the clusters of a view. Their number is at most `limit`, if the method has a limit. During a journey,
  /// `previous` is the answer for the previous view.
  let answer: @Sendable (_ view: ComparisonView, _ limit: Int, _ previous: Answer?) throws -> Answer

  struct Answer: Sendable {
    /// Clusters in a fixed order.
    let clusters: [ShownCluster]
    /// The tree nodes that `clusters` shows, in the same order; nil if the clusters are not nodes of a tree.
    var nodes: Clusters?
  }

  /// Returns the answers for views that are shown one after another.
  func answers(to views: [ComparisonView], limit: Int) throws -> [Answer] {
    try views.reduce(into: []) { answers, view in answers.append(try answer(view, limit, answers.last)) }
  }
}

/// A cluster that a method shows in a view.
struct ShownCluster: Sendable {
  /// Middle of the badge in pixels of the view. The middle may lie outside the picture, because the cluster may also
  /// have points outside the picture.
  let position: PixelPoint
  /// Count on the badge, at least 1. The count includes points outside the view.
  let pointCount: Int
  /// Diameter of the badge in pixels, if the method sets the diameter; nil to use the curve of `BadgeSize`.
  var badgeDiameter: Double?
  /// Area that the points cover, if the method knows the area.
  var extent: Extent?
  /// Returns the tree indices of the points, in any order.
  let treeIndices: @Sendable () -> [Int]

  /// Diameter of the badge in pixels, both in pictures and when the overlap of badges is measured.
  var diameter: Double { badgeDiameter ?? BadgeSize.diameter(pointCount: pointCount) }

  /// A shape behind a badge, in pixels of the view.
  enum Extent: Hashable, Sendable {
    /// The ellipse of one standard deviation. `angle` is the direction of the longer axis, in degrees clockwise from
    /// the x axis.
    case ellipse(semiMajor: Double, semiMinor: Double, angle: Double)
    case box(x: Double, y: Double, width: Double, height: Double)
  }
}

/// Returns the direction of a vector in degrees, from -180 to 180, clockwise from the x axis if y points down.
func degrees(x: Double, y: Double) -> Double { atan2(y, x) * (180 / .pi) }

extension ClusteringMethod {
  /// Returns a grid without a limit: one cluster for each occupied cell, shown at the mean of its points.
  static func grid(_ grid: Grid, cellSize: CellSize = .pixels(64)) -> ClusteringMethod {
    let width =
      switch cellSize {
      case .pixels(let pixels): "\(shortest(pixels)) px wide"
      case .published: "88 to 16 px wide, depending on the zoom"
      }
    return ClusteringMethod(
      name: "grid", title: "Grid", summary: "one badge for each occupied square of a fixed grid with squares \(width)",
      extentMeaning: "squares show the cells"
    ) { view, _, _ in Answer(clusters: try grid.shownClusters(in: view, cellSize: cellSize)) }
  }
}

extension Grid {
  func clusterCount(in view: ComparisonView, cellSize: CellSize) throws -> Int {
    try clusters(in: view.window, cellSize: cellSize, zoom: view.zoom).count
  }

  func shownClusters(in view: ComparisonView, cellSize: CellSize) throws -> [ShownCluster] {
    try clusters(in: view.window, cellSize: cellSize, zoom: view.zoom).map { cluster in
      ShownCluster(
        position: view.pixel(x: cluster.meanX, y: cluster.meanY), pointCount: cluster.pointCount,
        extent: .cell(window(of: cluster.cell), in: view), treeIndices: { members(of: cluster) })
    }
  }
}

extension ShownCluster.Extent {
  fileprivate static func cell(_ cell: PlaneWindow, in view: ComparisonView) -> Self {
    let (width, height) = (Double(cell.width) + 1, Double(cell.maxY - cell.minY) + 1)
    let units = view.unitsPerPixel
    // The map repeats sideways, so a cell could be drawn at either side of the picture. The middle of the cell decides
    // the side. So a cell at the edge is on the same side as its badge.
    let middle = view.pixel(x: Double(cell.x) + width / 2, y: Double(cell.minY) + height / 2)
    return .box(
      x: middle.x - width / 2 / units, y: middle.y - height / 2 / units, width: width / units, height: height / units)
  }
}

/// Divides positions into clusters by k-means. Returns the cluster of each position, as a number below `count`. Some
/// numbers may be unused, for example if there are fewer positions than `count`.
package typealias KMeans = @Sendable (_ positions: [PixelPoint], _ count: Int) throws -> [Int]

extension ClusteringMethod {
  /// Returns a method that clusters the points of each view separately. Its distortion is close to the least possible
  /// distortion.
  package static func kMeans(_ kMeans: @escaping KMeans, of tree: ClusterTree) -> ClusteringMethod {
    ClusteringMethod(
      name: "k-means", title: "k-means",
      summary: "groups that k-means computes for this view alone", isFixed: false
    ) { view, limit, _ in Answer(clusters: try ViewPoints(of: tree, in: view).clusters(count: limit, by: kMeans)) }
  }
}

extension ViewPoints {
  /// Returns at most `count` clusters. Each cluster is shown at the mean of its points.
  func clusters(count: Int, by kMeans: KMeans) throws -> [ShownCluster] {
    let labels = try kMeans(positions, count)
    precondition(
      labels.count == self.count && labels.allSatisfy { 0..<count ~= $0 },
      "Expected k-means to return \(self.count) cluster numbers below \(count), found \(labels.count) numbers")
    var members = [[Int]](repeating: [], count: count)
    for (index, label) in labels.enumerated() { members[label].append(index) }
    return members.filter { !$0.isEmpty }.map { members in
      let sum = members.reduce(PixelPoint.zero) { $0 + positions[$1] }
      return ShownCluster(
        position: sum / Double(members.count), pointCount: members.count,
        treeIndices: { members.map { treeIndices[$0] } })
    }
  }
}
