/// Whether the clusters of a view keep account of its points: each is in exactly one, and counts tell the truth.
public struct Conservation: Hashable, Sendable {
  /// Points in the view that no cluster stands for; 0 is right.
  public let missingCount: Int

  /// How often clusters list a point that another one lists already; 0 is right.
  public let repeatedCount: Int

  /// By how much counts on badges differ from the number of points behind them, summed up; 0 is right.
  public let miscountedCount: Int

  public var isExact: Bool { missingCount == 0 && repeatedCount == 0 && miscountedCount == 0 }

  init(of points: ViewPoints, in membership: Membership) {
    missingCount = points.places.reduce(0) { $0 + (membership.owners[$1] < 0 ? 1 : 0) }
    repeatedCount = membership.repeatedCount
    miscountedCount = membership.miscountedCount
  }
}
