/// Exact prefix sums of the codes of an integer column. A code is a value minus the base of the column. For every 64
/// rows there is one sum, which adds the codes of all counted rows before these 64 rows. Under a filter, only the rows
/// that pass the filter are counted. The sum of a range of rows is the difference of two prefix sums, corrected for
/// the rows at both ends of the range. Prefix sums take half a byte per row.
final class IntegerSums: PreparedValues {
  struct Sums {
    /// Number of values.
    var count: UInt64 = 0
    var codes: UInt128 = 0

    @inline(__always) static func &+= (a: inout Sums, b: Sums) {
      a.count &+= b.count
      a.codes &+= b.codes
    }

    @inline(__always) static func &-= (a: inout Sums, b: Sums) {
      a.count &-= b.count
      a.codes &-= b.codes
    }
  }

  private let before: PreparedArray<Sums>

  var byteCount: Int { before.byteCount }

  /// - Complexity: O(rows)
  init(of values: IntegerValues, _ rows: CountedRows) throws(CancellationError) {
    before = PreparedArray(repeating: Sums(), count: rows.wordCount + 1)
    var work = Preparation(before: before, rows: rows, missing: values.missingCode)
    values.codes.with(&work)
    if work.isCancelled { throw CancellationError() }
  }

  private struct Preparation: PackedWork {
    let before: PreparedArray<Sums>
    let rows: CountedRows
    let missing: UInt64
    var isCancelled = false

    mutating func run<Integer: FixedWidthInteger & UnsignedInteger>(_ integers: UnsafePointer<Integer>) {
      var total = Sums()
      for word in 0..<rows.wordCount {
        if word & (Cancellation.wordsPerLook &- 1) == 0, Cancellation.isCancelled { return isCancelled = true }
        before[word] = total
        var part = PartialSums(missing: Integer(truncatingIfNeeded: missing))
        CountedRows.forEach(rows.bits(ofWord: word), from: word &* 64) { part.add(Integer(littleEndian: integers[$0])) }
        total &+= part.sums
      }
      before[rows.wordCount] = total
    }
  }

  /// - Complexity: O(1): reads at most 64 rows.
  func sums(of range: Range<Int>, of values: IntegerValues, _ rows: CountedRows) -> Sums {
    if range.count <= 64 {
      var work = Addition(rows: rows, range: range, missing: values.missingCode)
      values.codes.with(&work)
      return work.sums
    }
    var sums = total(before: range.upperBound, of: values, rows)
    sums &-= total(before: range.lowerBound, of: values, rows)
    return sums
  }

  /// Returns the sums over all counted rows before a row. Takes the prefix sums at the nearest multiple of 64, and
  /// adds or subtracts the codes of the rows between this multiple and the row.
  private func total(before row: Int, of values: IntegerValues, _ rows: CountedRows) -> Sums {
    let word = rows.nearestWord(to: row)
    let start = word << 6
    var work = Addition(
      rows: rows, range: start <= row ? start..<row : row..<start, missing: values.missingCode)
    values.codes.with(&work)
    var sums = before[word]
    if start <= row { sums &+= work.sums } else { sums &-= work.sums }
    return sums
  }

  private struct Addition: PackedWork {
    let rows: CountedRows
    let range: Range<Int>
    let missing: UInt64
    var sums = Sums()

    mutating func run<Integer: FixedWidthInteger & UnsignedInteger>(_ integers: UnsafePointer<Integer>) {
      var part = PartialSums(missing: Integer(truncatingIfNeeded: missing))
      rows.forEach(in: range) { part.add(Integer(littleEndian: integers[$0])) }
      sums = part.sums
    }
  }

  /// Sums of up to 2^32 codes. If codes have up to 32 bits, their sum fits into 64 bits. Longer codes are added in two
  /// halves.
  private struct PartialSums<Integer: FixedWidthInteger & UnsignedInteger> {
    let missing: Integer
    private var (count, low, high) = (UInt64(0), UInt64(0), UInt64(0))

    init(missing: Integer) { self.missing = missing }

    @inline(__always) mutating func add(_ code: Integer) {
      let value = code == missing ? 0 : UInt64(code)
      count &+= code == missing ? 0 : 1
      low &+= Integer.bitWidth == 64 ? value & 0xFFFF_FFFF : value
      high &+= Integer.bitWidth == 64 ? value &>> 32 : 0
    }

    @inline(__always) var sums: Sums { Sums(count: count, codes: UInt128(low) &+ UInt128(high) &<< 32) }
  }
}

/// Exact prefix sums of the squares of codes, stored like `IntegerSums`. A code is split into two halves of 32 bits:
/// the code is 2^32 times `high`, plus `low`. There are separate sums of the squares of `low`, of the products of
/// `low` and `high`, and of the squares of `high`. The prefix sums take three quarters of a byte per row.
final class IntegerSquares: PreparedValues {
  struct Sums {
    var lowSquares: UInt128 = 0
    var products: UInt128 = 0
    var highSquares: UInt128 = 0

    @inline(__always) static func &+= (a: inout Sums, b: Sums) {
      a.lowSquares &+= b.lowSquares
      a.products &+= b.products
      a.highSquares &+= b.highSquares
    }

    @inline(__always) static func &-= (a: inout Sums, b: Sums) {
      a.lowSquares &-= b.lowSquares
      a.products &-= b.products
      a.highSquares &-= b.highSquares
    }

    /// The sum of the squares.
    var total: UInt256 {
      UInt256((0, lowSquares)) + UInt256((0, products)) << 33 + UInt256((0, highSquares)) << 64
    }
  }

  private let before: PreparedArray<Sums>

  var byteCount: Int { before.byteCount }

  /// - Complexity: O(rows)
  init(of values: IntegerValues, _ rows: CountedRows) throws(CancellationError) {
    before = PreparedArray(repeating: Sums(), count: rows.wordCount + 1)
    var total = Sums()
    for word in 0..<rows.wordCount {
      try Cancellation.check(atWord: word)
      before[word] = total
      total &+= Self.squares(of: word << 6..<min(word << 6 + 64, rows.rowCount), of: values, rows)
    }
    before[rows.wordCount] = total
  }

  /// - Complexity: O(1): reads at most 64 rows.
  func sums(of range: Range<Int>, of values: IntegerValues, _ rows: CountedRows) -> Sums {
    if range.count <= 64 { return Self.squares(of: range, of: values, rows) }
    var sums = total(before: range.upperBound, of: values, rows)
    sums &-= total(before: range.lowerBound, of: values, rows)
    return sums
  }

  /// Returns the three sums (see `Sums`) over all counted rows before a row. Works like `IntegerSums.total`.
  private func total(before row: Int, of values: IntegerValues, _ rows: CountedRows) -> Sums {
    let word = rows.nearestWord(to: row)
    let start = word << 6
    let between = Self.squares(of: start <= row ? start..<row : row..<start, of: values, rows)
    var sums = before[word]
    if start <= row { sums &+= between } else { sums &-= between }
    return sums
  }

  /// Returns the three sums (see `Sums`) over the counted rows in a range of up to 64 rows.
  @inline(__always) private static func squares(of range: Range<Int>, of values: IntegerValues, _ rows: CountedRows)
    -> Sums
  {
    var work = Addition(rows: rows, range: range, missing: values.missingCode)
    values.codes.with(&work)
    return work.sums
  }

  private struct Addition: PackedWork {
    let rows: CountedRows
    let range: Range<Int>
    let missing: UInt64
    var sums = Sums()

    mutating func run<Integer: FixedWidthInteger & UnsignedInteger>(_ integers: UnsafePointer<Integer>) {
      let missing = Integer(truncatingIfNeeded: missing)
      // The sum of the squares of 64 codes fits into 64 bits if a code has up to 16 bits. Squares of longer codes are
      // added in two halves.
      var (low, high) = (UInt64(0), UInt64(0))
      rows.forEach(in: range) { row in
        let code = Integer(littleEndian: integers[row])
        let value = code == missing ? 0 : UInt64(code)
        let (upper, lower) = (value &>> 32, value & 0xFFFF_FFFF)
        let square = lower &* lower
        if Integer.bitWidth <= 16 {
          low &+= square
        } else {
          low &+= square & 0xFFFF_FFFF
          high &+= square &>> 32
        }
        if Integer.bitWidth == 64 {
          sums.products &+= UInt128(upper &* lower)
          sums.highSquares &+= UInt128(upper &* upper)
        }
      }
      sums.lowSquares = UInt128(low) &+ UInt128(high) &<< 32
    }
  }
}
