import Foundation
import GridBaseline
import Treeline

/// A way to cluster that takes part in a comparison: its name, words for the reader, and its answer for a view.
package struct ClusteringMethod: Sendable {
  /// As in JSON and on the terminal, such as `breadth-first`; JSON does not escape it.
  let name: String
  /// As in a heading: a word or two.
  let title: String
  /// What it does, in half a sentence that a newcomer understands; begins in lower case, ends without a stop.
  let summary: String
  /// What the shapes behind its badges are, if it draws any; of the same form.
  var extentMeaning: String?

  /// Whether two views have clusters in common. A method that makes them anew for each view is a yardstick: it takes no
  /// part in a journey, and is called best in nothing.
  var isFixed = true

  /// The method with one detail for all views of a journey, at which it shows at most `limit` clusters in the mean; nil
  /// where it chooses none for each.
  var settling: (@Sendable (_ views: [ComparisonView], _ limit: Int) throws -> ClusteringMethod)?

  /// What stands for the points in a view: at most as many clusters as the limit says, if the method knows a limit.
  /// On a journey it is told its answer for the view before.
  let answer: @Sendable (_ view: ComparisonView, _ limit: Int, _ previous: Answer?) throws -> Answer

  struct Answer: Sendable {
    /// In a fixed order.
    let clusters: [ShownCluster]
    /// The same clusters in the same order, where they are nodes of a tree.
    var nodes: Clusters?
  }

  /// What it shows in views that are looked at one after the other.
  func answers(to views: [ComparisonView], limit: Int) throws -> [Answer] {
    try views.reduce(into: []) { answers, view in answers.append(try answer(view, limit, answers.last)) }
  }
}

/// A cluster as any method shows it in a view.
struct ShownCluster: Sendable {
  /// Where its badge is centred, in pixels of the view; may lie off the picture where its points reach beyond it.
  let position: PixelPoint
  /// How many points it says it stands for, inside the view and outside; 1 or more.
  let pointCount: Int
  /// With what diameter its badge is drawn, in pixels, if the method knows; else that of the curve of `BadgeSize`.
  var badgeDiameter: Double?
  /// What its points cover, if the method knows.
  var extent: Extent?
  /// The indices of its points in tree order, in any order.
  let treeIndices: @Sendable () -> [Int]

  /// With what diameter its badge is drawn and measured, in pixels.
  var diameter: Double { badgeDiameter ?? BadgeSize.diameter(pointCount: pointCount) }

  /// What is drawn behind a badge, in pixels of the view.
  enum Extent: Hashable, Sendable {
    /// The one-sigma ellipse; `angle` is that of the longer axis in degrees, clockwise from the x axis.
    case ellipse(semiMajor: Double, semiMinor: Double, angle: Double)
    case box(x: Double, y: Double, width: Double, height: Double)
  }
}

/// The direction of a vector in degrees, from -180 to 180, clockwise from x where y points down.
func degrees(x: Double, y: Double) -> Double { atan2(y, x) * (180 / .pi) }

extension ClusteringMethod {
  /// One cluster for each occupied cell of a grid, shown at the mean of its points. It knows no limit.
  package static func grid(_ grid: Grid, cellSize: CellSize = .pixels(64)) -> ClusteringMethod {
    let width =
      switch cellSize {
      case .pixels(let pixels): "\(shortest(pixels)) px wide"
      case .published: "as wide as published for each zoom"
      }
    return ClusteringMethod(
      name: "grid", title: "Grid", summary: "one badge per occupied square of a fixed grid, \(width)",
      extentMeaning: "squares show the cells"
    ) { view, _, _ in Answer(clusters: try grid.shownClusters(in: view, cellSize: cellSize)) }
  }
}

extension Grid {
  /// The grid over the points of a tree; its row numbers are indices in tree order.
  ///
  /// - Complexity: O(points)
  @_spi(Server) public init(over tree: ClusterTree) { self.init(tree.positions, on: tree.plane) }

  func clusterCount(in view: ComparisonView, cellSize: CellSize) throws(GridError) -> Int {
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
    // By its middle, so that a cell on the edge comes out on the same side as its badge.
    let middle = view.pixel(x: Double(cell.x) + width / 2, y: Double(cell.minY) + height / 2)
    return .box(
      x: middle.x - width / 2 / units, y: middle.y - height / 2 / units, width: width / units, height: height / units)
  }
}

/// Parts positions into clusters by k-means: for each position the number of its cluster, from 0 on and below `count`.
/// Some numbers may be left out, as where there are fewer positions than clusters.
package typealias KMeans = @Sendable (_ positions: [PixelPoint], _ count: Int) throws -> [Int]

extension ClusteringMethod {
  /// The clusters of the points in a view, made for that view alone: a yardstick of what is possible.
  package static func kMeans(_ kMeans: @escaping KMeans, of tree: ClusterTree) -> ClusteringMethod {
    ClusteringMethod(
      name: "k-means", title: "k-means",
      summary: "groups made anew for this view alone, as near to their points as a search finds them", isFixed: false
    ) { view, limit, _ in Answer(clusters: try ViewPoints(of: tree, in: view).clusters(count: limit, by: kMeans)) }
  }
}

extension ViewPoints {
  /// At most so many clusters, each shown at its mean.
  func clusters(count: Int, by kMeans: KMeans) throws -> [ShownCluster] {
    let labels = try kMeans(positions, count)
    precondition(
      labels.count == self.count && labels.allSatisfy { 0..<count ~= $0 },
      "Expected \(self.count) numbers below \(count), found \(labels.count) numbers")
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
