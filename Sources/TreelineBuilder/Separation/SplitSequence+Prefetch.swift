import CPrefetch
import Treeline

/// The nodes of consecutive splits may be anywhere in memory. Before each split, the sequence searches for neighbors
/// of the node. Without prefetching, each search would wait for a dozen cache lines, one after the other. Therefore
/// the data for later searches are prefetched, and the grid stores neighbors near each other.
extension SplitSequence {
  /// Prefetches the data for later searches for a node's neighbors, in four steps. The first step prefetches the node.
  /// The second step prefetches the nodes to which the node links, and the slots of the cells around the node. The
  /// third step prefetches the first chunks of these cells. The fourth step prefetches the chunks after them. Each
  /// step reads only data that an earlier step has prefetched.
  @inline(__always) mutating func prefetchAhead() {
    for index in queue.progress(ahead: Self.nodeAhead) {
      prefetchNode(index &+ Self.nodeAhead)
      prefetchSlots(index &+ Self.slotsAhead)
      prefetchChunks(index &+ Self.chunksAhead)
      prefetchNextPieces(index &+ Self.nextPiecesAhead)
    }
  }

  /// Each of the four steps of `prefetchAhead` runs ahead of the current search for a node's neighbors. These are the
  /// numbers of searches by which the steps run ahead. If each number were half as large, the speed would be the same.
  private static var nodeAhead: Int { 24 }
  private static var slotsAhead: Int { 18 }
  private static var chunksAhead: Int { 12 }
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

  @inline(__always) private mutating func prefetchChunks(_ index: Int) {
    guard queue.sorted.indices.contains(index) else { return }
    cellsAhead.update(index) { slot in
      let chunk = grid.chunk(inSlot: slot)
      prefetch(grid.chunks + Int(chunk))
      return chunk
    }
  }

  @inline(__always) private mutating func prefetchNextPieces(_ index: Int) {
    guard queue.sorted.indices.contains(index) else { return }
    cellsAhead.update(index) { chunk in
      prefetch(grid.chunks + Int(grid.chunks[Int(chunk)].next))
      return chunk
    }
  }

  /// Rebuilds the grid if it may run out of chunks, which hold the nodes of its cells. Also rebuilds the grid once two
  /// conditions are met: the cells are too large for the current search distance, and the searches since the last
  /// rebuild have taken as long as the next rebuild will take.
  @inline(__always) mutating func fitGrid(to squaredDistance: UInt64) {
    if squaredDistance < gridSquaredDistance / 2 && chunksSinceGrid > 4 * shownCount || grid.isExhausted {
      remakeGrid(for: squaredDistance)
    }
  }

  mutating func remakeGrid(for squaredDistance: UInt64) {
    grid.empty(for: shownCount, side: 2 * Double(squaredDistance).squareRoot())
    cellsAhead.removeAll()
    gridSquaredDistance = squaredDistance
    chunksSinceGrid = 0
    work.grids += 1
    work.nodesOnGrids += shownCount
    insertShown()
  }

  /// Inserts the shown nodes into the empty grid, approximately in tree order. So nodes that are near each other on the
  /// map are also near each other in the memory of the grid.
  private mutating func insertShown() {
    var shown: ContiguousArray<(position: PlanePoint, node: UInt32)> = []
    var stack: ContiguousArray<UInt32> = []
    func add(_ position: PlanePoint, _ node: UInt32) {
      if nodes[Int(node)].isSplit {
        stack.append(node)
      } else if !nodes[Int(node)].isUndecided {
        shown.append((position, node))
      }
    }
    for first in shownFirst {
      add(first.position, first.node)
      while let number = stack.popLast(), !monitor.isCancelled {
        let node = nodes + Int(number)
        add(node.pointee.right, node.pointee.rightNode)
        add(node.pointee.left, node.pointee.leftNode)
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

/// A ring buffer with one entry for each of the next searches for a node's neighbors. An entry lists the cells that
/// the search will read, as slot numbers or chunk numbers.
///
/// If an entry is too short for all cells of a search, the remaining cells are not prefetched.
struct CellsAhead: ~Copyable {
  private static var entryCount: Int { 16 }
  /// Number of numbers in an entry. The first of these numbers says how many of the others are in use.
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

  /// Begins an entry, which replaces an entry that is no longer needed.
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

  /// Empties all entries, because the cells that they list belong to a grid that no longer exists.
  mutating func removeAll() { for index in 0..<Self.entryCount { begin(index) } }
}
