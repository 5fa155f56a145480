import Foundation
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

  /// What stands for the points in a view: at most as many clusters as the limit says, if the method knows a limit. On a
  /// journey it is told its answer for the view before.
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
  /// What its points cover, if the method knows.
  var extent: Extent?
  /// The indices of its points in tree order, in any order.
  let treeIndices: @Sendable () -> [Int]

  /// What is drawn behind a badge, in pixels of the view.
  enum Extent: Hashable, Sendable {
    /// The one-sigma ellipse; `angle` is that of the longer axis in degrees, clockwise from the x axis.
    case ellipse(semiMajor: Double, semiMinor: Double, angle: Double)
    case box(x: Double, y: Double, width: Double, height: Double)
  }
}

/// The direction of a vector in degrees, from -180 to 180, clockwise from x where y points down.
func degrees(x: Double, y: Double) -> Double { atan2(y, x) * (180 / .pi) }
