import Treeline

extension SplitRule {
  /// Split rules of every kind. The powers of gamma are the least and the greatest power, powers below and above 1, and
  /// powers that need one root or several roots.
  public static let tested: [SplitRule] =
    few.filter { $0.kind != .gamma } + [0, 0.5, 1, 1.5, 1.875, 2, 3, 4].map { .gamma($0) }

  /// One split rule of each kind, for tests that take long.
  public static let few = Kind.allCases.map(\.example)
}
