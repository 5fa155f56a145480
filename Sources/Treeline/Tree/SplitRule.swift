/// Where along its principal axis a node is split.
public enum SplitRule: UInt32, Hashable, Sendable, CaseIterable {
  /// At the mean of its points: the article's rule.
  case mean = 1
}
