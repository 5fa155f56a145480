import Treeline

/// Two clusters that may be merged, found from the side of one of them, its owner.
///
/// Clusters are known by their least members and by their nodes: what is merged again keeps its least member and gets
/// another node.
struct QueuedMerge {
  var squaredDistance: UInt64
  /// The lesser of the two least members.
  var first: UInt32
  /// Twice the greater of them, and 1 if that is the owner. Least members take 31 bits.
  private var secondAndOwner: UInt32
  var firstNode: UInt32
  var secondNode: UInt32

  @inline(__always) init(
    _ owner: UInt32, node: UInt32, with other: UInt32, node otherNode: UInt32, squaredDistance: UInt64
  ) {
    let isFirst = owner < other
    self.squaredDistance = squaredDistance
    first = isFirst ? owner : other
    secondAndOwner = (isFirst ? other : owner) << 1 | (isFirst ? 0 : 1)
    firstNode = isFirst ? node : otherNode
    secondNode = isFirst ? otherNode : node
  }

  @inline(__always) var second: UInt32 { secondAndOwner >> 1 }
  @inline(__always) var isOwnedBySecond: Bool { secondAndOwner & 1 != 0 }

  /// The closest pair first, of several the one with the least members.
  @inline(__always) static func < (a: QueuedMerge, b: QueuedMerge) -> Bool {
    if a.squaredDistance != b.squaredDistance { return a.squaredDistance < b.squaredDistance }
    return UInt64(a.first) << 32 | UInt64(a.secondAndOwner) < UInt64(b.first) << 32 | UInt64(b.secondAndOwner)
  }
}

/// Pairs of clusters, the closest first: a heap of those at about the distance in hand, and farther ones in lists by
/// distance, which become heaps when they are due. So the heap stays small enough for the processor's caches.
struct MergeQueue {
  private var heap: ContiguousArray<QueuedMerge> = []
  private var lists = [ContiguousArray<QueuedMerge>](repeating: [], count: 65 << stepBits)
  /// The list that the heap was made of: what is no farther goes to the heap.
  private var current = 0

  private static let stepBits = 5

  /// By the position of the highest bit and the five below.
  @inline(__always) private static func list(of squaredDistance: UInt64) -> Int {
    let shift = max(63 &- stepBits &- squaredDistance.leadingZeroBitCount, 0)
    return shift &<< stepBits &+ Int(truncatingIfNeeded: squaredDistance &>> UInt64(shift))
  }

  @inline(__always) mutating func insert(_ merge: QueuedMerge) {
    let list = Self.list(of: merge.squaredDistance)
    if list > current { lists[list].append(merge) } else { insertIntoHeap(merge) }
  }

  @inline(__always) private mutating func insertIntoHeap(_ merge: QueuedMerge) {
    heap.append(merge)
    heap.withUnsafeMutableBufferPointer { heap in
      var slot = heap.count &- 1
      while slot > 0 {
        let parent = (slot &- 1) / 2
        guard merge < heap[parent] else { break }
        heap[slot] = heap[parent]
        slot = parent
      }
      heap[slot] = merge
    }
  }

  /// Takes the closest pair; nil where there is none.
  @inline(__always) mutating func popFirst() -> QueuedMerge? {
    if heap.isEmpty && !fillHeap() { return nil }
    let first = heap[0]
    let last = heap.removeLast()
    if !heap.isEmpty { heap.withUnsafeMutableBufferPointer { Self.sink(last, into: 0, of: $0) } }
    return first
  }

  /// What is probably next.
  @inline(__always) func forEachSoon(_ body: (QueuedMerge) -> Void) {
    heap.withUnsafeBufferPointer { heap in for slot in 0..<min(heap.count, 3) { body(heap[slot]) } }
  }

  @inline(never) private mutating func fillHeap() -> Bool {
    while current < lists.count &- 1 {
      current += 1
      if lists[current].isEmpty { continue }
      heap = []
      swap(&heap, &lists[current])
      heap.withUnsafeMutableBufferPointer { heap in
        for slot in (0..<heap.count / 2).reversed() { Self.sink(heap[slot], into: slot, of: heap) }
      }
      return true
    }
    return false
  }

  @inline(__always) private static func sink(
    _ merge: QueuedMerge, into slot: Int, of heap: UnsafeMutableBufferPointer<QueuedMerge>
  ) {
    var slot = slot
    while true {
      var child = 2 &* slot &+ 1
      guard child < heap.count else { break }
      if child &+ 1 < heap.count && heap[child &+ 1] < heap[child] { child &+= 1 }
      guard heap[child] < merge else { break }
      heap[slot] = heap[child]
      slot = child
    }
    heap[slot] = merge
  }
}
