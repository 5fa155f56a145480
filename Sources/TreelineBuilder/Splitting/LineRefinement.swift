import Treeline

/// Improves the line that divides the points of a node into two halves. In each step, the line is turned: the new line
/// consists of the positions that are equally far from the means of both halves. So each point goes to the half whose
/// mean is closer to the point. The steps end when a new line does not remove enough scatter within the halves.
struct LineRefinement {
  private var halves: Halves
  private var between: Double
  /// The best line so far.
  private(set) var split: SplitLine

  /// A turned line is kept only if the scatter between the halves grows by more than this factor, 1 + 1/2048.
  /// Otherwise the steps end. So the number of steps is always small: O(log count).
  private static let leastGrowth = 1 + 0x1p-11

  @inline(__always) init(of halves: Halves, at best: SplitPosition, across axis: PrincipalAxis, from corner: PlanePoint)
  {
    self.halves = halves
    self.halves.left = best.left
    between = best.between
    split = SplitLine(corner: corner, axis: axis, threshold: best.threshold)
  }

  /// The line to try next.
  @inline(__always) var next: SplitLine? { halves.bisector(from: split.corner) }

  /// Returns whether `left` can be the sums over the points left of a line. The sums that remain for the points right
  /// of the line must be possible, too.
  func canTake(_ left: Halves.Sums) -> Bool {
    let all = halves.all
    guard left.count <= all.count, left.x <= all.x, left.y <= all.y else { return false }
    return left.isSound && Halves.Sums(count: all.count - left.count, x: all.x - left.x, y: all.y - left.y).isSound
  }

  /// Keeps a line if it is better than the best line so far.
  ///
  /// - Parameter left: The sums over the points left of the line.
  /// - Returns: whether there is another line to try.
  @inline(__always) mutating func take(_ left: Halves.Sums, of next: SplitLine) -> Bool {
    if left == halves.left { return false }
    halves.left = left
    let nextBetween = halves.scatterBetween
    if nextBetween <= between * Self.leastGrowth { return false }
    (split, between) = (next, nextBetween)
    return true
  }
}
