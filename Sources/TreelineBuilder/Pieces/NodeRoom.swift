import Synchronization

#if canImport(Dispatch)
  import Dispatch
#endif

/// A limit on the number of nodes that all threads together hold in memory.
///
/// Each thread works on one part at a time. Before a thread loads a part, the thread waits until there is room for the
/// nodes of the part, or until no other part is in memory. So a part that is larger than the limit is the only part in
/// memory. Parts are loaded in the order of their requests. In another order, small parts could pass a large part
/// again and again, and the large part would wait for a long time.
final class NodeRoom: Sendable {
  let capacity: Int
  private let state = Mutex(State())

  private struct State {
    /// Number of nodes that are in memory now (`nodes`), and number of parts that are in memory now (`parts`).
    var (nodes, parts) = (0, 0)
    /// Greatest number of nodes that were in memory at once (`most`), and number of nodes of the largest part
    /// (`largest`).
    var (most, largest) = (0, 0)
    #if canImport(Dispatch)
      var waiting: [(count: Int, isServed: DispatchSemaphore)] = []
    #endif

    mutating func serve(_ count: Int, of capacity: Int) -> Bool {
      guard parts == 0 || nodes + count <= capacity else { return false }
      (parts, nodes) = (parts + 1, nodes + count)
      (most, largest) = (max(most, nodes), max(largest, count))
      return true
    }
  }

  init(_ capacity: Int) { self.capacity = capacity }

  /// Greatest number of nodes that were in memory at once, and number of nodes of the largest part.
  var most: (nodes: Int, ofPart: Int) { state.withLock { ($0.most, $0.largest) } }

  #if canImport(Dispatch)
    func take(_ count: Int) {
      let isServed = state.withLock { state -> DispatchSemaphore? in
        if state.waiting.isEmpty, state.serve(count, of: capacity) { return nil }
        let isServed = DispatchSemaphore(value: 0)
        state.waiting.append((count, isServed))
        return isServed
      }
      isServed?.wait()
    }

    func giveBack(_ count: Int) {
      state.withLock { state in
        (state.parts, state.nodes) = (state.parts - 1, state.nodes - count)
        while let next = state.waiting.first, state.serve(next.count, of: capacity) {
          state.waiting.removeFirst().isServed.signal()
        }
      }
    }
  #else
    func take(_ count: Int) { precondition(state.withLock { $0.serve(count, of: capacity) }, "Expected one thread") }

    func giveBack(_ count: Int) { state.withLock { ($0.parts, $0.nodes) = ($0.parts - 1, $0.nodes - count) } }
  #endif
}
