import PointSets
import TestSupport
import Testing

@testable import TreelineBuilder

/// Compares the queue of splits with a sorted list.
@Suite struct SplitQueueTests {
  let monitor = BuildMonitor(pointCount: 1)

  /// Takes splits of all distances, many of them equal. Meanwhile adds more splits, but none at a greater distance than
  /// the last one taken.
  @Test(arguments: Trials.seeds(60)) func takesSplitsInOrder(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let bits = UInt64(random.index(below: 64))
    let kinds = 1 + random.index(below: 1000)
    func make(_ node: Int, atMost greatest: UInt64) -> QueuedSplit {
      let distance = (random.next() >> bits) / UInt64(kinds) * UInt64(kinds)
      return QueuedSplit(squaredDistance: max(min(distance, greatest), 1), node: UInt32(node), stamp: UInt32(node))
    }
    var queue = SplitQueue(monitor)
    var waiting: [QueuedSplit] = []
    var made = 0
    func add(_ count: Int, atMost greatest: UInt64) -> [QueuedSplit] {
      let nodes = random.shuffled(Array(made..<made + count))
      made += count
      return nodes.map { make($0, atMost: greatest) }
    }
    for split in add(1 + random.index(below: 3000), atMost: .max) {
      queue.add(split)
      waiting.append(split)
    }
    waiting.sort()
    while let split = queue.next() {
      #expect(split.rank == waiting.first?.rank, "seed \(seed)")
      guard !waiting.isEmpty else { return }
      waiting.removeFirst()
      if made < 6000, random.index(below: 3) == 0 {
        for new in add(1 + random.index(below: 4), atMost: split.squaredDistance) {
          queue.add(new)
          waiting.insert(new, at: waiting.firstIndex { new < $0 } ?? waiting.count)
        }
      }
    }
    #expect(waiting.isEmpty, "seed \(seed)")
  }

  /// Checks a reader that looks some indices ahead of each reported index. It sees every split exactly once, in order,
  /// before the split is taken. Only splits that are added later are not seen.
  @Test(arguments: [0, 1, 12]) func reportsItsProgress(ahead: Int) {
    var queue = SplitQueue(monitor)
    for node: UInt32 in 1...1000 {
      queue.add(QueuedSplit(squaredDistance: UInt64(1 + node / 100), node: node, stamp: 0))
    }
    var seen: [UInt32] = []
    var taken: [UInt32] = []
    while let split = queue.next() {
      for index in queue.progress(ahead: ahead) where queue.sorted.indices.contains(index + ahead) {
        seen.append(queue.sorted[index + ahead].node)
      }
      taken.append(split.node)
      let isSeen = seen.count >= taken.count && seen[taken.count - 1] == split.node
      #expect(isSeen, "\(taken.count)")
      // Adds a split while the queue is being read. The queue does not report this split.
      if taken.count == 500 {
        queue.add(QueuedSplit(squaredDistance: split.squaredDistance, node: 0, stamp: 0))
        #expect(queue.next()?.node == 0 && queue.progress(ahead: ahead).isEmpty)
      }
    }
    #expect(seen.count == 1000 && taken.count == 1000)
  }

  @Test(arguments: [0, 1, 2, 24, 25, 300, 70_000], [1, 3, 1000, UInt64.max]) func sortsAnyNumberOfSplits(
    count: Int, kinds: UInt64
  ) {
    var random = SplitMix64(seed: UInt64(count))
    var splits = random.shuffled(Array(0..<count)).map {
      QueuedSplit(squaredDistance: random.next() % kinds << 20, node: UInt32($0), stamp: 0)
    }
    let expected = splits.map(\.rank).sorted()
    splits.withUnsafeMutableBufferPointer { QueuedSplitSort(monitor: monitor).sort($0) }
    #expect(splits.map(\.rank) == expected)
    #expect(zip(splits, splits.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func cancelledQueueEnds() {
    var queue = SplitQueue(monitor)
    for node: UInt32 in 1...100 { queue.add(QueuedSplit(squaredDistance: 1 << UInt64(node / 2), node: node, stamp: 0)) }
    #expect(queue.next()?.node == 100)
    monitor.cancel()
    #expect(queue.next()?.node == nil)
  }
}
