import Treeline

/// Searches for the position along an axis at which a split leaves the least scatter. The points are not in memory.
/// The axis is divided into ranges, called bins. A pass over the points gives the sums over the points in each bin. If
/// a bin may hold the best position, the next pass divides the bin into smaller bins.
///
/// The search finds the same position as `SplitPositionSearch`, and uses the same bounds. For n points, the search
/// first makes about 2^11 bins. About 50 of these bins may still hold the best position. The next pass divides these
/// 50 bins. After this pass, about √n bins may still hold the best position. Each of them has a few points. The last
/// pass divides these bins. The whole search takes 3 or 4 passes. If memory allows only few bins, the most promising
/// bins are divided first, and the search takes a few more passes.
struct PositionRounds: Sendable {
  private let corner: PlanePoint
  private var bounds: PositionBounds
  /// `candidates`: ranges of dot products that must still be divided. `asked`: ranges that the latest question
  /// divides; empty once this question is answered.
  private var candidates: [Candidate]
  private var asked: [Candidate] = []

  /// A range of dot products, and sums over the points whose dot products with the axis are in this range. The best
  /// position may be just after any of these points.
  private struct Candidate: Sendable {
    let least: Int64
    let most: Int64
    let sums: Halves.Sums
    /// Sums over all points with smaller dot products.
    let left: Halves.Sums
    let mostBetween: Double

    var isEverything: Bool { least == .min && most == .max }
  }

  /// A bin is divided into at least 2^leastBits bins.
  private static let leastBits = 2

  /// - Parameter moments: Moments of all points, measured from `corner`.
  init(of moments: Moments<UInt128>, from corner: PlanePoint, across axis: PrincipalAxis) {
    self.corner = corner
    bounds = PositionBounds(
      halves: Halves(of: moments), axis: axis, scatter: AxialScatter(of: moments, along: axis))
    candidates = [
      Candidate(least: .min, most: .max, sums: bounds.halves.all, left: Halves.Sums(), mostBetween: .infinity)
    ]
  }

  /// Returns the next question. Returns nil once the best position is known.
  ///
  /// - Parameter mostBins: Approximate greatest number of bins in the question.
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
      // Makes two bins for each point, so that most points are alone in their bins.
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

  /// Takes the answer to the last question.
  ///
  /// - Throws: `PieceError.damaged` if the bins of a divided range do not have the same sums as the whole range.
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

  /// Returns the line at the best position, as `LineRefinement`, which can turn the line.
  ///
  /// - Throws: `PieceError.damaged` if no position has points on both sides.
  func turns() throws(PieceError) -> LineRefinement {
    guard 0 < bounds.best.left.count, bounds.best.left.count < bounds.halves.all.count else {
      throw PlanAnswers.contradicting("points on both sides of a line", "\(bounds.best.left)")
    }
    return LineRefinement(of: bounds.halves, at: bounds.best, across: bounds.axis, from: corner)
  }
}
