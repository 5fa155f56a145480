/// The range from the least to the greatest code of a column, without missing values; nil if all values are missing. A
/// code is an integer minus the base of the column.
struct IntegerExtent: PreparedValues {
  let codes: ClosedRange<UInt64>?

  /// - Complexity: O(rows)
  init(of values: IntegerValues) {
    var work = ExtentWork(count: values.codes.count, missing: values.missingCode)
    values.codes.with(&work)
    codes = work.least <= work.greatest ? work.least...work.greatest : nil
  }

  private struct ExtentWork: PackedWork {
    let count: Int
    let missing: UInt64
    var least = UInt64.max
    var greatest = UInt64.min

    mutating func run<Integer: FixedWidthInteger & UnsignedInteger>(_ integers: UnsafePointer<Integer>) {
      let missing = Integer(truncatingIfNeeded: missing)
      var (least, greatest) = (Integer.max, Integer.min)
      for index in 0..<count {
        let code = Integer(littleEndian: integers[index])
        least = min(least, code)
        greatest = max(greatest, code == missing ? 0 : code)
      }
      // The code for missing values is the greatest possible code. So if no lower code was found, all values are
      // missing.
      if least == missing { return }
      (self.least, self.greatest) = (UInt64(least), UInt64(greatest))
    }
  }
}

/// The range from the least to the greatest double of a column, without missing values; nil if all values are missing.
struct RealExtent: PreparedValues {
  let values: ClosedRange<Double>?

  /// - Complexity: O(rows)
  init(of values: RealValues, count: Int) {
    var (least, greatest) = (Double.infinity, -Double.infinity)
    for index in 0..<count where values[index].isFinite {
      least = min(least, values[index])
      greatest = max(greatest, values[index])
    }
    self.values = least <= greatest ? least...greatest : nil
  }
}

/// A search for the bin of a value. The range of the column's values is divided evenly into many cells. The cell of a
/// value gives the bin at which the search begins. One or two steps then lead to the bin of the value.
private struct BinSearch<Value: Comparable> {
  /// End of each bin; the last bin ends after all values.
  private let ends: [Value]
  /// For each cell, the first bin that overlaps the cell.
  private let firstBins: [UInt16]

  static var cellCount: Int { 4096 }

  /// - Parameters:
  ///   - starts: Beginnings of the bins, sorted.
  ///   - behindAll: A bound that is greater than all values.
  ///   - cell: Returns the cell of a value: a number below `cellCount`. A greater value never has a lower cell.
  init(starts: [Value], behindAll: Value, cell: (Value) -> Int) {
    ends = starts.dropFirst() + [behindAll]
    var firstBins = [UInt16](repeating: 0, count: Self.cellCount + 1)
    // A bin begins in one cell. All cells after this cell overlap only this bin and later bins.
    for (bin, start) in starts.enumerated().dropFirst() { firstBins[cell(start) + 1] = UInt16(bin) }
    for index in 1..<firstBins.count { firstBins[index] = max(firstBins[index], firstBins[index - 1]) }
    self.firstBins = firstBins
  }

  /// Calls a closure and passes it a function. The function takes a value and its cell, and returns the bin of the
  /// value.
  @inline(__always) func with(_ body: ((Value, Int) -> Int) -> Void) {
    ends.withUnsafeBufferPointer { ends in
      firstBins.withUnsafeBufferPointer { firstBins in
        body { value, cell in
          var bin = Int(firstBins[cell])
          while value >= ends[bin] { bin &+= 1 }
          return bin
        }
      }
    }
  }
}

/// The assignment of doubles to cells.
private struct RealScale {
  let least: Double
  let factor: Double

  init(_ extent: ClosedRange<Double>, cellCount: Int) {
    // Halves both values before the subtraction, because the difference of very large doubles may be infinite.
    least = extent.lowerBound / 2
    let width = extent.upperBound / 2 - least
    // If the width is 0 or one of the smallest doubles, the factor is infinite. The factor is then set to 0, so that
    // all values are in the first cell.
    let factor = Double(cellCount - 1) / width
    self.factor = factor.isFinite ? factor : 0
  }

  @inline(__always) func cell(_ value: Double) -> Int { Int((value / 2 - least) * factor) }
}

extension Histogram {
  /// Makes the histogram of a column of decimals or times.
  init(
    of column: Column, _ values: IntegerValues, _ extent: IntegerExtent, bins: Int, scale: Scale,
    over ranges: [Range<Int>], _ rows: CountedRows
  ) {
    guard let codes = extent.codes else {
      self.init(column: column.name, values: [], counts: [], missingCount: rows.count(in: ranges))
      return
    }
    let base = Int128(values.base)
    let (least, greatest) = (base + Int128(codes.lowerBound), base + Int128(codes.upperBound))
    let isTime = column.kind == .time
    let edges: [Int128]
    if scale == .logarithmic, !isTime {
      edges = LogarithmicBins.edges(atMost: bins, from: least, through: greatest)
    } else {
      let steps =
        isTime ? BinStep.ofTimes(digits: values.digits, isDates: values.isDates) : BinStep.ofNumbers
      let step = BinStep.first(of: steps, atMost: bins, from: least, through: greatest)
      let numbers = step.bins(from: least, through: greatest)
      edges = (0...Int(numbers.upperBound - numbers.lowerBound) + 1).map {
        step.start(ofBin: numbers.lowerBound + Int128($0))
      }
    }
    // A code is a value minus `base`, and no code is below 0. If the first bin begins below the code 0, its start is
    // moved to 0.
    let starts = edges.dropLast().map { UInt64(max($0 - base, 0)) }
    var work = IntegerCounts(codes: codes, starts: starts, ranges: ranges, rows: rows)
    values.codes.with(&work)
    self.init(
      column: column.name,
      values: edges.map { edge in
        guard isTime else {
          return FilterValue(.number(DecimalNumber(significand: edge, exponent: -values.digits)))
        }
        let instant = Instant(clampingTicks: edge, digits: values.digits)
        return FilterValue(values.isDates ? .date(instant) : .instant(instant))
      }, counts: work.counts, missingCount: work.missingCount)
  }

  /// Counts the values of a column of doubles.
  init(
    of column: Column, _ values: RealValues, _ extent: RealExtent, bins: Int, scale: Scale, over ranges: [Range<Int>],
    _ rows: CountedRows
  ) {
    guard let extent = extent.values else {
      self.init(column: column.name, values: [], counts: [], missingCount: rows.count(in: ranges))
      return
    }
    let (least, greatest) = (extent.lowerBound, extent.upperBound)
    let edges =
      scale == .logarithmic
      ? LogarithmicBins.edges(atMost: bins, from: least, through: greatest)
      : RealBins(atMost: bins, from: least, through: greatest).edges
    let cells = RealScale(extent, cellCount: BinSearch<Double>.cellCount)
    let search = BinSearch(starts: edges.dropLast().map(\.double), behindAll: .infinity) {
      cells.cell(min(max($0, least), greatest))
    }
    var counts = [Int](repeating: 0, count: edges.count - 1)
    var missingCount = 0
    search.with { bin in
      for range in ranges {
        rows.forEach(in: range) { row in
          let value = values[row]
          // NaN is in no range.
          if extent.contains(value) { counts[bin(value, cells.cell(value))] &+= 1 } else { missingCount &+= 1 }
        }
      }
    }
    self.init(
      column: column.name, values: edges.map { FilterValue(.number($0)) }, counts: counts, missingCount: missingCount)
  }
}

private struct IntegerCounts: PackedWork {
  /// Range of the codes that stand for values. All other codes stand for missing values.
  let codes: ClosedRange<UInt64>
  let starts: [UInt64]
  let ranges: [Range<Int>]
  let rows: CountedRows
  var counts: [Int] = []
  var missingCount = 0

  mutating func run<Integer: FixedWidthInteger & UnsignedInteger>(_ integers: UnsafePointer<Integer>) {
    let (least, span) = (codes.lowerBound, codes.upperBound - codes.lowerBound)
    let bitCount = UInt64.bitWidth - span.leadingZeroBitCount
    let shift = UInt64(max(bitCount - BinSearch<UInt64>.cellCount.trailingZeroBitCount, 0))
    let search = BinSearch(starts: starts, behindAll: .max) { start in
      Int(min(start < least ? 0 : start - least, span) >> shift)
    }
    var counts = [Int](repeating: 0, count: starts.count)
    var missingCount = 0
    counts.withUnsafeMutableBufferPointer { counts in
      search.with { bin in
        for range in ranges {
          rows.forEach(in: range) { row in
            let code = UInt64(Integer(littleEndian: integers[row]))
            let offset = code &- least
            if offset <= span {
              counts[bin(code, Int(truncatingIfNeeded: offset &>> shift))] &+= 1
            } else {
              missingCount &+= 1
            }
          }
        }
      }
    }
    (self.counts, self.missingCount) = (counts, missingCount)
  }
}

extension CountedRows {
  fileprivate func count(in ranges: [Range<Int>]) -> Int {
    var count = 0
    for range in ranges { forEachWord(in: range) { count &+= $1.nonzeroBitCount } }
    return count
  }
}

extension Instant {
  /// Creates an instant from ticks. If the number of seconds does not fit 64 bits, it becomes the nearest number that
  /// fits.
  fileprivate init(clampingTicks ticks: Int128, digits: Int) {
    let parts = Int128(powerOfTen(digits))
    let (quotient, remainder) = ticks.quotientAndRemainder(dividingBy: parts)
    let (seconds, part) = remainder < 0 ? (quotient - 1, remainder + parts) : (quotient, remainder)
    self.init(seconds: Int64(clamping: seconds), nanoseconds: UInt32(part * Int128(powerOfTen(9 - digits))))
  }
}
