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

  /// Whether its clusters are looked up in something fixed, so that two views have some in common. One that makes them
  /// anew for each view is a yardstick: it takes no part in a journey, and is called best in nothing.
  public let isFixed: Bool

  /// What it shows in a view.
  public struct Answer: Sendable {
    /// In a fixed order.
    public let clusters: [ShownCluster]

    /// The same clusters in the same order, where they are nodes of a tree.
    public let nodes: Clusters?

    public init(_ clusters: [ShownCluster], nodes: Clusters? = nil) {
      self.clusters = clusters
      self.nodes = nodes
    }
  }

  /// What stands for the points in a view: at most as many clusters as the limit says, if the method knows a limit.
  public let answer: @Sendable (_ view: ComparisonView, _ limit: Int) throws -> Answer

  /// How it looks at all views of a journey alike; nil where it does so anyway.
  private let settling: (@Sendable (_ views: [ComparisonView], _ limit: Int) throws -> ClusteringMethod)?

  /// What it shows after another view, where that makes a difference.
  private let continuing:
    (@Sendable (_ view: ComparisonView, _ limit: Int, _ previous: Answer) throws -> Answer)?

  public init(
    name: String, title: String, summary: String, extentMeaning: String? = nil, isFixed: Bool = true,
    settling: (@Sendable (_ views: [ComparisonView], _ limit: Int) throws -> ClusteringMethod)? = nil,
    continuing: (@Sendable (_ view: ComparisonView, _ limit: Int, _ previous: Answer) throws -> Answer)? =
      nil,
    answer: @escaping @Sendable (_ view: ComparisonView, _ limit: Int) throws -> Answer
  ) {
    self.name = name
    self.title = title
    self.summary = summary
    self.extentMeaning = extentMeaning
    self.isFixed = isFixed
    self.settling = settling
    self.continuing = continuing
    self.answer = answer
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
