import Treeline

extension SplitRule {
  /// Every kind of rule. For gamma: the least and the greatest power, powers below and above 1, and powers that need
  /// one root or several.
  public static let tested: [SplitRule] =
    examples.filter { $0.kind != .gamma } + [0, 0.5, 1, 1.5, 1.875, 2, 3, 4].map { .gamma($0) }

  /// One rule of each kind, for tests that take long.
  public static let few = examples
}
