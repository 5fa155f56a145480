import Synchronization

/// The points that pass a filter.
///
/// A selection has one bit for each point, in tree order. For each word of 64 points, it also has the number of
/// passing points before the word.
///
/// A selection is immutable, apart from sums and boxes that are prepared on first use. Any number of threads may query
/// a selection.
final class Selection: Sendable {
  /// The bits of 64 points.
  struct Word {
    let bits: UInt64
    /// Number of passing points before this word.
    let before: UInt32
  }

  /// A list of words. The fields `bits` and `before` of all words are in two separate arrays, because most queries
  /// read only the smaller array, `before`.
  struct Words: @unchecked Sendable {
    let bits: UnsafeMutablePointer<UInt64>
    let before: UnsafeMutablePointer<UInt32>

    @inline(__always) subscript(index: Int) -> Word { Word(bits: bits[index], before: before[index]) }
  }

  /// The words. The last word always covers the tree index after the last point, even if the number of points is a
  /// multiple of 64.
  let words: Words
  let wordCount: Int
  let storage: TreeStorage

  /// A cache that queries share, with one bit for each node record. A bit is set when a query finds that in each
  /// child of the node, some points pass and some points fail. Many queries take the same paths down from the root,
  /// and the cache saves these queries from counting the points of the children again.
  private nonisolated(unsafe) let noted: UnsafeMutablePointer<Atomic<UInt32>>

  /// Number of points that pass.
  let count: Int

  /// The conditions of the filter. A point passes if it meets all of them. Nil if the selection was not made from
  /// conditions.
  let terms: [FilterTerm]?

  /// A cache of data that queries have computed from columns, for the points that pass the filter.
  let prepared = PreparedColumns()

  /// Data about the passing points of nodes, computed on first use. `means` contains the sums that give the means of
  /// nodes. `summaries` contains the boxes and spreads of nodes. `turnedMeans` and `turnedSummaries` contain the same
  /// data for a plane that is moved by half the world. The seam is where the plane begins and ends. On the moved
  /// plane, a node across the seam is in one piece.
  private nonisolated(unsafe) let means = Atomic<UnsafeMutablePointer<PassingMeans.Sums>?>(nil)
  private nonisolated(unsafe) let turnedMeans = Atomic<UnsafeMutablePointer<PassingMeans.Sums>?>(nil)
  private let summaries = AtomicLazyReference<PassingSummaries>()
  private let turnedSummaries = AtomicLazyReference<PassingSummaries>()

  /// Returns the number of words that cover the indices of all points and the index after the last point.
  static func wordCount(ofPoints pointCount: Int) -> Int { pointCount / 64 + 1 }

  /// - Parameter fill: Writes the bits of all words. Bits beyond the last point must be 0.
  init<Failure: Error>(
    of storage: TreeStorage, terms: [FilterTerm]? = nil,
    filling fill: (UnsafeMutableBufferPointer<UInt64>) throws(Failure) -> Void
  ) throws(Failure) {
    (self.storage, self.terms) = (storage, terms)
    wordCount = Self.wordCount(ofPoints: storage.pointCount)
    // There is one extra word, so that code may read the word after the word of the last point without a bounds check.
    words = Words(bits: .allocate(capacity: wordCount + 1), before: .allocate(capacity: wordCount + 1))
    words.bits.initialize(repeating: 0, count: wordCount + 1)
    let notedCount = storage.nodeCount / 32 + 1
    noted = .allocate(capacity: notedCount)
    for index in 0..<notedCount { (noted + index).initialize(to: Atomic(0)) }
    do throws(Failure) { try fill(UnsafeMutableBufferPointer(start: words.bits, count: wordCount)) } catch {
      // If `fill` throws, `deinit` does not run, so the memory is freed here.
      words.bits.deallocate()
      words.before.deallocate()
      noted.deallocate()
      throw error
    }
    var count: UInt32 = 0
    for index in 0..<wordCount {
      words.before[index] = count
      count &+= UInt32(truncatingIfNeeded: words.bits[index].nonzeroBitCount)
    }
    words.before[wordCount] = count
    self.count = Int(count)
  }

  deinit {
    words.bits.deallocate()
    words.before.deallocate()
    noted.deallocate()
    means.load(ordering: .relaxed)?.deallocate()
    turnedMeans.load(ordering: .relaxed)?.deallocate()
  }

  /// Returns the points that pass both selections.
  func intersection(_ other: Selection) -> Selection {
    precondition(storage === other.storage, "Expected two filters of the same tree, found filters of different trees")
    return Selection(of: storage) { words in
      for index in words.indices { words[index] = self.words.bits[index] & other.words.bits[index] }
    }
  }

  /// A value through which queries count the passing points.
  var points: PassingPoints {
    PassingPoints(words: words, noted: noted, selection: .passUnretained(self))
  }

  /// - Complexity: O(pointCount) at the first call, O(1) from then on.
  @inline(__always) func means(acrossSeam: Bool) -> PassingMeans {
    acrossSeam
      ? means(turnedMeans, turn: Self.halfWorld) { PassingMeans(of: self, turnedBy: Self.halfWorld) {} }
      : means(means, turn: 0) { PassingMeans(of: self, turnedBy: 0) {} }
  }

  @inline(__always) private func means<Failure: Error>(
    _ sums: borrowing Atomic<UnsafeMutablePointer<PassingMeans.Sums>?>, turn: UInt32,
    make: () throws(Failure) -> PassingMeans
  ) throws(Failure) -> PassingMeans {
    if let sums = sums.load(ordering: .acquiring) { return PassingMeans(before: sums, turn: turn) }
    // If two threads need the result for the first time at the same moment, both may do the work.
    let made = try make()
    let (isFirst, found) = sums.compareExchange(
      expected: nil, desired: made.before, ordering: .acquiringAndReleasing)
    if isFirst { return made }
    made.before.deallocate()
    return PassingMeans(before: found!, turn: turn)
  }

  /// Prepares the means of this selection if the previous selection has prepared its own means. The two selections
  /// differ in few points. So the means of this selection are computed from the sums of the previous selection.
  func prepareMeans(from previous: Selection) {
    if previous.means.load(ordering: .acquiring) != nil {
      _ = means(means, turn: 0) { PassingMeans(of: self, from: previous.means(acrossSeam: false), of: previous) }
    }
    if previous.turnedMeans.load(ordering: .acquiring) != nil {
      _ = means(turnedMeans, turn: Self.halfWorld) {
        PassingMeans(of: self, from: previous.means(acrossSeam: true), of: previous)
      }
    }
  }

  /// - Complexity: O(pointCount) at the first call, O(1) from then on.
  func summaries(acrossSeam: Bool) -> PassingSummaries {
    acrossSeam
      ? prepared(turnedSummaries) { PassingSummaries(of: self, turnedBy: Self.halfWorld) {} }
      : prepared(summaries) { PassingSummaries(of: self, turnedBy: 0) {} }
  }

  /// Prepares means and, if `needsSummaries`, also boxes and spreads. This work can be cancelled. Without this call,
  /// the first query that needs these values prepares them, and that work cannot be cancelled.
  func prepare(summaries needsSummaries: Bool) throws(CancellationError) {
    _ = try means(means, turn: 0) { () throws(CancellationError) in
      try PassingMeans(of: self, turnedBy: 0) { () throws(CancellationError) in try Cancellation.check() }
    }
    if needsSummaries {
      _ = try prepared(summaries) { () throws(CancellationError) in
        try PassingSummaries(of: self, turnedBy: 0) { () throws(CancellationError) in try Cancellation.check() }
      }
    }
  }

  private static let halfWorld: UInt32 = 1 << 31

  private func prepared<Prepared, Failure: Error>(
    _ reference: borrowing AtomicLazyReference<Prepared>, make: () throws(Failure) -> Prepared
  ) throws(Failure) -> Prepared {
    if let found = reference.load() { return found }
    // If two threads need the result for the first time at the same moment, both may do the work.
    return reference.storeIfNil(try make())
  }

  /// Approximate number of bytes after the means and summaries were prepared. `turnedMeans` and `turnedSummaries` are
  /// not included.
  var byteCount: Int {
    wordCount
      * (MemoryLayout<UInt64>.stride + MemoryLayout<UInt32>.stride + PassingMeans.bytesPerWord
        + PassingSummaries.bytesPerWord) + prepared.byteCount
  }
}

/// The points that a query counts: all points of a tree, or only points that pass a filter. Cuts are generic over
/// these two cases.
protocol CountedPoints {
  /// Whether all points are counted. The value is a constant, so that the compiler can remove branches.
  static var areAll: Bool { get }

  func count(of node: Node) -> Int

  /// Returns, for each child of a node, whether none, some or all of the child's points are counted.
  func shares(of pair: ChildPair, of node: Node) -> (left: CountedShare, right: CountedShare)

  /// Returns whether each child of a node is known to have both counted and uncounted points. The node must have its
  /// own record.
  func isKnownToPartBoth(_ node: Node) -> Bool
  /// Remembers that each child of a node has both counted and uncounted points. The node must have its own record.
  func notePartOfBoth(_ node: Node)

  /// Returns whether any point of a node is counted.
  func hasAny(of node: Node) -> Bool
  /// Returns whether all points of a node are counted.
  func hasAll(of node: Node) -> Bool

  /// Returns a mask of the counted points of a node that has up to 16 points. Bit i is set if the node's point i is
  /// counted.
  func bits(of node: Node) -> UInt32

  func contains(_ treeIndex: Int) -> Bool

  /// Returns the tree index of the first counted point of a node. The node must have a counted point.
  func firstIndex(of node: Node) -> Int

  /// Returns the sums, the covariance and the smallest box of a node's counted points. If no point is counted, the
  /// result describes all points of the node.
  ///
  /// - Precondition: `storage.checkSummary(of: node)` succeeds.
  func summary(of node: Node, in storage: TreeStorage) -> NodeSummary

  /// Returns the mean of a node's counted points, in units of the plane. `count` is the number of counted points: at
  /// least 1, and less than the number of all points of the node.
  ///
  /// - Precondition: `storage.checkSummary(of: node)` succeeds.
  func meanOfPart(of node: Node, count: Int, in storage: TreeStorage) -> (x: Double, y: Double)
}

/// Whether none, some or all of a node's points are counted.
struct CountedShare: Equatable {
  let isNone: Bool
  let isAll: Bool

  static let part = CountedShare(isNone: false, isAll: false)
  static let all = CountedShare(isNone: false, isAll: true)
}

/// The number of points of a node, and their box, sums and spread.
struct NodeSummary {
  var count: Int
  var box: PlaneRect
  /// Sums of coordinates, measured from the top left corner of the box.
  var sums: NodeSums
  var spread: NodeSpread

  /// The mean, in units of the plane.
  @inline(__always) var mean: (x: Double, y: Double) { Self.mean(of: sums, count: count, in: box) }

  /// - Parameter sums: Sums of coordinates, measured from the top left corner of the box.
  @inline(__always) static func mean(of sums: NodeSums, count: Int, in box: PlaneRect) -> (x: Double, y: Double) {
    let count = Double(count)
    let (x, y) = (Double(box.minX) + Double(sums.x) / count, Double(box.minY) + Double(sums.y) / count)
    // If the box crosses the seam, x may lie beyond the right edge of the plane, at 2^32.
    return (x < 0x1p32 ? x : x - 0x1p32, y)
  }
}

extension CountedPoints {
  /// Returns the number of a node's counted points, and their spread.
  @inline(__always) func spread(of node: Node, in storage: TreeStorage) -> (count: Int, spread: NodeSpread) {
    let summary = summary(of: node, in: storage)
    return (summary.count, summary.spread)
  }

  /// Returns the mean of a node's counted points, in units of the plane. At least one point must be counted.
  func mean(of node: Node, in storage: TreeStorage) -> (x: Double, y: Double) {
    let count = count(of: node)
    return count == Int(node.count)
      ? AllPoints().summary(of: node, in: storage).mean : meanOfPart(of: node, count: count, in: storage)
  }
}

/// All points of a tree.
struct AllPoints: CountedPoints {
  static var areAll: Bool { true }
  @inline(__always) func count(of node: Node) -> Int { Int(node.count) }
  @inline(__always) func shares(of pair: ChildPair, of node: Node) -> (left: CountedShare, right: CountedShare) {
    (.all, .all)
  }
  @inline(__always) func isKnownToPartBoth(_ node: Node) -> Bool { false }
  @inline(__always) func notePartOfBoth(_ node: Node) {}
  @inline(__always) func hasAny(of node: Node) -> Bool { true }
  @inline(__always) func hasAll(of node: Node) -> Bool { true }
  @inline(__always) func bits(of node: Node) -> UInt32 { .max }
  @inline(__always) func contains(_ treeIndex: Int) -> Bool { true }
  @inline(__always) func firstIndex(of node: Node) -> Int { Int(node.first) }

  @inline(__always) func summary(of node: Node, in storage: TreeStorage) -> NodeSummary {
    let box = storage.box(of: node)
    let (sums, spread) = storage.summary(of: node, in: box)
    return NodeSummary(count: Int(node.count), box: box, sums: sums, spread: spread)
  }

  @inline(__always) func meanOfPart(of node: Node, count: Int, in storage: TreeStorage) -> (x: Double, y: Double) {
    preconditionFailure("Expected a filter, found none: without a filter, all points of a node are counted")
  }
}

/// The points of a tree that pass a filter. The value may be used only while the selection is alive.
struct PassingPoints: CountedPoints {
  let words: Selection.Words
  fileprivate let noted: UnsafeMutablePointer<Atomic<UInt32>>
  fileprivate let selection: Unmanaged<Selection>

  static var areAll: Bool { false }

  /// Returns the number of passing points before a tree index.
  @inline(__always) func count(before treeIndex: UInt32) -> UInt64 {
    let word = words[Int(treeIndex >> 6)]
    return UInt64(word.before) &+ UInt64((word.bits & (1 &<< UInt64(treeIndex & 63) &- 1)).nonzeroBitCount)
  }

  func count(in range: Range<Int>) -> Int {
    Int(count(before: UInt32(range.upperBound)) - count(before: UInt32(range.lowerBound)))
  }

  @inline(__always) func count(of node: Node) -> Int {
    Int(count(before: node.first &+ node.count) &- count(before: node.first))
  }

  @inline(__always) func shares(of pair: ChildPair, of node: Node) -> (left: CountedShare, right: CountedShare) {
    let (middle, end) = (node.first &+ pair.leftCount, node.first &+ node.count)
    if isSurelyPart(from: node.first, to: middle) && isSurelyPart(from: middle, to: end) { return (.part, .part) }
    let (before, beforeMiddle) = (count(before: node.first), count(before: middle))
    return (
      share(beforeMiddle &- before, of: pair.leftCount),
      share(count(before: end) &- beforeMiddle, of: node.count &- pair.leftCount)
    )
  }

  @inline(__always) func isKnownToPartBoth(_ node: Node) -> Bool {
    noted[Int(node.record >> 5)].load(ordering: .relaxed) &>> (node.record & 31) & 1 == 1
  }

  /// Sets the bit by a separate load and store, which is cheaper than a locked write. If two threads set bits at the
  /// same moment, one bit may be lost, but a later query sets this bit again.
  @inline(__always) func notePartOfBoth(_ node: Node) {
    let index = Int(node.record >> 5)
    noted[index].store(noted[index].load(ordering: .relaxed) | 1 &<< (node.record & 31), ordering: .relaxed)
  }

  @inline(__always) private func share(_ count: UInt64, of pointCount: UInt32) -> CountedShare {
    CountedShare(isNone: count == 0, isAll: count == UInt64(pointCount))
  }

  /// Returns whether it is certain that some points between two tree indices pass and others fail. If the result is
  /// false, nothing is certain, and the caller must count the bits. This function is fast: it reads only the counts of
  /// whole words of 64 bits, one bit for each point.
  @inline(__always) private func isSurelyPart(from start: UInt32, to end: UInt32) -> Bool {
    let (first, last) = (Int(start >> 6) &+ 1, Int(end >> 6))
    let count = Int64(words.before[last]) &- Int64(words.before[first])
    return count > 0 && count < Int64((last &- first) &* 64)
  }

  @inline(__always) func hasAny(of node: Node) -> Bool {
    isSurelyPart(from: node.first, to: node.first &+ node.count) || count(of: node) > 0
  }

  @inline(__always) func hasAll(of node: Node) -> Bool {
    !isSurelyPart(from: node.first, to: node.first &+ node.count) && count(of: node) == Int(node.count)
  }

  @inline(__always) func bits(of node: Node) -> UInt32 {
    let (index, shift) = (Int(node.first >> 6), UInt64(node.first & 63))
    let bits = words[index].bits &>> shift | (shift == 0 ? 0 : words[index + 1].bits &<< (64 &- shift))
    return UInt32(truncatingIfNeeded: bits) & (1 &<< node.count &- 1)
  }

  @inline(__always) func contains(_ treeIndex: Int) -> Bool {
    words[treeIndex >> 6].bits &>> UInt64(treeIndex & 63) & 1 == 1
  }

  /// Returns the tree index of the passing point with a given number. The passing points of the tree are numbered from
  /// 0, in tree order.
  ///
  /// - Precondition: the range contains that point.
  func treeIndex(ofNumber number: Int, in range: Range<Int>) -> Int {
    let number = UInt32(number)
    let index = Treeline.firstIndex(in: range.lowerBound >> 6..<(range.upperBound >> 6)) {
      words.before[$0 + 1] > number
    }
    var bits = words[index].bits
    for _ in 0..<(number - words[index].before) { bits &= bits &- 1 }
    return index << 6 | bits.trailingZeroBitCount
  }

  func firstIndex(of node: Node) -> Int {
    treeIndex(ofNumber: Int(count(before: node.first)), in: node.range)
  }

  @inline(__always) func meanOfPart(of node: Node, count: Int, in storage: TreeStorage) -> (x: Double, y: Double) {
    let box = storage.nodes[Int(node.record)].box
    if box.isPoint { return (Double(box.minX), Double(box.minY)) }
    // The prepared sums cannot be used in two cases. In the first case, the box crosses the seam and is at least half
    // the world wide. The seam is the meridian at which the plane begins and ends. Sums for boxes across the seam
    // measure x from the opposite meridian, half the world away. A box of this width may also cross the opposite
    // meridian, where x jumps back to 0. In the second case, the node lies in a bucket that may cross the seam. The
    // points of the node may then lie on either side of the seam.
    if box.isAcrossSeam && box.width >= 1 << 31 || !storage.isStored(node) && storage.mayCrossSeam(within: box) {
      return summary(of: node, in: storage).mean
    }
    let sums = selection._withUnsafeGuaranteedRef {
      $0.means(acrossSeam: box.isAcrossSeam)
        .sums(of: node.range, count: count, from: PlanePoint(x: box.minX, y: box.minY), of: self, in: storage)
    }
    // In a damaged file, points may lie outside their box.
    let (width, height) = (UInt64(count) &* UInt64(box.width), UInt64(count) &* UInt64(box.height))
    return NodeSummary.mean(of: NodeSums(x: min(sums.x, width), y: min(sums.y, height)), count: count, in: box)
  }

  func summary(of node: Node, in storage: TreeStorage) -> NodeSummary {
    let count = count(of: node)
    if count == Int(node.count) || count == 0 {
      var summary = AllPoints().summary(of: node, in: storage)
      summary.count = count
      return summary
    }
    let box = storage.nodes[Int(node.record)].box
    if box.isPoint {
      return NodeSummary(
        count: count, box: box, sums: NodeSums(x: 0, y: 0), spread: NodeSpread(xx: 0, xy: 0, yy: 0))
    }
    if !storage.isStored(node) { return bucketSummary(of: node, in: storage) }
    return selection._withUnsafeGuaranteedRef {
      $0.summaries(acrossSeam: box.isAcrossSeam).summary(of: node.range, count: count, of: self, in: storage)
    }
  }

  /// Returns the summary of the passing points of a node with up to 16 points: a bucket, or a part of a bucket.
  private func bucketSummary(of node: Node, in storage: TreeStorage) -> NodeSummary {
    withUnsafeTemporaryAllocation(of: PlanePoint.self, capacity: NodeRecord.bucketCapacity) { members in
      var (bits, count) = (bits(of: node), 0)
      while bits != 0 {
        members[count] = storage.points[Int(node.first) + bits.trailingZeroBitCount]
        bits &= bits &- 1
        count += 1
      }
      let points = UnsafeBufferPointer(rebasing: members[..<count])
      let box = storage.box(around: points, inBucket: node)
      let (sums, spread) = storage.summary(of: points, in: box)
      return NodeSummary(count: count, box: box, sums: sums, spread: spread)
    }
  }
}
