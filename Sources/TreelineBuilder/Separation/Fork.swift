import Treeline

/// A node with two children, and who waits for it while distances fall: see `SplitSequence`.
///
/// A fork's number is the place of its right child's first point in tree order: every fork parts two neighbouring
/// points, and no two part the same ones. Numbers therefore follow tree order, and of two nodes neither of which holds
/// the other the one with the lesser number comes first.
///
/// This is a line of the caches, and all that is ever read of a fork.
struct Fork {
  /// Where its children are shown.
  var left: PlanePoint
  var right: PlanePoint
  /// The forks that the children are; `none` for a single position.
  var leftFork = Fork.none
  var rightFork = Fork.none

  /// Where it is shown itself.
  var position: PlanePoint
  /// The square of the distance at which it can split at the earliest, whatever is shown around it.
  var squaredOwnDistance: UInt64

  /// The first of the forks that wait for this one to split.
  var firstWaiter = Fork.none
  /// The next in the list of those who wait for the same one as this.
  var nextWaiter = Fork.none
  /// The one before in that list or, with the mark, the fork that is waited for; `none` if this fork is in no list.
  var previousWaiter = Fork.none

  /// Counts the appointments of this fork: only the last one is kept. `split` once its children are shown.
  var stamp: UInt32 = 0

  /// Makes a stride of 64 bytes.
  private let unused: UInt64 = 0

  init(
    left: PlanePoint, right: PlanePoint, leftFork: UInt32 = Fork.none, position: PlanePoint,
    squaredOwnDistance: UInt64 = 0
  ) {
    self.left = left
    self.right = right
    self.leftFork = leftFork
    self.position = position
    self.squaredOwnDistance = squaredOwnDistance
  }

  /// No fork: nothing is parted before the first point.
  static let none: UInt32 = 0

  private static let split: UInt32 = .max

  var isSplit: Bool { stamp == Self.split }

  mutating func setSplit() { stamp = Self.split }

  /// Numbers of forks take 31 bits.
  static let blockerMark: UInt32 = 1 << 31
}
