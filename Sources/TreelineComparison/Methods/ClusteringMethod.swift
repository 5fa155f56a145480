import Treeline

/// A way to cluster that takes part in a comparison: its name, words for the reader, and its answer for a view.
public struct ClusteringMethod: Sendable {
  /// As in JSON and on the terminal, such as `breadth-first`.
  public let name: String

  /// As in a heading: a word or two.
  public let title: String

  /// What it does, in half a sentence that a newcomer understands; begins in lower case, ends without a stop.
  public let summary: String

  /// What the shapes behind its badges are, if it draws any; of the same form.
  public let extentMeaning: String?

  /// The clusters that stand for the points in a view, in a fixed order; at most as many as the limit says, if the
  /// method knows a limit.
  public let clusters: @Sendable (_ view: ComparisonView, _ limit: Int) throws -> [ShownCluster]

  public init(
    name: String, title: String, summary: String, extentMeaning: String? = nil,
    clusters: @escaping @Sendable (_ view: ComparisonView, _ limit: Int) throws -> [ShownCluster]
  ) {
    self.name = name
    self.title = title
    self.summary = summary
    self.extentMeaning = extentMeaning
    self.clusters = clusters
  }
}
