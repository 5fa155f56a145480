import Treeline

/// Builds the nodes below one node, depth first: the left subtree whole, then the right one.
///
/// The stack is an array, so no shape of data overflows the thread's.
struct SubtreeBuilder<Place: CutPlace> {
  private let splitter: Splitter<Place>
  private var stack: ContiguousArray<Segment<UInt128>> = []

  init(_ splitter: Splitter<Place>) {
    self.splitter = splitter
  }

  mutating func build(_ root: Segment<UInt128>, into nodes: inout NodeArrays) {
    var narrow = NarrowSubtreeBuilder(splitter)
    stack.append(root)
    while let segment = stack.popLast(), !splitter.monitor.isCancelled {
      if segment.isNarrow {
        narrow.build(Segment<UInt64>(converting: segment), into: &nodes)
      } else if var parts = splitter.split(segment) {
        parts.left.record = nodes.addChildren(of: segment, spread: parts.spread)
        parts.right.record = parts.left.record + 1
        stack.append(parts.right)
        stack.append(parts.left)
      } else if !splitter.monitor.isCancelled {
        nodes.records[segment.record] = splitter.arrays.makeBucket(
          first: segment.first, segment.moments, from: segment.corner, at: splitter.place, splitter.monitor)
        splitter.monitor.advance(.splitting, by: segment.count)
      }
    }
  }
}
