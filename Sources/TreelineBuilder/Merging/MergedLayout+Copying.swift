import Treeline

/// A tree that was laid out before, and its subtrees that also occur in the new tree.
struct UnchangedSubtrees {
  /// The place at which a tree stores a subtree.
  struct Place {
    var first: UInt32
    /// Index of the record of the subtree's root.
    var record: UInt32
    /// Index of the first record below the subtree's root.
    var records: UInt32

    /// The place of a whole tree.
    static let root = Place(first: 0, record: 0, records: 1)
  }

  let storage: TreeStorage
  /// Places of the unchanged subtrees that are copied. Maps the root of each subtree to the place of the subtree in
  /// the old tree. Contains only the largest unchanged subtrees, and no subtree that is too small to be copied.
  let places: [UInt32: Place]
  /// Changes of row numbers since the old tree was laid out, in order.
  let shifts: [RowShift]
  /// Moments of some nodes whose children have records. The moments of a node are measured from the top left corner of
  /// the node's box.
  var moments: [UInt32: Moments<UInt128>]

  /// Whether a subtree is large enough to be copied. It is large enough if the children of its root have records.
  static func isCopied(_ node: UInt32, in tree: MergeTree) -> Bool { tree.recordCount(below: node) != 0 }
}

extension MergeTree {
  /// Returns the places of the two children of a stored node.
  func places(below node: UInt32, at place: UnchangedSubtrees.Place) -> (
    left: UnchangedSubtrees.Place, right: UnchangedSubtrees.Place
  ) {
    let (left, first) = (self[node].left, place.first)
    return (
      UnchangedSubtrees.Place(first: first, record: place.records, records: place.records + 2),
      UnchangedSubtrees.Place(
        first: first + count(of: left), record: place.records + 1,
        records: place.records + 2 + recordCount(below: left))
    )
  }
}

extension MergedLayout {
  /// Writes all nodes like `run()`, but copies unchanged subtrees.
  ///
  /// - Returns: the gaps, packed as a tree stores them.
  func run(copying unchanged: inout UnchangedSubtrees) -> UnsafeMutablePointer<UInt8> {
    arrays.gaps[pointCount - 1] = 0
    separations[0] = SeparationCode.zero.rawValue
    var (stack, written, copies) = ([Placed(node: root)], [Placed](), [Copy]())
    while let placed = stack.popLast() {
      if let place = unchanged.places[placed.node] {
        copies.append(copy(place, to: placed, &unchanged))
        continue
      }
      if placed.levelInBucket == 0 {
        write(placed)
        written.append(placed)
      }
      if tree.isLeaf(placed.node) {
        writeLeaf(placed)
      } else {
        let (left, right) = placeChildren(of: placed)
        stack.append(right)
        stack.append(left)
      }
    }
    // Goes backwards, from children to parents, because the box of a parent is made from the boxes of its children.
    for placed in written.reversed() {
      describe(Int(placed.record))
      if UnchangedSubtrees.isCopied(placed.node, in: tree) {
        unchanged.moments[placed.node] = moments[Int(placed.record)]
      }
    }
    return packedGaps(copies, from: unchanged.storage.gaps)
  }

  /// Consecutive gaps to copy (see `Gap`): the index of the first gap in the old tree, the index of this gap in the
  /// new tree, and the number of gaps.
  private struct Copy {
    let source: Int
    let target: Int
    let count: Int
  }

  private func copy(_ place: UnchangedSubtrees.Place, to placed: Placed, _ unchanged: inout UnchangedSubtrees) -> Copy {
    let (count, source, target) = (Int(tree.count(of: placed.node)), Int(place.first), Int(placed.first))
    let storage = unchanged.storage
    (arrays.points + target).initialize(from: storage.points + source, count: count)
    storage.rows.copy(from: source, count: count, to: arrays.rows + target)
    for shift in unchanged.shifts {
      shift.apply(to: UnsafeMutableBufferPointer(start: arrays.rows + target, count: count))
    }
    (separations + target + 1).initialize(from: storage.separations! + source + 1, count: count - 1)
    if let anchors {
      for index in 1..<count {
        let bit = source + index
        anchors[target + index] = storage.anchors![bit / 8] >> UInt8(bit % 8) & 1 == 1
      }
    }
    let (record, records, below) = (Int(placed.record), Int(placed.records), Int(tree.recordCount(below: placed.node)))
    (nodes.records + record).initialize(to: storage.nodes[Int(place.record)])
    nodes.records[record].childOffset = placed.records - placed.record
    (nodes.records + records).initialize(from: storage.nodes + Int(place.records), count: below)
    let (pair, oldPair) = (NodeSums.index(ofLeftChild: records), NodeSums.index(ofLeftChild: Int(place.records)))
    (nodes.sums + pair).initialize(from: storage.sums + oldPair, count: below / 2)
    (nodes.spreads + pair).initialize(from: storage.spreads + oldPair, count: below / 2)
    let points = UnsafeBufferPointer(start: arrays.points + target, count: count)
    let known = unchanged.moments[placed.node]
    let sums = known ?? Moments(points, from: nodes.records[record].box.corner)
    if known == nil { unchanged.moments[placed.node] = sums }
    (moments + record).initialize(to: sums)
    recordFirsts[record] = placed.first
    return Copy(source: source, target: target, count: count - 1)
  }

  /// Packs the gaps, two in a byte. Gaps within copied subtrees come from the old tree. All other gaps come from
  /// `arrays`.
  private func packedGaps(_ copies: [Copy], from old: UnsafePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    let byteCount = Gap.byteCount(ofPoints: pointCount)
    let packed = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCount)
    packed.initialize(repeating: 0, count: byteCount)
    func set(_ index: Int, _ gap: UInt8) { packed[index / 2] |= gap << UInt8(index % 2 * 4) }
    var next = 0
    for copy in copies {
      for index in next..<copy.target { set(index, arrays.gaps[index]) }
      next = copy.target + copy.count
      func setFromOld(_ index: Int) {
        let source = copy.source + index - copy.target
        set(index, old[source / 2] >> UInt8(source % 2 * 4) & 15)
      }
      // Bytes that hold only copied gaps are copied as a whole.
      let (firstByte, endByte) = ((copy.target + 1) / 2, next / 2)
      guard firstByte < endByte else {
        for index in copy.target..<next { setFromOld(index) }
        continue
      }
      if copy.target % 2 == 1 { setFromOld(copy.target) }
      if next % 2 == 1 { setFromOld(next - 1) }
      let source = copy.source + 2 * firstByte - copy.target
      let start = old + source / 2
      if source % 2 == 0 {
        (packed + firstByte).update(from: start, count: endByte - firstByte)
      } else {
        for byte in 0..<endByte - firstByte { packed[firstByte + byte] = start[byte] >> 4 | start[byte + 1] << 4 }
      }
    }
    for index in next..<pointCount { set(index, arrays.gaps[index]) }
    return packed
  }
}

/// A change of row numbers. If rows are inserted, a row number increases by 1 for each threshold that is not greater
/// than the row number. If rows are removed, it decreases by 1 for each such threshold.
struct RowShift: Sendable {
  /// Thresholds in rising order.
  private let thresholds: [UInt32]
  private let step: UInt32
  /// The new number of each row. Empty if there are so few thresholds that each row number is compared with all
  /// thresholds.
  private let table: [UInt32]

  /// Describes how the numbers of the remaining rows change when some rows are removed.
  ///
  /// - Parameter rows: Numbers of the removed rows, in rising order, each number once.
  init(removing rows: [UInt32], pointCount: Int) {
    self.init(thresholds: rows.map { $0 + 1 }, step: .max, pointCount: pointCount)
  }

  /// Describes how the numbers of the existing rows change when other rows are inserted.
  ///
  /// - Parameter rows: Numbers that the inserted rows have after the insertion, in rising order, each number once.
  init(inserting rows: [UInt32], pointCount: Int) {
    self.init(thresholds: rows.enumerated().map { $1 - UInt32($0) }, step: 1, pointCount: pointCount)
  }

  /// - Parameter pointCount: Number of rows before the shift.
  private init(thresholds: [UInt32], step: UInt32, pointCount: Int) {
    (self.thresholds, self.step) = (thresholds, step)
    var (table, next) = ([UInt32](repeating: 0, count: thresholds.count > Self.mostComparisons ? pointCount : 0), 0)
    for row in table.indices {
      while next < thresholds.count, thresholds[next] <= row { next += 1 }
      table[row] = UInt32(row) &+ step &* UInt32(next)
    }
    self.table = table
  }

  private static let mostComparisons = 8

  func apply(to rows: UnsafeMutableBufferPointer<UInt32>) {
    if !table.isEmpty {
      // Some leaves are no longer used. Their row numbers may be out of range, and are left unchanged.
      for index in rows.indices where Int(rows[index]) < table.count { rows[index] = table[Int(rows[index])] }
      return
    }
    // Thresholds are applied from the greatest down. A threshold changes only row numbers that are not less than the
    // threshold. After the change, these row numbers are still not less than any smaller threshold. So a later
    // comparison with a smaller threshold has the same result as before the change.
    for threshold in thresholds.reversed() {
      for index in rows.indices { rows[index] &+= rows[index] >= threshold ? step : 0 }
    }
  }
}
