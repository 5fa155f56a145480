import Synchronization
import Testing

@testable import TreelineBuilder

@Suite struct WorkQueueTests {
  /// Each number n produces the numbers n / 2 and n - 3.
  private func order(_ queue: WorkQueue<Int>) -> [Int] {
    let order = Mutex<[Int]>([])
    queue.run(threads: 1) { number in
      order.withLock { $0.append(number) }
      return [number / 2, number - 3].filter { $0 > 0 }
    }
    return order.withLock { $0 }
  }

  @Test func theMostUrgentItemComesNext() {
    #expect(order(WorkQueue([5, 9, 2], by: <)) == [9, 6, 5, 4, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1])
    #expect(order(WorkQueue([5], by: >)) == [5, 2, 1, 2, 1])
  }

  @Test func theItemThatWasAddedLastComesNext() { #expect(order(WorkQueue([5])) == [5, 2, 1, 2, 1]) }
}
