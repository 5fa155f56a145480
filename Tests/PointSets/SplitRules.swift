import Treeline

extension SplitRule {
  /// Every kind, and of gamma both ends, both sides of 1 and powers of one and of many roots.
  public static let tested: [SplitRule] =
    examples.filter { $0.kind != .gamma } + [0, 0.5, 1, 1.5, 1.875, 2, 3, 4].map { .gamma($0) }

  /// One of each kind, for tests that take their time.
  public static let few = examples
}
