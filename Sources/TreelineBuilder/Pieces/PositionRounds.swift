import Treeline

/// The search for the position along an axis that leaves the least scatter, where points are not in memory: passes
/// over them give the sums by bin, and every bin that may hold the best position is divided again in the next one.
///
/// It ends with the position that `SplitPositionSearch` finds, by the same bounds. Of n points it divides some 2^11
/// bins at first, then the 50 or so that may still hold the best position, then those of a few points each that are
/// left, of which there are O(√n): 3 or 4 passes, and a few more where there is room for few bins. Those that promise
/// most come first then.
struct PositionRounds: Sendable {
  private let corner: PlanePoint
  private var bounds: PositionBounds
  /// What is to be divided, or is being.
  private var candidates: [Candidate]
  private var asked: [Candidate] = []

  /// Points whose dot products are in a range, any of which may have the best position behind it.
  private struct Candidate: Sendable {
    let least: Int64
    let most: Int64
    let sums: Halves.Sums
    /// The sums over all points of lesser products.
    let left: Halves.Sums
    let mostBetween: Double

    var isEverything: Bool { least == .min && most == .max }
  }

  /// A bin is divided into as many as 2 to this at least.
  private static let leastBits = 2

  /// - Parameter moments: of all points, measured from `corner`.
  init(of moments: Moments<UInt128>, from corner: PlanePoint, across axis: PrincipalAxis) {
    self.corner = corner
    bounds = PositionBounds(
      halves: Halves(of: moments), axis: axis, scatter: AxialScatter(of: moments, along: axis))
    candidates = [
      Candidate(least: .min, most: .max, sums: bounds.halves.all, left: Halves.Sums(), mostBetween: .infinity)
    ]
  }

  /// What to ask next; nil once the best position is known.
  ///
  /// - Parameter mostBins: about how many bins there may be.
  mutating func next(mostBins: Int) -> PositionQuestion? {
    if candidates.isEmpty { return nil }
    candidates.sort { $0.mostBetween > $1.mostBetween }
    asked = Array(candidates.prefix(max(1, mostBins >> (Self.leastBits + 1))))
    candidates.removeFirst(asked.count)
    asked.sort { $0.least < $1.least }
    let mostBits = min(
      max(Int.bitWidth - 1 - (mostBins / asked.count).leadingZeroBitCount, Self.leastBits), BinScale.mostBits)
    var firstBin = 0
    let ranges = asked.map { candidate in
      // Twice as many bins as points: most then have one.
      let bits = min(max(UInt64.bitWidth + 1 - candidate.sums.count.leadingZeroBitCount, Self.leastBits), mostBits)
      let scale =
        candidate.isEverything
        ? BinScale(around: bounds.scatter, bits: bits)
        : BinScale(from: candidate.least, width: UInt64(candidate.most &- candidate.least), bits: bits)
      defer { firstBin += scale.count }
      return PositionQuestion.ProductRange(
        least: candidate.least, most: candidate.most, scale: scale, firstBin: firstBin)
    }
    return PositionQuestion(corner: corner, axis: bounds.axis, ranges: ranges)
  }

  /// Whether the best position is known.
  var isDone: Bool { candidates.isEmpty && asked.isEmpty }

  /// Takes the answer to what was asked.
  ///
  /// - Throws: `PieceError.damaged` unless the points are those that were asked about.
  mutating func take(_ bins: [ProductBin], to question: PositionQuestion) throws(PieceError) {
    for (candidate, range) in zip(asked, question.ranges) {
      let part = Array(bins[range.firstBin..<range.firstBin + range.scale.count])
      let all = part.reduce(Halves.Sums()) { $0 + $1.sums }
      guard all == candidate.sums else { throw PlanAnswers.contradicting("\(candidate.sums)", "\(all)") }
      var tried = part.map(\.bin)
      tried.withUnsafeMutableBufferPointer {
        bounds.tryEnds(of: $0, range.scale, rightOf: candidate.left, isOpenEnded: candidate.isEverything)
      }
      var left = candidate.left
      for (bin, sums) in zip(tried, part) {
        if sums.count > 1, sums.least < sums.most {
          candidates.append(
            Candidate(
              least: sums.least, most: sums.most, sums: sums.sums, left: left, mostBetween: bin.mostBetween))
        }
        left.add(bin)
      }
    }
    asked = []
    let best = bounds.best.between
    candidates.removeAll { $0.mostBetween < best }
  }

  /// The line at the best position, and how it is turned.
  ///
  /// - Throws: `PieceError.damaged` where there is no position with points on both sides.
  func turns() throws(PieceError) -> LineTurns {
    guard 0 < bounds.best.left.count, bounds.best.left.count < bounds.halves.all.count else {
      throw PlanAnswers.contradicting("points on both sides of a line", "\(bounds.best.left)")
    }
    return LineTurns(of: bounds.halves, at: bounds.best, across: bounds.axis, from: corner)
  }
}
