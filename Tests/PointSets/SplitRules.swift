import Treeline

extension SplitRule {
  /// Every kind of rule; for gamma both ends, both sides of 1, and powers with one root and with many.
  public static let tested: [SplitRule] =
    examples.filter { $0.kind != .gamma } + [0, 0.5, 1, 1.5, 1.875, 2, 3, 4].map { .gamma($0) }

  /// One rule of each kind, for tests that take long.
  public static let few = examples
}
