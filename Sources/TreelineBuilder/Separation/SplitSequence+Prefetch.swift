import CPrefetch
import Treeline

/// Nodes that are split one after another lie anywhere in memory, so that each look would wait for a dozen cache lines
/// in turn: what it needs is prefetched, and the grid keeps neighbours near each other.
extension SplitSequence {
  /// Prefetches what the next looks need, in steps each of which reads only what an earlier one has fetched: first the
  /// node; then the nodes linked to it and the slots of its cells; of these the pieces; and of these the next ones.
  @inline(__always) mutating func prefetchAhead() {
    for index in queue.progress(ahead: Self.nodeAhead) {
      prefetchNode(index &+ Self.nodeAhead)
      prefetchSlots(index &+ Self.slotsAhead)
      prefetchPieces(index &+ Self.piecesAhead)
      prefetchNextPieces(index &+ Self.nextPiecesAhead)
    }
  }

  /// How many looks before the one that needs it. Half as many do as well.
  private static var nodeAhead: Int { 24 }
  private static var slotsAhead: Int { 18 }
  private static var piecesAhead: Int { 12 }
  private static var nextPiecesAhead: Int { 6 }

  @inline(__always) private func prefetchNode(_ index: Int) {
    guard queue.sorted.indices.contains(index) else { return }
    prefetch(nodes + Int(queue.sorted[index].node))
    prefetch(separations + Int(queue.sorted[index].node))
  }

  @inline(__always) private mutating func prefetchSlots(_ index: Int) {
    guard queue.sorted.indices.contains(index) else { return }
    let split = queue.sorted[index]
    cellsAhead.begin(index)
    let node = nodes + Int(split.node)
    guard node.pointee.stamp == split.stamp else { return }
    prefetch(nodes + Int(node.pointee.leftNode))
    prefetch(nodes + Int(node.pointee.rightNode))
    prefetch(nodes + Int(node.pointee.firstWaiter))
    prefetch(nodes + Int(node.pointee.nextWaiter))
    prefetch(nodes + Int(node.pointee.previousWaiter & ~InternalNode.blockerMark))
    let reach = Self.reach(split.squaredDistance)
    guard let area = grid.area(around: node.pointee.left, node.pointee.right, reach: reach) else { return }
    grid.forEachCell(of: area) { column, row in
      let slot = grid.firstSlot(column, row)
      grid.prefetchSlot(slot)
      cellsAhead.append(slot, to: index)
    }
  }

  @inline(__always) private mutating func prefetchPieces(_ index: Int) {
    guard queue.sorted.indices.contains(index) else { return }
    cellsAhead.update(index) { slot in
      let piece = grid.piece(inSlot: slot)
      prefetch(grid.pieces + Int(piece))
      return piece
    }
  }

  @inline(__always) private mutating func prefetchNextPieces(_ index: Int) {
    guard queue.sorted.indices.contains(index) else { return }
    cellsAhead.update(index) { piece in
      prefetch(grid.pieces + Int(grid.pieces[Int(piece)].next))
      return piece
    }
  }

  /// Makes the grid anew if its cells have become too large for r, and searching them has cost as much as that will.
  @inline(__always) mutating func fitGrid(to squaredDistance: UInt64) {
    if squaredDistance < gridSquaredDistance / 2 && piecesSinceGrid > 4 * shownCount || grid.isExhausted {
      remakeGrid(for: squaredDistance)
    }
  }

  mutating func remakeGrid(for squaredDistance: UInt64) {
    grid.empty(for: shownCount, side: 2 * Double(squaredDistance).squareRoot())
    cellsAhead.removeAll()
    gridSquaredDistance = squaredDistance
    piecesSinceGrid = 0
    work.grids += 1
    work.nodesOnGrids += shownCount
    insertShown()
  }

  /// Puts the nodes shown into the empty grid, more or less in tree order: so those near each other on the map are
  /// near each other in its memory too.
  private mutating func insertShown() {
    var shown: ContiguousArray<(position: PlanePoint, node: UInt32)> = []
    var stack: ContiguousArray<UInt32> = []
    func add(_ position: PlanePoint, _ node: UInt32) {
      if node & InternalNode.unsureMark == 0 {
        if nodes[Int(node)].isSplit {
          stack.append(node)
          return
        }
        shown.append((position, nodes[Int(node)].isUnsure ? node | InternalNode.unsureMark : node))
      } else {
        shown.append((position, node))
      }
      let number = node & ~InternalNode.unsureMark
      if nodes[Int(number)].isSpread { stack.append(number) }
    }
    for first in shownFirst {
      add(first.position, first.node)
      while let number = stack.popLast(), !monitor.isCancelled {
        let node = nodes + Int(number)
        let mark = node.pointee.isSpread ? InternalNode.unsureMark : 0
        add(node.pointee.right, node.pointee.rightNode | mark)
        add(node.pointee.left, node.pointee.leftNode | mark)
        if shown.count >= Self.nodesInsertedAtOnce { insert(&shown) }
      }
      if shown.count >= Self.nodesInsertedAtOnce { insert(&shown) }
    }
    insert(&shown)
  }

  private static var nodesInsertedAtOnce: Int { 64 }

  private mutating func insert(_ shown: inout ContiguousArray<(position: PlanePoint, node: UInt32)>) {
    for node in shown { grid.prefetchSlot(grid.firstSlot(grid.column(node.position.x), grid.column(node.position.y))) }
    for node in shown { grid.insert(node.position, node.node) }
    shown.removeAll(keepingCapacity: true)
  }
}

/// The cells that each of the next looks will read, by slot or piece number: a ring buffer of some numbers an entry.
///
/// There may be more cells than it has room for; the rest is not prefetched.
struct CellsAhead: ~Copyable {
  private static var entryCount: Int { 16 }
  /// Numbers an entry, the first being their count.
  private static var stride: Int { 16 }

  private let numbers: UnsafeMutablePointer<UInt32>

  init() {
    numbers = .allocate(capacity: Self.entryCount * Self.stride)
    numbers.initialize(repeating: 0, count: Self.entryCount * Self.stride)
  }

  deinit { numbers.deallocate() }

  @inline(__always) private func start(_ index: Int) -> UnsafeMutablePointer<UInt32> {
    numbers + (index & (Self.entryCount &- 1)) &* Self.stride
  }

  /// Begins an entry, in place of one long past.
  @inline(__always) mutating func begin(_ index: Int) { start(index).pointee = 0 }

  @inline(__always) mutating func append(_ number: UInt32, to index: Int) {
    let start = start(index)
    guard start.pointee < Self.stride &- 1 else { return }
    start.pointee &+= 1
    start[Int(start.pointee)] = number
  }

  /// Replaces the numbers of an entry.
  @inline(__always) mutating func update(_ index: Int, _ transform: (UInt32) -> UInt32) {
    let start = start(index)
    var number = 1
    while number <= start.pointee {
      start[number] = transform(start[number])
      number &+= 1
    }
  }

  /// Empties all entries: the grid that the numbers belong to is gone.
  mutating func removeAll() { for index in 0..<Self.entryCount { begin(index) } }
}
