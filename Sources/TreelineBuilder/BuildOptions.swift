import Foundation
import Treeline

/// How to build. No option but those that say so changes a byte of the tree.
public struct BuildOptions: Hashable, Sendable {
  /// Where nodes are split. Another rule makes another tree.
  public var splitRule: SplitRule

  /// How many threads work on it. The tree is the same for any number.
  public var threads: Int

  /// Whether it is found at what distance each cluster gives way to its parts, which queries by `spacing` need. It takes
  /// several times as long as the rest of the build, and 2 bytes a point, in memory and in an index.
  public var computesSeparations: Bool

  /// - Precondition: `threads` is 1 or more.
  public init(
    splitRule: SplitRule = .mean, threads: Int = ProcessInfo.processInfo.activeProcessorCount,
    computesSeparations: Bool = false
  ) {
    precondition(threads >= 1, "Expected at least one thread, found \(threads)")
    self.splitRule = splitRule
    self.threads = threads
    self.computesSeparations = computesSeparations
  }
}
