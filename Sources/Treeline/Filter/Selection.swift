import Synchronization

/// The points that pass a filter: a bit for each in tree order and, for each 64 of them, how many pass before.
///
/// Immutable, but for what is prepared when it is first asked for: any number of threads may query it.
package final class Selection: Sendable {
  /// 64 points.
  struct Word {
    var bits: UInt64
    /// How many points pass before these.
    var before: UInt64
  }

  /// One more than the points fill, so that the end of the last point has a word, too.
  nonisolated(unsafe) let words: UnsafeMutablePointer<Word>
  let wordCount: Int
  let storage: TreeStorage

  /// How many points pass.
  package let count: Int

  /// The conditions that points pass which pass all of them; nil where it was not made of any.
  let terms: [FilterTerm]?

  /// What was prepared of columns for the points that pass.
  let prepared = PreparedColumns()

  /// Of each node what its passing points are: in the order of x, and, made when it is needed, with the plane turned by
  /// half the world, so that a node across the seam is in one piece.
  private let summaries = AtomicLazyReference<PassingSummaries>()
  private let turnedSummaries = AtomicLazyReference<PassingSummaries>()

  /// How many words so many points have, with the one at the end.
  static func wordCount(ofPoints pointCount: Int) -> Int { pointCount / 64 + 1 }

  /// - Parameter fill: Sets the bits of all words, those beyond the last point to 0.
  init(
    of storage: TreeStorage, terms: [FilterTerm]? = nil, filling fill: (UnsafeMutableBufferPointer<Word>) -> Void
  ) {
    (self.storage, self.terms) = (storage, terms)
    wordCount = Self.wordCount(ofPoints: storage.pointCount)
    words = .allocate(capacity: wordCount)
    words.initialize(repeating: Word(bits: 0, before: 0), count: wordCount)
    let words = UnsafeMutableBufferPointer(start: words, count: wordCount)
    fill(words)
    var count: UInt64 = 0
    for index in words.indices {
      words[index].before = count
      count &+= UInt64(words[index].bits.nonzeroBitCount)
    }
    self.count = Int(count)
  }

  deinit { words.deallocate() }

  /// The points that pass both.
  func intersection(_ other: Selection) -> Selection {
    precondition(storage === other.storage, "Expected two filters over one tree, found filters over two trees")
    return Selection(of: storage) { words in
      for index in words.indices { words[index].bits = self.words[index].bits & other.words[index].bits }
    }
  }

  /// What a query counts by.
  var points: PassingPoints { PassingPoints(words: UnsafePointer(words), selection: .passUnretained(self)) }

  /// - Complexity: O(pointCount) at the first call, O(1) from then on.
  func summaries(acrossSeam: Bool) -> PassingSummaries {
    acrossSeam ? prepared(turnedSummaries, turnedBy: 1 << 31) : prepared(summaries, turnedBy: 0)
  }

  private func prepared(_ reference: borrowing AtomicLazyReference<PassingSummaries>, turnedBy turn: UInt32)
    -> PassingSummaries
  {
    // Of two threads that ask for it first, both may do the work.
    reference.load() ?? reference.storeIfNil(PassingSummaries(of: self, turnedBy: turn))
  }

  /// About how many bytes it takes, once everything is prepared.
  var byteCount: Int { wordCount * (MemoryLayout<Word>.stride + PassingSummaries.bytesPerWord) }
}

/// The points that a query counts: all of a tree, or those that pass a filter. Cuts are written once for both.
protocol CountedPoints {
  /// Whether no point is left out, for the compiler.
  static var areAll: Bool { get }

  func count(of node: Node) -> Int

  /// The same of both children of a node.
  func counts(of pair: ChildPair, of node: Node) -> (left: UInt32, right: UInt32)

  /// Whether each point of a node counts.
  func hasAll(of node: Node) -> Bool

  /// Those of a node of up to 16 points: bit i is for its point i.
  func bits(of node: Node) -> UInt32

  func contains(_ treeIndex: Int) -> Bool

  /// The tree index of the first point of a node that counts, of which there is one.
  func firstIndex(of node: Node) -> Int

  /// The sums and the covariance of the points of a node that count, and the smallest box around them; all points of a
  /// node without any.
  ///
  /// - Precondition: `storage.checkSummary(of: node)`.
  func summary(of node: Node, in storage: TreeStorage) -> NodeSummary
}

/// What is known of the points of a node.
struct NodeSummary {
  var count: Int
  var box: PlaneRect
  /// Measured from the top left corner of the box.
  var sums: NodeSums
  var spread: NodeSpread

  /// The mean, in units of the plane.
  var mean: (x: Double, y: Double) {
    let count = Double(count)
    let (x, y) = (Double(box.minX) + Double(sums.x) / count, Double(box.minY) + Double(sums.y) / count)
    // Across the seam it may lie beyond the plane's last unit.
    return (x < 0x1p32 ? x : x - 0x1p32, y)
  }
}

extension CountedPoints {
  /// How many points of a node count, and how they spread.
  @inline(__always) func spread(of node: Node, in storage: TreeStorage) -> (count: Int, spread: NodeSpread) {
    let summary = summary(of: node, in: storage)
    return (summary.count, summary.spread)
  }

  @inline(__always) func hasAny(of node: Node) -> Bool { Self.areAll ? true : count(of: node) > 0 }
}

/// All points of a tree.
struct AllPoints: CountedPoints {
  static var areAll: Bool { true }
  @inline(__always) func count(of node: Node) -> Int { Int(node.count) }
  @inline(__always) func counts(of pair: ChildPair, of node: Node) -> (left: UInt32, right: UInt32) {
    (pair.leftCount, node.count &- pair.leftCount)
  }
  @inline(__always) func hasAll(of node: Node) -> Bool { true }
  @inline(__always) func bits(of node: Node) -> UInt32 { .max }
  @inline(__always) func contains(_ treeIndex: Int) -> Bool { true }
  @inline(__always) func firstIndex(of node: Node) -> Int { Int(node.first) }

  @inline(__always) func summary(of node: Node, in storage: TreeStorage) -> NodeSummary {
    let box = storage.box(of: node)
    let (sums, spread) = storage.summary(of: node, in: box)
    return NodeSummary(count: Int(node.count), box: box, sums: sums, spread: spread)
  }
}

/// The points of a tree that pass a filter. Valid as long as the selection is.
struct PassingPoints: CountedPoints {
  let words: UnsafePointer<Selection.Word>
  fileprivate let selection: Unmanaged<Selection>

  static var areAll: Bool { false }

  /// How many points pass before one.
  @inline(__always) func count(before treeIndex: UInt32) -> UInt64 {
    let word = words[Int(treeIndex >> 6)]
    return word.before &+ UInt64((word.bits & (1 &<< UInt64(treeIndex & 63) &- 1)).nonzeroBitCount)
  }

  func count(in range: Range<Int>) -> Int {
    Int(count(before: UInt32(range.upperBound)) - count(before: UInt32(range.lowerBound)))
  }

  @inline(__always) func count(of node: Node) -> Int {
    Int(count(before: node.first &+ node.count) &- count(before: node.first))
  }

  @inline(__always) func counts(of pair: ChildPair, of node: Node) -> (left: UInt32, right: UInt32) {
    let middle = count(before: node.first &+ pair.leftCount)
    return (
      UInt32(truncatingIfNeeded: middle &- count(before: node.first)),
      UInt32(truncatingIfNeeded: count(before: node.first &+ node.count) &- middle)
    )
  }

  @inline(__always) func hasAll(of node: Node) -> Bool { count(of: node) == Int(node.count) }

  @inline(__always) func bits(of node: Node) -> UInt32 {
    let (index, shift) = (Int(node.first >> 6), UInt64(node.first & 63))
    let bits = words[index].bits &>> shift | (shift == 0 ? 0 : words[index + 1].bits &<< (64 &- shift))
    return UInt32(truncatingIfNeeded: bits) & (1 &<< node.count &- 1)
  }

  @inline(__always) func contains(_ treeIndex: Int) -> Bool {
    words[treeIndex >> 6].bits &>> UInt64(treeIndex & 63) & 1 == 1
  }

  /// The tree index of the passing point before which so many pass.
  ///
  /// - Precondition: more than so many pass.
  func treeIndex(ofNumber number: Int, in range: Range<Int>) -> Int {
    let number = UInt64(number)
    let index = Treeline.firstIndex(in: range.lowerBound >> 6..<(range.upperBound >> 6)) {
      words[$0 + 1].before > number
    }
    var bits = words[index].bits
    for _ in 0..<(number - words[index].before) { bits &= bits &- 1 }
    return index << 6 | bits.trailingZeroBitCount
  }

  func firstIndex(of node: Node) -> Int {
    treeIndex(ofNumber: Int(count(before: node.first)), in: node.range)
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

  /// Of up to 16 points.
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
