import Treeline

/// Builds the nodes below a node whose sums fit 64 bits, and so do those of all below it: most of any tree.
///
/// All sums are measured from one corner, that of the first node. Boxes are not looked at on the way down, where it would
/// cost a pass over the points at each level, but put together from the buckets up once the subtree is complete.
struct NarrowSubtreeBuilder<Place: CutPlace> {
  private let splitter: Splitter<Place>
  private var stack: ContiguousArray<Part> = []

  private struct Part {
    var first: Int
    var moments: Moments<UInt64>
    var record: Int
    var level: Int
  }

  init(_ splitter: Splitter<Place>) {
    self.splitter = splitter
  }

  mutating func build(_ root: Segment<UInt64>, into nodes: inout NodeArrays) {
    let firstNew = nodes.records.count
    stack.append(Part(first: root.first, moments: root.moments, record: root.record, level: root.level))
    while let part = stack.popLast(), !splitter.monitor.isCancelled {
      expand(part, from: root.corner, into: &nodes)
    }
    if splitter.monitor.isCancelled { return }
    nodes.finish(root.record, firstBelow: firstNew, summedFrom: root.corner)
    splitter.monitor.advance(.splitting, by: root.count)
  }

  @inline(__always)
  private mutating func expand(_ part: Part, from corner: PlanePoint, into nodes: inout NodeArrays) {
    let arrays = splitter.arrays
    let count = Int(part.moments.count)
    let scatter = Scatter(part.moments)
    guard count > NodeRecord.bucketCapacity, !scatter.isZero else {
      nodes.records[part.record] = arrays.makeBucket(
        first: part.first, part.moments, from: corner, at: splitter.place, splitter.monitor)
      return
    }
    let split =
      part.level < splitter.principalLevels
      ? arrays.principalSplit(
        first: part.first, part.moments, scatter, from: corner, at: splitter.place)
      : splitter.middleSplit(first: part.first, count: count, from: corner)
    let leftCount = arrays.separate(first: part.first, count: count, by: split, splitter.monitor)
    let left = arrays.leftMoments(first: part.first, leftCount: leftCount, of: part.moments, from: corner)
    let record = nodes.addUnfinishedChildren(
      of: part.record, part.moments, spread: scatter.spread(count: part.moments.count))
    stack.append(
      Part(
        first: part.first + leftCount, moments: part.moments - left, record: record + 1, level: part.level + 1
      ))
    stack.append(Part(first: part.first, moments: left, record: record, level: part.level + 1))
  }
}
