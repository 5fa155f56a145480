import Treeline

/// A node with two children, and whom it waits for while distances fall: see `SplitSequence`.
///
/// A fork's number is the place of its right child's first point in tree order: every fork parts two neighbouring
/// points, and no two part the same ones. Numbers therefore follow tree order, and of two nodes neither of which holds
/// the other the one with the lesser number comes first.
struct Fork {
  var position: PlanePoint
  var left: PlanePoint
  var right: PlanePoint
  /// The forks that the children are; `none` for a single position.
  var leftFork = Fork.none
  var rightFork = Fork.none

  /// Counts the entries of this fork in the queue: only the last one counts. `split` once its children are shown.
  var stamp: UInt32 = 0

  /// The forks that wait for this one to split are a list, linked both ways.
  var firstWaiter = Fork.none
  /// In the list that this fork is in.
  var nextWaiter = Fork.none
  /// The one before in that list or, marked as such, the fork that is waited for; `none` if this one is in no list.
  var previousWaiter = Fork.none

  /// No fork: nothing is parted before the first point.
  static let none: UInt32 = 0
  static let split: UInt32 = .max
  /// Numbers of points take 31 bits.
  static let blockerMark: UInt32 = 1 << 31

  var isSplit: Bool { stamp == Self.split }
}
