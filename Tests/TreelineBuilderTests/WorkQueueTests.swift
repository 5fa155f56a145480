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

  @Test(arguments: [true, false]) func severalThreadsTakeEachItemOnce(hasOrder: Bool) {
    let taken = Mutex<[Int: Int]>([:])
    let queue = hasOrder ? WorkQueue(Array(1...100), by: <) : WorkQueue(Array(1...100))
    queue.run(threads: 4) { number in
      taken.withLock { $0[number, default: 0] += 1 }
      return number < 10_000 ? [100 * number, 100 * number + 1] : []
    }
    let added = (1...100).flatMap { [100 * $0, 100 * $0 + 1] }
    let all = (1...100) + added + added.filter { $0 < 10_000 }.flatMap { [100 * $0, 100 * $0 + 1] }
    #expect(taken.withLock { $0 } == Dictionary(all.map { ($0, 1) }, uniquingKeysWith: +))
  }
}
