import CPrefetch
import Treeline

/// The nodes that split one after another lie anywhere in the memory. Left to itself each look waits for a dozen lines of
/// it, one after another, and little else happens; both parts here are about that.
extension SplitSequence {
  /// Has the machine fetch what looks are going to need, in steps, so that by the time of each what it needs itself is
  /// there: first the fork; then, of it, the forks around it and the slots of cells; of these the pieces; and of these the
  /// next ones. Nothing waits, as it would if all that were read.
  @inline(__always)
  mutating func fetchAhead() {
    for place in queue.progress(ahead: Self.forkAhead) {
      fetchFork(place &+ Self.forkAhead)
      fetchSlots(place &+ Self.slotsAhead)
      fetchPieces(place &+ Self.piecesAhead)
      fetchNextPieces(place &+ Self.nextPiecesAhead)
    }
  }

  /// How many looks before the one that needs it. Half as many do as well.
  private static var forkAhead: Int { 24 }
  private static var slotsAhead: Int { 18 }
  private static var piecesAhead: Int { 12 }
  private static var nextPiecesAhead: Int { 6 }

  @inline(__always)
  private func fetchFork(_ place: Int) {
    guard queue.sorted.indices.contains(place) else { return }
    prefetch(forks + Int(queue.sorted[place].fork))
    prefetch(separations + Int(queue.sorted[place].fork))
  }

  @inline(__always)
  private mutating func fetchSlots(_ place: Int) {
    guard queue.sorted.indices.contains(place) else { return }
    let appointment = queue.sorted[place]
    cellsAhead.begin(place)
    let fork = forks + Int(appointment.fork)
    guard fork.pointee.stamp == appointment.stamp else { return }
    prefetch(forks + Int(fork.pointee.leftFork))
    prefetch(forks + Int(fork.pointee.rightFork))
    prefetch(forks + Int(fork.pointee.firstWaiter))
    prefetch(forks + Int(fork.pointee.nextWaiter))
    prefetch(forks + Int(fork.pointee.previousWaiter & ~Fork.blockerMark))
    let reach = Self.reach(appointment.squaredDistance)
    guard let area = grid.area(around: fork.pointee.left, fork.pointee.right, reach: reach) else { return }
    grid.forEachCell(of: area) { column, row in
      let slot = grid.firstSlot(column, row)
      grid.prefetchSlot(slot)
      cellsAhead.append(slot, to: place)
    }
  }

  @inline(__always)
  private mutating func fetchPieces(_ place: Int) {
    guard queue.sorted.indices.contains(place) else { return }
    cellsAhead.update(place) { slot in
      let piece = grid.piece(inSlot: slot)
      prefetch(grid.pieces + Int(piece))
      return piece
    }
  }

  @inline(__always)
  private mutating func fetchNextPieces(_ place: Int) {
    guard queue.sorted.indices.contains(place) else { return }
    cellsAhead.update(place) { piece in
      prefetch(grid.pieces + Int(grid.pieces[Int(piece)].next))
      return piece
    }
  }

  /// Cuts the grid anew where its cells have become too large for r, and looking through them has cost as much as that will.
  @inline(__always)
  mutating func fitGrid(to squaredDistance: UInt64) {
    if squaredDistance < gridSquaredDistance / 2 && piecesSinceGrid > 4 * shownCount || grid.isExhausted {
      layGrid(for: squaredDistance)
    }
  }

  private mutating func layGrid(for squaredDistance: UInt64) {
    grid.empty(for: shownCount, side: 2 * Double(squaredDistance).squareRoot())
    cellsAhead.forgetAll()
    gridSquaredDistance = squaredDistance
    piecesSinceGrid = 0
    work.grids += 1
    work.nodesOnGrids += shownCount
    insertShown()
  }

  /// Puts the nodes shown into the empty grid in tree order, more or less: so those near each other on the map come near
  /// each other in its memory too.
  private mutating func insertShown() {
    var shown: ContiguousArray<(position: PlanePoint, fork: UInt32)> = []
    var stack: ContiguousArray<UInt32> = []
    func add(_ position: PlanePoint, _ fork: UInt32) {
      if forks[Int(fork)].isSplit { stack.append(fork) } else { shown.append((position, fork)) }
    }
    add(forks[Int(root)].position, root)
    while let number = stack.popLast(), !monitor.isCancelled {
      let fork = forks + Int(number)
      add(fork.pointee.right, fork.pointee.rightFork)
      add(fork.pointee.left, fork.pointee.leftFork)
      if shown.count >= Self.nodesInsertedAtOnce { insert(&shown) }
    }
    insert(&shown)
  }

  private static var nodesInsertedAtOnce: Int { 64 }

  private mutating func insert(_ shown: inout ContiguousArray<(position: PlanePoint, fork: UInt32)>) {
    for node in shown {
      grid.prefetchSlot(grid.firstSlot(grid.column(node.position.x), grid.column(node.position.y)))
    }
    for node in shown { grid.insert(node.position, node.fork) }
    shown.removeAll(keepingCapacity: true)
  }
}
