import Treeline

/// Splits a tree's nodes one after another while a distance r falls, and notes at which r each of them is split.
///
/// The rule is that of `SeparationBuild`. What makes it fast is that hardly any node is looked at in vain:
///
/// A fork that is shown has an appointment at a distance at which, or later, it can split. At first that is its own: that
/// between its children, or that up to which it scatters. When r has fallen that far, the neighbours of the children are looked at; if none is nearer
/// than r, the fork is split. Otherwise the nearest one blocks it, and as long as that is shown the fork cannot split
/// before r is their distance: so that is its next appointment. Should the blocker split sooner, the fork is
/// called for: one of the blocker's children blocks it now, or it has an appointment at once. A single position never
/// splits, so nobody needs to be called when it does. Hence whatever could split at r has an appointment at r or above,
/// and appointments are kept in the order of distances and then of the tree: the rule's own order.
///
/// About 1.3 looks at neighbours a node are what real and generated data take. All nodes shown are r apart,
/// so as long as cells are about as wide as r, each has few nodes, and few cells are near.
///
/// The idea to bound a key from above, to look again when the bound is due and to wait at what stood in the way is that of
/// lazy greedy algorithms (M. Minoux, 1978, doi:10.1007/BFb0006528); a chain of nodes in a falling order, each
/// far enough from all before it, is a farthest-point order (T. Gonzalez, 1985, doi:10.1016/0304-3975(85)90224-5) that a
/// given tree restricts.
struct SplitSequence: ~Copyable {
  let forks: UnsafeMutablePointer<Fork>
  let root: UInt32
  let metric: PlaneMetric
  let monitor: BuildMonitor
  /// The code of each fork's separation, zero to begin with.
  let separations: UnsafeMutablePointer<UInt16>

  var queue: FallingQueue
  var grid: NeighbourGrid
  var cellsAhead = CellsAhead()
  /// The square of the distance to which the grid's cells were made to measure.
  var gridSquaredDistance = UInt64.max
  /// Pieces of cells that have been looked at since.
  var piecesSinceGrid = 0
  /// Nodes that are shown now.
  var shownCount = 1
  var work = SeparationWork()
  /// For tests: told of each split, and of the square of its distance.
  let note: ((_ fork: UInt32, _ squaredDistance: UInt64) -> Void)?

  init(
    _ table: ForkTable, pointCount: Int, _ metric: PlaneMetric, _ separations: UnsafeMutablePointer<UInt16>,
    _ monitor: BuildMonitor, note: ((_ fork: UInt32, _ squaredDistance: UInt64) -> Void)? = nil
  ) {
    forks = table.forks
    root = table.root
    self.metric = metric
    self.separations = separations
    self.monitor = monitor
    self.note = note
    queue = FallingQueue(monitor)
    grid = NeighbourGrid(capacity: pointCount, metric, monitor)
  }

  /// Splits all that can be split. Of no use once the monitor was told to cancel.
  mutating func run() {
    guard root != Fork.none else { return }
    grid.insert(forks[Int(root)].position, root)
    makeAppointment(root, at: forks[Int(root)].squaredOwnDistance)
    while let appointment = queue.next() {
      fetchAhead()
      guard forks[Int(appointment.fork)].stamp == appointment.stamp else { continue }
      fitGrid(to: appointment.squaredDistance)
      // A cancelled grid lacks nodes.
      if monitor.isCancelled { return }
      stopWaiting(appointment.fork)
      look(at: appointment.fork, squaredDistance: appointment.squaredDistance)
    }
  }
}
