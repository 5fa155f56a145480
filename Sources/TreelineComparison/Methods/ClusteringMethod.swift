import Foundation
import Treeline

/// A way to cluster that takes part in a comparison: its name, words for the reader, and its answer for a view.
package struct ClusteringMethod: Sendable {
  /// As in JSON and on the terminal, such as `breadth-first`; no quotation mark, backslash or control character.
  let name: String

  /// As in a heading: a word or two.
  let title: String

  /// What it does, in half a sentence that a newcomer understands; begins in lower case, ends without a stop.
  let summary: String

  /// What the shapes behind its badges are, if it draws any; of the same form.
  var extentMeaning: String?

  /// Whether its clusters are looked up in something fixed, so that two views have some in common. One that makes them
  /// anew for each view is a yardstick: it takes no part in a journey, and is called best in nothing.
  var isFixed = true

  /// How it looks at all views of a journey alike; nil where it does so anyway.
  var settling: (@Sendable (_ views: [ComparisonView], _ limit: Int) throws -> ClusteringMethod)?

  /// What it shows after another view, where that makes a difference.
  var continuing: (@Sendable (_ view: ComparisonView, _ limit: Int, _ previous: Answer) throws -> Answer)?

  /// What stands for the points in a view: at most as many clusters as the limit says, if the method knows a limit.
  let answer: @Sendable (_ view: ComparisonView, _ limit: Int) throws -> Answer

  /// What it shows in a view.
  struct Answer: Sendable {
    /// In a fixed order.
    let clusters: [ShownCluster]

    /// The same clusters in the same order, where they are nodes of a tree.
    let nodes: Clusters?

    init(_ clusters: [ShownCluster], nodes: Clusters? = nil) {
      self.clusters = clusters
      self.nodes = nodes
    }
  }

  /// The method as it looks at all of some views: one that chooses its detail for each view chooses one for all, at
  /// which it shows at most `limit` clusters in the mean.
  func settled(for views: [ComparisonView], limit: Int) throws -> ClusteringMethod {
    try settling?(views, limit) ?? self
  }

  /// What it shows in views that are looked at one after the other.
  func answers(to views: [ComparisonView], limit: Int) throws -> [Answer] {
    try views.reduce(into: []) { answers, view in
      if let continuing, let previous = answers.last {
        answers.append(try continuing(view, limit, previous))
      } else {
        answers.append(try answer(view, limit))
      }
    }
  }
}

/// A cluster as any method shows it in a view. Measures and pictures know nothing else about a method.
struct ShownCluster: Sendable {
  /// Where its badge is centred, in pixels of the view; may lie off the picture where its points reach beyond it.
  let position: PixelPoint

  /// How many points it says it stands for, inside the view and outside; 1 or more.
  let pointCount: Int

  /// What its points cover, if the method knows.
  let extent: Extent?

  /// The indices of its points in tree order, in any order.
  let treeIndices: @Sendable () -> [Int]

  /// What is drawn behind a badge, in pixels of the view.
  enum Extent: Hashable, Sendable {
    /// The one-sigma ellipse; `angle` is that of the longer axis in degrees, clockwise from the x axis.
    case ellipse(semiMajor: Double, semiMinor: Double, angle: Double)
    case box(x: Double, y: Double, width: Double, height: Double)
  }

  init(at position: PixelPoint, pointCount: Int, extent: Extent? = nil, treeIndices: @escaping @Sendable () -> [Int]) {
    self.position = position
    self.pointCount = pointCount
    self.extent = extent
    self.treeIndices = treeIndices
  }
}

/// The direction of a vector in degrees, from -180 to 180, clockwise from x where y points down.
func degrees(x: Double, y: Double) -> Double { atan2(y, x) * (180 / .pi) }
