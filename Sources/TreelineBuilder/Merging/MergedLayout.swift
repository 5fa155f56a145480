import Treeline

/// Lays out a tree of merges as a tree is stored: points in tree order, gaps, records in the order of a walk, and the
/// sums and covariances of their points.
struct MergedLayout {
  private let merges: Merges
  private let leaves: Leaves
  private let arrays: PointArrays
  private let pointCount: Int
  private let crossesSeam: Bool
  private let monitor: BuildMonitor

  let separations: UnsafeMutablePointer<UInt16>
  private(set) var nodes: AssembledNodes
  /// Whether any node's box is.
  private(set) var isAcrossSeam = false

  private var counts: ContiguousArray<UInt32>
  /// Where the points of each record begin.
  private var recordFirsts: ContiguousArray<UInt32> = []
  private var placements: ContiguousArray<Placement>

  /// Where a node lies that has children.
  private struct Placement {
    var first: UInt32 = 0
    /// Its record, or that of its bucket.
    var record: UInt32 = 0
    /// Of a node with stored children: on the way up how many records lie below it, on the way down where they begin.
    var records: UInt32 = 0
    var levelInBucket: UInt32 = 0
  }

  init(
    _ merges: Merges, _ leaves: Leaves, _ arrays: PointArrays, pointCount: Int, crossesSeam: Bool,
    _ monitor: BuildMonitor
  ) {
    (self.merges, self.leaves, self.arrays) = (merges, leaves, arrays)
    (self.pointCount, self.crossesSeam, self.monitor) = (pointCount, crossesSeam, monitor)
    separations = .allocate(capacity: pointCount)
    separations.initialize(repeating: SeparationCode.zero.rawValue, count: pointCount)
    counts = ContiguousArray(repeating: 0, count: merges.count)
    placements = ContiguousArray(repeating: Placement(), count: merges.count)
    nodes = AssembledNodes(recordCount: 1)
    let recordCount = countUp()
    if recordCount > 1 {
      nodes.deallocate()
      nodes = AssembledNodes(recordCount: recordCount)
    }
    recordFirsts = ContiguousArray(repeating: 0, count: recordCount)
  }

  private func count(_ node: UInt32) -> UInt32 {
    Int(node) < merges.leafCount ? leaves.count(of: Int(node)) : counts[Int(node) - merges.leafCount]
  }

  private func isStored(_ node: UInt32) -> Bool {
    Int(node) >= merges.leafCount && counts[Int(node) - merges.leafCount] > NodeRecord.bucketCapacity
  }

  private func recordsBelow(_ node: UInt32) -> UInt32 {
    isStored(node) ? placements[Int(node) - merges.leafCount].records : 0
  }

  /// Counts the points of all merges and the records below them.
  ///
  /// - Returns: how many records there are.
  private mutating func countUp() -> Int {
    monitor.pass(over: 0..<merges.count) { block in
      for merge in block {
        let (left, right) = (merges.lefts[merge], merges.rights[merge])
        counts[merge] = count(left) + count(right)
        if counts[merge] > NodeRecord.bucketCapacity {
          placements[merge].records = recordsBelow(left) + recordsBelow(right) + 2
        }
      }
    }
    return merges.count == 0 ? 1 : Int(recordsBelow(UInt32(merges.leafCount + merges.count - 1))) + 1
  }

  /// Places all nodes from the root down, and writes points, gaps, separations and the counts of records.
  mutating func place() {
    if merges.count == 0 {
      leaves.write(0, to: arrays, at: 0)
      write(record: 0, first: 0, count: UInt32(pointCount), childOffset: 0)
    } else {
      let root = UInt32(merges.leafCount + merges.count - 1)
      place(root, Placement(records: 1), isInBucket: false)
      monitor.pass(over: 0..<merges.count) { block in
        for index in block { placeChildren(of: merges.count - 1 - index) }
      }
    }
    arrays.gaps[pointCount - 1] = 0
  }

  /// The root's left child has record 1, and behind a pair lie the records below the left child, then all others.
  private mutating func placeChildren(of merge: Int) {
    let (left, right, own) = (merges.lefts[merge], merges.rights[merge], placements[merge])
    let middle = own.first + count(left)
    separations[Int(middle)] = merges.scales[merge].rawValue
    if counts[merge] > NodeRecord.bucketCapacity {
      arrays.gaps[Int(middle) - 1] = 0
      // Read before it is written over.
      let (below, behind) = (own.records + 2, own.records + 2 + recordsBelow(left))
      place(left, Placement(first: own.first, record: own.records, records: below), isInBucket: false)
      place(right, Placement(first: middle, record: own.records + 1, records: behind), isInBucket: false)
    } else {
      arrays.gaps[Int(middle) - 1] = UInt8(own.levelInBucket)
      let level = own.levelInBucket + 1
      place(left, Placement(first: own.first, record: own.record, levelInBucket: level), isInBucket: true)
      place(right, Placement(first: middle, record: own.record, levelInBucket: level), isInBucket: true)
    }
  }

  /// - Parameter isInBucket: whether it has no record of its own.
  private mutating func place(_ node: UInt32, _ placement: Placement, isInBucket: Bool) {
    if !isInBucket {
      let childOffset = isStored(node) ? placement.records - placement.record : 0
      write(
        record: Int(placement.record), first: placement.first, count: count(node), childOffset: childOffset)
    }
    if Int(node) < merges.leafCount {
      leaves.write(Int(node), to: arrays, at: Int(placement.first))
    } else {
      placements[Int(node) - merges.leafCount] = placement
    }
  }

  /// All of a record but its box.
  private mutating func write(record: Int, first: UInt32, count: UInt32, childOffset: UInt32) {
    recordFirsts[record] = first
    (nodes.records + record).initialize(
      to: NodeRecord(
        box: PlaneRect(minX: 0, minY: 0, maxX: 0, maxY: 0), count: count, childOffset: childOffset))
  }
}

// MARK: - Boxes and moments

extension MergedLayout {
  /// Describes all records from the last up: children lie behind their parents.
  mutating func describeNodes() {
    var moments = ContiguousArray(repeating: Moments<UInt128>(), count: nodes.recordCount)
    monitor.pass(over: 0..<nodes.recordCount) { block in
      for index in block {
        let record = nodes.recordCount - 1 - index
        moments[record] = describe(record, moments)
      }
    }
  }

  /// - Parameter moments: of the records behind this one, each measured from the corner of its box.
  /// - Returns: those of this record.
  private mutating func describe(_ record: Int, _ moments: ContiguousArray<Moments<UInt128>>) -> Moments<UInt128> {
    let node = nodes.records + record
    let first = Int(recordFirsts[record])
    let points = UnsafeBufferPointer(start: arrays.points + first, count: Int(node.pointee.count))
    guard node.pointee.childOffset != 0 else {
      // A stack may be large.
      let isStack = points.count > NodeRecord.bucketCapacity
      node.pointee.box = isStack ? PlaneRect(points[0]) : box(of: points)
      noteSeam(node.pointee.box)
      return isStack
        ? Moments(count: UInt64(points.count)) : Moments(points, from: node.pointee.box.corner)
    }
    let left = record + Int(node.pointee.childOffset)
    let (a, b) = (nodes.records[left].box, nodes.records[left + 1].box)
    var sum: Moments<UInt128>
    if let box = united(a, b) {
      node.pointee.box = box
      sum = moments[left].moved(back: a, to: box) + moments[left + 1].moved(back: b, to: box)
    } else {
      node.pointee.box = box(of: points)
      sum = Moments(points, from: node.pointee.box.corner)
    }
    noteSeam(node.pointee.box)
    let pair = (left - 1) / 2
    (nodes.sums + pair).initialize(to: NodeSums(x: sum.x, y: sum.y))
    (nodes.spreads + pair).initialize(to: Scatter(sum).spread(count: sum.count))
    return sum
  }

  private func box(of points: UnsafeBufferPointer<PlanePoint>) -> PlaneRect {
    if crossesSeam { return PlaneRect(shorterWayAround: points) }
    return points.dropFirst().reduce(into: PlaneRect(points[0])) { $0.formUnion($1) }
  }

  /// The box of two nodes' points; nil if it has to be found from them, as where a node across the seam becomes part of
  /// one that is too wide for that.
  private func united(_ a: PlaneRect, _ b: PlaneRect) -> PlaneRect? {
    var box = a.union(b)
    guard crossesSeam else { return box }
    let longitudes = a.longitudes.joined(with: b.longitudes)
    if !longitudes.isAcrossSeam && (a.isAcrossSeam || b.isAcrossSeam) { return nil }
    (box.minX, box.maxX) = (longitudes.west, longitudes.east)
    return box
  }

  private mutating func noteSeam(_ box: PlaneRect) { if box.isAcrossSeam { isAcrossSeam = true } }
}

extension PlaneRect {
  fileprivate var longitudes: Longitudes { Longitudes(west: minX, east: maxX) }
  fileprivate var corner: PlanePoint { PlanePoint(x: minX, y: minY) }
}

extension Moments<UInt128> {
  /// The same points measured from the corner of a larger box, which lies farther west, the way around if need be, and
  /// north.
  fileprivate func moved(back box: PlaneRect, to larger: PlaneRect) -> Moments {
    let (dx, dy) = (UInt128(box.minX &- larger.minX), UInt128(box.minY &- larger.minY))
    let (n, sumX, sumY) = (UInt128(count), UInt128(x), UInt128(y))
    return Moments(
      count: count, x: UInt64(sumX + n * dx), y: UInt64(sumY + n * dy), xx: xx + (2 * sumX + n * dx) * dx,
      xy: xy + sumX * dy + sumY * dx + n * dx * dy, yy: yy + (2 * sumY + n * dy) * dy)
  }
}
