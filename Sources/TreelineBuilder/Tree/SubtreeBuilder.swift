import Treeline

/// Builds the nodes below one node, depth first: the left subtree whole, then the right one.
///
/// The stack is an array, so no shape of data overflows the thread's.
struct SubtreeBuilder<Sum: FixedWidthInteger & UnsignedInteger & Sendable> {
  private let splitter: Splitter
  private var stack: ContiguousArray<Segment<Sum>> = []

  init(_ splitter: Splitter) {
    self.splitter = splitter
  }

  mutating func build(_ root: Segment<Sum>, into nodes: inout NodeArrays) {
    stack.append(root)
    while let segment = stack.popLast() {
      if Sum.self != UInt64.self && segment.isNarrow {
        var narrow = SubtreeBuilder<UInt64>(splitter)
        narrow.build(Segment<UInt64>(converting: segment), into: &nodes)
      } else if var parts = splitter.split(segment) {
        parts.left.record = nodes.addChildren(of: segment, in: parts.box, spread: parts.spread)
        parts.right.record = parts.left.record + 1
        stack.append(parts.right)
        stack.append(parts.left)
      } else {
        addBucket(segment, to: &nodes)
      }
    }
  }

  private func addBucket(_ segment: Segment<Sum>, to nodes: inout NodeArrays) {
    let arrays = splitter.arrays
    nodes.records[segment.record] = NodeRecord(
      box: arrays.box(first: segment.first, count: segment.count), count: UInt32(segment.count),
      childOffset: 0)
    if segment.count <= NodeRecord.bucketCapacity {
      shapeBucket(first: segment.first, segment.moments, from: segment.corner, level: 0)
    } else {
      (arrays.gaps + segment.first).update(repeating: Gap.none, count: segment.count - 1)
    }
    arrays.gaps[segment.first + segment.count - 1] = 0
  }

  /// Splits the points of a bucket down to single positions and notes at which level each gap was split.
  ///
  /// Recursion is as deep as a bucket has positions, 15 levels at most.
  private func shapeBucket(first: Int, _ moments: Moments<Sum>, from corner: PlanePoint, level: UInt8) {
    let count = Int(moments.count)
    if count == 1 { return }
    let gaps = splitter.arrays.gaps + first
    let scatter = Scatter(moments)
    if scatter.isZero {
      gaps.update(repeating: Gap.none, count: count - 1)
      return
    }
    let split = splitter.principalSplit(first: first, moments, scatter, from: corner)
    let left = splitter.arrays.partition(first: first, count: count, by: split, Sum.self).left
    let leftCount = Int(left.count)
    gaps[leftCount - 1] = level
    shapeBucket(first: first, left, from: corner, level: level + 1)
    shapeBucket(first: first + leftCount, moments - left, from: corner, level: level + 1)
  }
}
