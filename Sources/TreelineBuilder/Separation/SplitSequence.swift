import Treeline

/// Splits a tree's nodes one after another while a distance r falls, and notes at which r each of them is split.
///
/// The rule is that of `SeparationBuild`. A node that is shown is queued at an upper bound of the distance at which it
/// can split. At first that is its own: that between its children, or that up to which it scatters. When r has fallen
/// that far, the neighbours of the children are looked at; if none is nearer than r, the node is split. Otherwise the
/// nearest one blocks it: as long as that is shown the node cannot split before r is their distance, so there it is
/// queued next. Should the blocker split sooner, the node is queued anew: one of the blocker's children blocks it now,
/// or it may split at once. A single position never splits, so nothing waits for it. Hence whatever could split at r
/// is queued at r or above, in the rule's own order: by distance, then as in the tree.
///
/// Real and generated data take about 1.3 looks at neighbours a node. All nodes shown are r apart, so cells about as
/// wide as r hold few nodes each, and few cells are near.
///
/// A sequence may be a part of another one: it begins with nodes shown at some distance and ends at another, and there
/// may be nodes of which it is not known when they are split, since that depends on others. They are *unsure*, and all
/// below them may be shown as soon as r has fallen so far. A node that nothing known is in the way of, but something
/// unsure may be, becomes unsure itself. See `SeparationPieces`.
///
/// Looking again only when an upper bound is due is the idea of lazy greedy algorithms (M. Minoux, 1978,
/// doi:10.1007/BFb0006528); the splits are a farthest-point order (T. Gonzalez, 1985,
/// doi:10.1016/0304-3975(85)90224-5) that a given tree restricts.
struct SplitSequence: ~Copyable {
  let nodes: UnsafeMutablePointer<InternalNode>
  /// What is shown at the beginning, in tree order: those that are unsure with the mark.
  let shownFirst: ContiguousArray<ShownNode>
  /// From where to where the square of the distance falls.
  let squaredDistances: ClosedRange<UInt64>
  /// Whether a node that the sequence is run for has become unsure, which ends it.
  private(set) var hasUnsureOwn = false
  let projection: Plane.Projection
  let monitor: BuildMonitor
  /// The code of each node's separation, zero to begin with.
  let separations: UnsafeMutablePointer<UInt16>

  var queue: SplitQueue
  var grid: NeighbourGrid
  var cellsAhead = CellsAhead()
  /// The square of the distance to which the grid's cells were made to measure.
  var gridSquaredDistance = UInt64.max
  /// Pieces of cells that have been looked at since.
  var piecesSinceGrid = 0
  /// Nodes that are shown now.
  var shownCount = 1
  var work = SeparationWork()
  /// For tests: called with each split, and the square of its distance.
  let note: ((_ node: UInt32, _ squaredDistance: UInt64) -> Void)?

  /// A node that is shown, where it is; `InternalNode.none` for one that is not split.
  typealias ShownNode = (position: PlanePoint, node: UInt32)

  init(
    _ table: InternalNodeTable, pointCount: Int, _ projection: Plane.Projection,
    _ separations: UnsafeMutablePointer<UInt16>, _ monitor: BuildMonitor,
    note: ((_ node: UInt32, _ squaredDistance: UInt64) -> Void)? = nil
  ) {
    (nodes, self.projection) = (table.nodes, projection)
    shownFirst = table.root == InternalNode.none ? [] : [(table.nodes[Int(table.root)].position, table.root)]
    squaredDistances = 1 ... .max
    (self.separations, self.monitor, self.note) = (separations, monitor, note)
    queue = SplitQueue(monitor)
    grid = NeighbourGrid(capacity: pointCount, projection, monitor)
  }

  /// A part of a sequence.
  init(
    _ part: PieceNodes, _ squaredDistances: ClosedRange<UInt64>, _ projection: Plane.Projection, _ monitor: BuildMonitor
  ) {
    (nodes, shownFirst, separations, self.projection) = (part.nodes, part.shown, part.codes, projection)
    (self.squaredDistances, self.monitor, note) = (squaredDistances, monitor, nil)
    queue = SplitQueue(monitor)
    // An unsure node stays where it is beside its children.
    grid = NeighbourGrid(capacity: part.shown.count + 2 * part.count, projection, monitor)
  }

  /// Splits all that can be split. Of no use once the build is cancelled.
  mutating func run() {
    shownCount = shownFirst.count
    remakeGrid(for: squaredDistances.upperBound)
    for (_, node) in shownFirst where node & ~InternalNode.unsureMark != InternalNode.none {
      let number = node & ~InternalNode.unsureMark
      if number == node {
        enqueue(number, at: min(nodes[Int(number)].squaredOwnDistance, squaredDistances.upperBound))
      } else {
        spreadOrQueue(number, squaredDistances.upperBound)
      }
    }
    while !hasUnsureOwn, let split = queue.next() {
      prefetchAhead()
      guard nodes[Int(split.node)].stamp == split.stamp else { continue }
      if nodes[Int(split.node)].isUnsure {
        spread(split.node, split.squaredDistance)
        continue
      }
      fitGrid(to: split.squaredDistance)
      // A cancelled grid lacks nodes.
      if monitor.isCancelled { return }
      stopWaiting(split.node)
      look(at: split.node, squaredDistance: split.squaredDistance)
    }
  }
}

// MARK: - Splitting

extension SplitSequence {
  /// Splits a node if it can be split now that r has fallen to a distance; queues it again otherwise.
  @inline(__always) mutating func look(at number: UInt32, squaredDistance: UInt64) {
    let node = nodes[Int(number)]
    let nearest = nearestNeighbour(of: number, node, nearerThan: squaredDistance)
    if nearest.squaredDistance < squaredDistance {
      wait(number, for: nearest.node, orUntil: nearest.squaredDistance)
    } else if nearest.isUnsure {
      giveUp(number, node, squaredDistance)
    } else {
      split(number, node, at: squaredDistance)
    }
  }

  /// Leaves a node unsure, and what waits for it to be looked at anew.
  private mutating func giveUp(_ number: UInt32, _ node: InternalNode, _ squaredDistance: UInt64) {
    nodes[Int(number)].setUnsure()
    grid.setUnsure(number, at: node.position)
    if node.isOwn { hasUnsureOwn = true }
    var waiter = node.firstWaiter
    while waiter != InternalNode.none {
      let next = nodes[Int(waiter)].nextWaiter
      nodes[Int(waiter)].previousWaiter = InternalNode.none
      enqueue(waiter, at: min(nodes[Int(waiter)].squaredOwnDistance, squaredDistance))
      waiter = next
    }
    spread(number, squaredDistance)
  }

  /// Has the children of an unsure node be there as soon as they may be shown.
  private mutating func spreadOrQueue(_ number: UInt32, _ squaredDistance: UInt64) {
    nodes[Int(number)].setUnsure()
    let own = nodes[Int(number)].squaredOwnDistance
    if own >= squaredDistance {
      spread(number, squaredDistance)
    } else if own >= squaredDistances.lowerBound {
      // Before any look at that distance.
      queue.add(QueuedSplit(squaredDistance: own + 1, node: number, stamp: nodes[Int(number)].stamp))
    }
  }

  private mutating func spread(_ number: UInt32, _ squaredDistance: UInt64) {
    nodes[Int(number)].setSpread()
    let node = nodes[Int(number)]
    shownCount += 2
    grid.insert(node.left, node.leftNode | InternalNode.unsureMark)
    grid.insert(node.right, node.rightNode | InternalNode.unsureMark)
    if node.leftNode != InternalNode.none { spreadOrQueue(node.leftNode, squaredDistance) }
    if node.rightNode != InternalNode.none { spreadOrQueue(node.rightNode, squaredDistance) }
  }

  /// The node shown that is nearest to one of a node's children, the node itself apart.
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
    piecesSinceGrid += seen.pieces
  }

  /// No less than a distance, in whole units.
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

  /// Queues a node that is shown from now on. Its sibling is what blocks it most often.
  @inline(__always) private mutating func show(
    _ number: UInt32, besides sibling: PlanePoint, _ siblingNode: UInt32, _ squaredDistance: UInt64
  ) {
    if number == InternalNode.none { return }
    let (left, right) = (nodes[Int(number)].left, nodes[Int(number)].right)
    let own = min(nodes[Int(number)].squaredOwnDistance, squaredDistance)
    let toSibling = projection.squaredDistance(sibling, toNearerOf: left, right)
    if toSibling < own { wait(number, for: siblingNode, orUntil: toSibling) } else { enqueue(number, at: own) }
  }

  /// Queues all that a node blocked: one of its children blocks them now, or they may split at once.
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
  /// Queues a node for when r has fallen to a distance; never at 0, where any two nodes would be apart, nor below where
  /// the sequence ends.
  @inline(__always) mutating func enqueue(_ number: UInt32, at squaredDistance: UInt64) {
    let node = nodes + Int(number)
    node.pointee.stamp &+= 1
    guard squaredDistance >= squaredDistances.lowerBound else { return }
    queue.add(QueuedSplit(squaredDistance: squaredDistance, node: number, stamp: node.pointee.stamp))
  }

  /// Puts a node into the list of those that another one blocks, and queues it at a distance.
  ///
  /// - Parameter blocker: `InternalNode.none` for a single position, which nothing waits for.
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

  /// Takes a node out of the list that it is in, if any.
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
