/// A binary heap of cluster pairs. Pairs leave the heap in the order in which they are merged.
///
/// `Heap` of swift-collections has the same functions, but takes twice as long. The reason is that it is generic code
/// of another module, which the compiler does not specialize here.
struct PairHeap<Pair: Comparable> {
  private var pairs: ContiguousArray<Pair> = []

  /// The pair that `popFirst` would return now; nil if the heap is empty.
  var first: Pair? { pairs.first }

  mutating func removeAll() { pairs.removeAll(keepingCapacity: true) }

  @inline(__always) mutating func insert(_ pair: Pair) {
    pairs.append(pair)
    pairs.withUnsafeMutableBufferPointer { heap in
      var slot = heap.count &- 1
      while slot > 0 {
        let parent = (slot &- 1) / 2
        guard pair < heap[parent] else { break }
        heap[slot] = heap[parent]
        slot = parent
      }
      heap[slot] = pair
    }
  }

  @inline(__always) mutating func popFirst() -> Pair? {
    guard let first = pairs.first else { return nil }
    let last = pairs.removeLast()
    if !pairs.isEmpty { pairs.withUnsafeMutableBufferPointer { Self.sink(last, $0) } }
    return first
  }

  @inline(__always) private static func sink(_ pair: Pair, _ heap: UnsafeMutableBufferPointer<Pair>) {
    var slot = 0
    while true {
      var child = 2 &* slot &+ 1
      guard child < heap.count else { break }
      if child &+ 1 < heap.count && heap[child &+ 1] < heap[child] { child &+= 1 }
      guard heap[child] < pair else { break }
      heap[slot] = heap[child]
      slot = child
    }
    heap[slot] = pair
  }
}
