import Treeline

/// The nodes that split one after another lie anywhere in the memory. Left to itself each look waits for a dozen lines of
/// it, one after another, and little else happens; both parts here are about that.
extension SplitSequence {
  /// Reads what looks at some appointments' forks are going to need: lines that do not depend on each other, so that the
  /// machine fetches a dozen at a time. It halves the time of all.
  @inline(never)
  mutating func readMemory(of ahead: Range<Int>) {
    var sum: UInt32 = 0
    for index in ahead {
      let number = Int(queue.sorted[index].fork)
      sum &+= forks[number].stamp
    }
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: Self.cellsReadAhead) { cells in
      var count = 0
      for index in ahead {
        let appointment = queue.sorted[index]
        let fork = forks + Int(appointment.fork)
        guard fork.pointee.stamp == appointment.stamp else { continue }
        sum &+= forks[Int(fork.pointee.leftFork)].stamp &+ forks[Int(fork.pointee.rightFork)].stamp
        sum &+= forks[Int(fork.pointee.firstWaiter)].stamp
        let reach = Self.reach(appointment.squaredDistance)
        guard let area = grid.area(around: fork.pointee.left, fork.pointee.right, reach: reach) else {
          continue
        }
        grid.forEachCell(of: area) { column, row in
          guard count < cells.count else { return }
          cells[count] = grid.firstSlot(column, row)
          count += 1
        }
      }
      // From slots to first pieces, and on to the next ones until none is left. Each loop does nothing but read, so that
      // the machine is ahead of itself by as many lines as it can.
      for index in 0..<count { cells[index] = grid.piece(inSlot: cells[index]) }
      while count > 0 {
        var more = 0
        for index in 0..<count {
          cells[more] = grid.pieces[Int(cells[index])].next
          more += cells[more] == 0 ? 0 : 1
        }
        count = more
      }
    }
    work.sumOfMemory &+= sum
  }

  private static var cellsReadAhead: Int { 256 }

  /// Cuts the grid anew where its cells have become too large for r, and looking through them has cost as much as that will.
  @inline(__always)
  mutating func fitGrid(to squaredDistance: UInt64) {
    if squaredDistance < gridSquaredDistance / 2 && piecesSinceGrid > 4 * shownCount || grid.isExhausted {
      layGrid(for: squaredDistance)
    }
  }

  private mutating func layGrid(for squaredDistance: UInt64) {
    grid.empty(for: shownCount, side: 2 * Double(squaredDistance).squareRoot())
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
    var sum: UInt32 = 0
    for node in shown {
      sum &+= grid.piece(inSlot: grid.firstSlot(grid.column(node.position.x), grid.column(node.position.y)))
    }
    work.sumOfMemory &+= sum
    for node in shown { grid.insert(node.position, node.fork) }
    shown.removeAll(keepingCapacity: true)
  }
}
