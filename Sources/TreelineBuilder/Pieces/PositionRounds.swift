import Treeline

/// The search for the position along an axis that leaves the least scatter, where points are not in memory: passes
/// over them give the sums by bin, and every bin that may hold the best position is divided again in the next one.
///
/// It ends with the position that `SplitPositionSearch` finds, by the same bounds. Each pass divides a bin into 2^11
/// as a rule and 64 at least, so there are 3 or 4 of them as a rule and 11 at most for each that a bin of one pass
/// leads to; bins that promise most come first, so that of many few are ever divided.
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
    let count: UInt64
    /// The sums over all points of lesser products.
    let left: Halves.Sums
    let mostBetween: Double

    var isEverything: Bool { least == .min && most == .max }
  }

  /// How many bins may be divided at once.
  private static let mostRanges = 32
  private static let leastBits = 6

  /// - Parameter moments: of all points, measured from `corner`.
  init(of moments: Moments<UInt128>, from corner: PlanePoint, across axis: PrincipalAxis) {
    self.corner = corner
    bounds = PositionBounds(
      halves: Halves(of: moments), axis: axis, scatter: AxialScatter(of: moments, along: axis))
    candidates = [
      Candidate(least: .min, most: .max, count: moments.count, left: Halves.Sums(), mostBetween: .infinity)
    ]
  }

  /// What to ask next; nil once the best position is known.
  ///
  /// - Parameter mostBins: about how many bins there may be.
  mutating func next(mostBins: Int) -> PositionQuestion? {
    if candidates.isEmpty { return nil }
    candidates.sort { $0.mostBetween > $1.mostBetween }
    asked = Array(candidates.prefix(max(1, min(Self.mostRanges, mostBins >> Self.leastBits))))
    candidates.removeFirst(asked.count)
    asked.sort { $0.least < $1.least }
    let share = max(mostBins / asked.count, 1 << Self.leastBits)
    let bits = min(Int.bitWidth - 1 - share.leadingZeroBitCount, BinScale.mostBits)
    var firstBin = 0
    let ranges = asked.map { candidate in
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
  mutating func take(_ bins: [ProductBin], to question: PositionQuestion) {
    for (candidate, range) in zip(asked, question.ranges) {
      let part = Array(bins[range.firstBin..<range.firstBin + range.scale.count])
      var tried = part.map(\.bin)
      tried.withUnsafeMutableBufferPointer {
        bounds.tryEnds(of: $0, range.scale, rightOf: candidate.left, isOpenEnded: candidate.isEverything)
      }
      var left = candidate.left
      for (bin, sums) in zip(tried, part) {
        if sums.count > 1, sums.least < sums.most {
          candidates.append(
            Candidate(
              least: sums.least, most: sums.most, count: sums.count, left: left, mostBetween: bin.mostBetween))
        }
        left.add(bin)
      }
    }
    asked = []
    let best = bounds.best.between
    candidates.removeAll { $0.mostBetween < best }
  }

  /// The line at the best position, and how it is turned.
  var turns: LineTurns { LineTurns(of: bounds.halves, at: bounds.best, across: bounds.axis, from: corner) }
}
