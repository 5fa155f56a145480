import Foundation

/// How to build. No option but those that say so changes a byte of the tree.
public struct BuildOptions: Hashable, Sendable {
  /// How many threads work on it. The tree is the same for any number.
  public var threads: Int

  /// - Precondition: `threads` is 1 or more.
  public init(threads: Int = ProcessInfo.processInfo.activeProcessorCount) {
    precondition(threads >= 1, "Expected at least one thread, found \(threads)")
    self.threads = threads
  }
}
