import Treeline

/// A node with two children, and who waits for it while distances fall: see `SplitSequence`.
///
/// A fork's number is the place of its right child's first point in tree order: every fork parts two neighbouring
/// points, and no two part the same ones. Numbers therefore follow tree order, and of two nodes neither of which holds
/// the other the one with the lesser number comes first.
///
/// This is half a line of the caches, and as a rule the only thing that is read of a fork.
struct Fork {
  var left: PlanePoint
  var right: PlanePoint
  /// The forks that the children are; `none` for a single position.
  var leftFork = Fork.none
  var rightFork = Fork.none

  /// Counts the appointments of this fork: only the last one is kept. `split` once its children are shown.
  var stamp: UInt32 = 0

  /// The first of the forks that wait for this one to split.
  var firstWaiter = Fork.none

  /// No fork: nothing is parted before the first point.
  static let none: UInt32 = 0

  private static let split: UInt32 = .max

  var isSplit: Bool { stamp == Self.split }

  mutating func setSplit() { stamp = Self.split }
}

/// What of a fork is needed now and then: where it is shown, how far it scatters, and its neighbours in the list of those who wait for the same
/// one.
struct ForkPlace {
  var position: PlanePoint
  /// The square of the distance up to which its points scatter: see `TreeStorage.squaredScatterDistance`.
  var squaredScatter: UInt64

  var nextWaiter = Fork.none
  /// The one before in the list or, with the mark, the fork that is waited for; `none` if this fork is in no list.
  var previousWaiter = Fork.none

  /// Numbers of forks take 31 bits.
  static let blockerMark: UInt32 = 1 << 31
}
