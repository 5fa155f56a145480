import Foundation

/// Hands work that makes more work to a number of threads.
///
/// Which thread does what, and when, must not matter to the result.
final class WorkQueue<Item: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var items: [Item]
  /// Items taken and not yet finished: while there are any, more may come.
  private var active = 0

  init(_ items: [Item]) {
    self.items = items
  }

  /// Calls `work` with every item on up to `threads` threads, and returns when none is left.
  ///
  /// `work` returns the items that follow from the one it was given.
  func run(threads: Int, _ work: @Sendable (Item) -> [Item]) {
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      while let item = take() {
        finish(with: work(item))
      }
    }
  }

  private func take() -> Item? {
    condition.lock()
    defer { condition.unlock() }
    while items.isEmpty && active > 0 { condition.wait() }
    guard let item = items.popLast() else { return nil }
    active += 1
    return item
  }

  private func finish(with new: [Item]) {
    condition.lock()
    defer { condition.unlock() }
    items.append(contentsOf: new)
    active -= 1
    condition.broadcast()
  }
}
