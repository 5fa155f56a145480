/// Points that one cluster of an answer has in common with one of the next.
public struct Flow: Hashable, Sendable {
  /// Which clusters, by their places in the two answers.
  public let from: Int
  public let to: Int

  /// How many points; 1 or more.
  public let pointCount: Int

  /// How the two clusters lie to each other.
  public let kind: Kind

  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Both are the same points.
    case kept
    /// The second is a part of the first.
    case split
    /// The first is a part of the second.
    case merged
    /// Each has points that the other has not. It cannot be drawn as one badge giving way to others.
    case torn
  }

  init(from: Int, to: Int, pointCount: Int, of fromCount: Int, _ toCount: Int) {
    self.from = from
    self.to = to
    self.pointCount = pointCount
    kind =
      switch (pointCount == fromCount, pointCount == toCount) {
      case (true, true): .kept
      case (false, true): .split
      case (true, false): .merged
      case (false, false): .torn
      }
  }
}
