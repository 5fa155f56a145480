import Treeline

/// Splits a tree's nodes one after the other while a distance r falls, and records the r at which each node is split.
///
/// `SeparationBuild` states the rule. A shown node is queued at an upper bound of the distance at which the node can
/// be split. At first, the bound is the node's own distance: the greatest distance at which it may be split, whatever
/// else is shown (see `TreeStorage.squaredSplitDistance`). This distance follows from the distance between the
/// children and from the scatter of the node's points. When r has fallen to the bound, the sequence looks at the
/// neighbors of the children. If no neighbor is closer than r, the node is split. Otherwise the nearest neighbor is
/// the node's *blocker*. As long as the blocker is shown, the node cannot be split before r has fallen to the distance
/// between the blocker and the closer child. So the node is queued at this distance. If the blocker is split sooner,
/// the node is queued again: either a child of the blocker now blocks the node, or the node may be split at once. If
/// all points of the blocker have the same position, the blocker is never split, so the node stays queued at its
/// distance. Hence every node that could be split at r is queued at r or at a greater distance. The queue has the
/// order of the rule: first by distance, then by tree order.
///
/// With real and generated data, the sequence looks at the neighbors of each node about 1.3 times on average. All
/// shown nodes are at least r apart. So a cell that is about as wide as r contains few nodes, and a search reads few
/// cells.
///
/// A sequence may be a part of another sequence. The part begins with the nodes that are shown at some distance, and
/// ends at a smaller distance. The part knows only some of the nodes, and is given boxes in which unknown nodes may be
/// shown. If no known node blocks a node, but the node is near such a box, the node becomes *undecided*, because an
/// unknown node may block it. From then on, all nodes within the box of the undecided node are undecided, too: see
/// `SeparationParts`.
///
/// A node is looked at again only when r reaches the node's upper bound. This idea comes from lazy greedy algorithms
/// (M. Minoux, 1978, doi:10.1007/BFb0006528). The order of the splits is the farthest-point order (T. Gonzalez, 1985,
/// doi:10.1016/0304-3975(85)90224-5), but restricted by the given tree.
struct SplitSequence: ~Copyable {
  let nodes: UnsafeMutablePointer<InternalNode>
  /// Nodes that are shown at the beginning, in tree order.
  let shownFirst: ContiguousArray<ShownNode>
  /// Range of squared distances. The square of r falls from the upper bound of this range to the lower bound.
  let squaredDistances: ClosedRange<UInt64>
  var unknown: UnknownBoxes
  /// Whether one of the sequence's own nodes has become undecided. The sequence must compute the separations of its own
  /// nodes (`isOwn`). But the separation of an undecided node may depend on nodes that the sequence does not know. So
  /// the sequence ends once this property is true.
  private(set) var hasUndecidedOwn = false
  let projection: Plane.Projection
  let monitor: BuildMonitor
  /// Code of each node's separation. All codes are zero at the beginning.
  let separations: UnsafeMutablePointer<UInt16>

  var queue: SplitQueue
  var grid: NeighbourGrid
  var cellsAhead = CellsAhead()
  /// Square of the distance for which the grid's cells were made.
  var gridSquaredDistance = UInt64.max
  /// Number of chunks of cells that have been searched since the grid was made. A chunk holds up to four nodes of a
  /// cell.
  var chunksSinceGrid = 0
  /// Number of nodes that are shown now.
  var shownCount = 1
  var work = SeparationWork()
  /// Called for each split, with the number of the node and the split's squared distance. For tests only.
  let note: ((_ node: UInt32, _ squaredDistance: UInt64) -> Void)?

  /// A shown node and its position. `node` is the number of the node, or `InternalNode.none` if the node cannot be
  /// split.
  typealias ShownNode = (position: PlanePoint, node: UInt32)

  init(
    _ table: InternalNodeTable, pointCount: Int, _ projection: Plane.Projection,
    _ separations: UnsafeMutablePointer<UInt16>, _ monitor: BuildMonitor,
    note: ((_ node: UInt32, _ squaredDistance: UInt64) -> Void)? = nil
  ) {
    (nodes, self.projection) = (table.nodes, projection)
    shownFirst = table.root == InternalNode.none ? [] : [(table.nodes[Int(table.root)].position, table.root)]
    (squaredDistances, unknown) = (1 ... .max, UnknownBoxes(projection, reach: .max))
    (self.separations, self.monitor, self.note) = (separations, monitor, note)
    queue = SplitQueue(monitor)
    grid = NeighbourGrid(capacity: pointCount, projection, monitor)
  }

  /// Makes a sequence that is a part of another sequence.
  ///
  /// - Parameter unknown: Boxes in which other nodes may be shown at the beginning. The part does not know these nodes.
  init(
    _ part: PartNodes, _ squaredDistances: ClosedRange<UInt64>, unknown: UnknownBoxes, _ projection: Plane.Projection,
    _ monitor: BuildMonitor
  ) {
    (nodes, shownFirst, separations, self.projection) = (part.nodes, part.shown, part.codes, projection)
    (self.squaredDistances, self.unknown, self.monitor, note) = (squaredDistances, unknown, monitor, nil)
    queue = SplitQueue(monitor)
    grid = NeighbourGrid(capacity: part.shown.count + part.count, projection, monitor)
  }

  /// Splits all nodes that can be split. If the build is cancelled, the result is unusable.
  mutating func run() {
    shownCount = shownFirst.count
    remakeGrid(for: squaredDistances.upperBound)
    for (_, node) in shownFirst where node != InternalNode.none {
      enqueue(node, at: min(nodes[Int(node)].squaredOwnDistance, squaredDistances.upperBound))
    }
    while !hasUndecidedOwn, let split = queue.next() {
      prefetchAhead()
      guard nodes[Int(split.node)].stamp == split.stamp else { continue }
      if nodes[Int(split.node)].isUndecided {
        spread(nodes[Int(split.node)], split.squaredDistance)
        continue
      }
      fitGrid(to: split.squaredDistance)
      // If the build is cancelled, some nodes are missing from the grid.
      if monitor.isCancelled { return }
      stopWaiting(split.node)
      look(at: split.node, squaredDistance: split.squaredDistance)
    }
  }
}

// MARK: - Splitting

extension SplitSequence {
  /// Splits a node if it can be split at the given distance. Otherwise queues the node again, or makes the node
  /// undecided.
  @inline(__always) mutating func look(at number: UInt32, squaredDistance: UInt64) {
    let node = nodes[Int(number)]
    let nearest = nearestNeighbour(of: number, node, nearerThan: squaredDistance)
    if nearest.squaredDistance < squaredDistance {
      wait(number, for: nearest.node, orUntil: nearest.squaredDistance)
    } else if !unknown.isEmpty, unknown.reach(node.left, node.right, within: squaredDistance) {
      giveUp(number, node, squaredDistance)
    } else {
      split(number, node, at: squaredDistance)
    }
  }

  /// Makes a node undecided, because unknown nodes may affect the distance at which it is split. From now on, all nodes
  /// that may be shown instead of the node are undecided, too.
  private mutating func giveUp(_ number: UInt32, _ node: InternalNode, _ squaredDistance: UInt64) {
    nodes[Int(number)].setUndecided()
    grid.remove(number, at: node.position)
    shownCount -= 1
    unknown.insert(PlaneRect(node.position), within: squaredDistance)
    spread(node, squaredDistance)
    if node.isOwn { hasUndecidedOwn = true }
    var waiter = node.firstWaiter
    while waiter != InternalNode.none {
      let next = nodes[Int(waiter)].nextWaiter
      nodes[Int(waiter)].previousWaiter = InternalNode.none
      enqueue(waiter, at: min(nodes[Int(waiter)].squaredOwnDistance, squaredDistance))
      waiter = next
    }
  }

  /// Records that the children of an undecided node may be shown from now on, and makes these children undecided, too.
  /// When the falling distance r is small enough to split a child, the children of this child are treated in the same
  /// way.
  private mutating func spread(_ node: InternalNode, _ squaredDistance: UInt64) {
    for (child, position) in [(node.leftNode, node.left), (node.rightNode, node.right)] {
      unknown.insert(PlaneRect(position), within: squaredDistance)
      if child == InternalNode.none { continue }
      nodes[Int(child)].setUndecided()
      let own = nodes[Int(child)].squaredOwnDistance
      if own >= squaredDistance {
        spread(nodes[Int(child)], squaredDistance)
      } else if own >= squaredDistances.lowerBound {
        // Adds 1, so that this entry is taken before all other entries at the distance `own`.
        queue.add(QueuedSplit(squaredDistance: own + 1, node: child, stamp: nodes[Int(child)].stamp))
      }
    }
  }

  /// Returns the shown node with the least distance to a child of the node `number`. Skips the node `number`, although
  /// it is shown, too.
  @inline(__always) private mutating func nearestNeighbour(
    of number: UInt32, _ node: InternalNode, nearerThan squaredDistance: UInt64
  ) -> NeighbourGrid.Neighbour {
    work.looks += 1
    var nearest = NeighbourGrid.Neighbour(squaredDistance: squaredDistance)
    let reach = Self.reach(squaredDistance)
    if let area = grid.area(around: node.left, node.right, reach: reach) {
      find(node.left, node.right, in: area, but: number, &nearest)
    } else {
      for child in [node.left, node.right] {
        find(child, child, in: grid.area(around: child, child, reach: reach)!, but: number, &nearest)
      }
    }
    return nearest
  }

  @inline(__always) private mutating func find(
    _ a: PlanePoint, _ b: PlanePoint, in area: NeighbourGrid.Area, but number: UInt32,
    _ nearest: inout NeighbourGrid.Neighbour
  ) {
    let seen = grid.findNearest(to: a, b, in: area, but: number, &nearest)
    work.cells += seen.cells
    chunksSinceGrid += seen.chunks
  }

  /// Returns an upper bound of a distance, given the square of the distance. The bound is in whole units and at most
  /// 2^31.
  @inline(__always) static func reach(_ squaredDistance: UInt64) -> UInt32 {
    UInt32(min(Double(squaredDistance).squareRoot() + 1, 0x1p31))
  }

  private mutating func split(_ number: UInt32, _ node: InternalNode, at squaredDistance: UInt64) {
    separations[Int(number)] = SeparationCode(roundingDown: squaredDistance).rawValue
    nodes[Int(number)].setSplit()
    grid.replace(number, at: node.position, by: node)
    shownCount += 1
    work.splits += 1
    note?(number, squaredDistance)
    if work.splits.isMultiple(of: Self.splitsBetweenReports) {
      monitor.advance(.separating, by: Self.splitsBetweenReports)
    }
    show(node.leftNode, besides: node.right, node.rightNode, squaredDistance)
    show(node.rightNode, besides: node.left, node.leftNode, squaredDistance)
    queueWaiters(for: node, squaredDistance)
  }

  static var splitsBetweenReports: Int { 1 << 10 }

  /// Queues a node that has just been shown. In most cases the node's sibling is so near that the node cannot be split
  /// yet.
  @inline(__always) private mutating func show(
    _ number: UInt32, besides sibling: PlanePoint, _ siblingNode: UInt32, _ squaredDistance: UInt64
  ) {
    if number == InternalNode.none { return }
    let (left, right) = (nodes[Int(number)].left, nodes[Int(number)].right)
    let own = min(nodes[Int(number)].squaredOwnDistance, squaredDistance)
    let toSibling = projection.squaredDistance(sibling, toNearerOf: left, right)
    if toSibling < own { wait(number, for: siblingNode, orUntil: toSibling) } else { enqueue(number, at: own) }
  }

  /// Queues all nodes that were blocked by `node`, which has just been split. Each of these nodes is now blocked by a
  /// child of `node`, or may be split at once.
  @inline(__always) private mutating func queueWaiters(for node: InternalNode, _ squaredDistance: UInt64) {
    var waiter = node.firstWaiter
    while waiter != InternalNode.none {
      let (left, right) = (nodes[Int(waiter)].left, nodes[Int(waiter)].right)
      let next = nodes[Int(waiter)].nextWaiter
      nodes[Int(waiter)].previousWaiter = InternalNode.none
      let own = min(nodes[Int(waiter)].squaredOwnDistance, squaredDistance)
      let toLeft = projection.squaredDistance(node.left, toNearerOf: left, right)
      let toRight = projection.squaredDistance(node.right, toNearerOf: left, right)
      if min(toLeft, toRight) < own {
        wait(waiter, for: toLeft <= toRight ? node.leftNode : node.rightNode, orUntil: min(toLeft, toRight))
      } else {
        enqueue(waiter, at: own)
      }
      waiter = next
    }
  }
}

// MARK: - Waiting

extension SplitSequence {
  /// Queues a node at a distance. The falling distance r must reach this distance before the node can be split. If the
  /// sequence ends before r falls to this distance, the node is not queued. Even a sequence for a whole tree ends
  /// before r is 0, because at r = 0 the rule would allow every split: any two nodes are at least 0 apart.
  @inline(__always) mutating func enqueue(_ number: UInt32, at squaredDistance: UInt64) {
    let node = nodes + Int(number)
    node.pointee.stamp &+= 1
    guard squaredDistance >= squaredDistances.lowerBound else { return }
    queue.add(QueuedSplit(squaredDistance: squaredDistance, node: number, stamp: node.pointee.stamp))
  }

  /// Adds a node to the list of nodes that wait until their blocker is split. Also queues the node at the given
  /// distance.
  ///
  /// - Parameter blocker: The node that blocks the node `number`. If all points of the blocker have the same position,
  ///   the blocker is never split. Then this parameter is `InternalNode.none`, and the node `number` is only queued.
  @inline(__always) mutating func wait(_ number: UInt32, for blocker: UInt32, orUntil squaredDistance: UInt64) {
    if blocker != InternalNode.none {
      let next = nodes[Int(blocker)].firstWaiter
      nodes[Int(number)].nextWaiter = next
      nodes[Int(number)].previousWaiter = blocker | InternalNode.blockerMark
      if next != InternalNode.none { nodes[Int(next)].previousWaiter = number }
      nodes[Int(blocker)].firstWaiter = number
    }
    enqueue(number, at: squaredDistance)
  }

  /// Removes a node from the list in which it waits. Does nothing if the node does not wait.
  @inline(__always) mutating func stopWaiting(_ number: UInt32) {
    let (previous, next) = (nodes[Int(number)].previousWaiter, nodes[Int(number)].nextWaiter)
    if previous == InternalNode.none { return }
    if previous & InternalNode.blockerMark != 0 {
      nodes[Int(previous ^ InternalNode.blockerMark)].firstWaiter = next
    } else {
      nodes[Int(previous)].nextWaiter = next
    }
    if next != InternalNode.none { nodes[Int(next)].previousWaiter = previous }
    nodes[Int(number)].previousWaiter = InternalNode.none
  }
}
