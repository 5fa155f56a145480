import Treeline

/// The encoding of a column's values, without the entries of a dictionary.
struct ColumnForm: Sendable {
  let kind: Column.Kind
  let encoding: Column.Encoding
  /// Number of bytes of the code that stands for a value; 0 until the dictionary is known.
  var width: Int
  var digits = 0
  var areDates = false
  /// The least integer of the column. The code of an integer is the integer minus `base`.
  var base: Int64 = 0

  private init(_ kind: Column.Kind, _ encoding: Column.Encoding, width: Int) {
    (self.kind, self.encoding, self.width) = (kind, encoding, width)
  }

  /// Form of a column of doubles.
  static let reals = ColumnForm(.number, .reals, width: 8)

  /// Returns the form of a column with a dictionary.
  static func entries(_ kind: Column.Kind) -> ColumnForm { ColumnForm(kind, .entries, width: 0) }

  static let booleans = ColumnForm(.boolean, integersIn: 0...1, digits: 0)!

  /// Makes the form of a column of integers, which are stored as offsets from the least integer. The greatest code of
  /// a width stands for a missing value. So the form has the least width whose greatest code is not the code of an
  /// integer.
  ///
  /// - Parameter range: Range from the least to the greatest integer; nil if there are no integers.
  /// - Returns: nil if no width is large enough.
  init?(_ kind: Column.Kind, integersIn range: ClosedRange<Int64>?, digits: Int, areDates: Bool = false) {
    let span = range.map { UInt64(bitPattern: $0.upperBound &- $0.lowerBound) } ?? 0
    guard span < .max else { return nil }
    // Without values, only the code for a missing value is needed.
    self.init(kind, .integers, width: PackedIntegers.width(for: range == nil ? 0 : span + 1))
    (self.digits, self.areDates, base) = (digits, areDates, range?.lowerBound ?? 0)
  }

  /// Code of a missing value in a column without a dictionary.
  var missingCode: UInt64 {
    encoding == .reals ? AttributeColumn.nullBits : PackedIntegers.greatest(ofWidth: width)
  }
}

extension ColumnForm {
  /// Whether this form, which was read from a file, is valid for a column.
  ///
  /// - Parameter entryCount: Number of entries in the dictionary of the column; nil without a dictionary.
  func isSound(entryCount: Int?, isAttribute: Bool) -> Bool {
    guard (encoding == .entries) == (entryCount != nil), width > 0 else { return false }
    switch (encoding, kind) {
    case (.entries, .category), (.entries, .text):
      let greatest = UInt64(max((entryCount ?? 0) - 1, 0))
      return isAttribute ? width == 4 : greatest <= PackedIntegers.greatest(ofWidth: width)
    case (.reals, .number): return width == 8
    case (.integers, .number): return !isAttribute
    case (.integers, .time): return digits <= 9 && !isAttribute
    case (.integers, .boolean): return digits == 0 && base == 0 && !isAttribute
    default: return false
    }
  }
}

extension ColumnForm: BinaryCodable {
  func write(to bytes: inout PlainBytes) {
    let kind = UInt8(Column.kindOrder.firstIndex(of: kind)!)
    bytes.append([kind, encoding.rawValue, UInt8(width), UInt8(digits), areDates ? 1 : 0])
    bytes.append(base)
  }

  init(from bytes: inout PlainBytes) throws(PieceError) {
    let numbers: [UInt8] = try bytes.readArray()
    guard numbers.count == 5, Int(numbers[0]) < Column.kindOrder.count,
      let encoding = Column.Encoding(rawValue: numbers[1]), [0, 1, 2, 4, 8].contains(numbers[2]), numbers[3] <= 18
    else { throw .damaged(what: "a column", expected: "a valid encoding", found: "an invalid encoding") }
    self.init(Column.kindOrder[Int(numbers[0])], encoding, width: Int(numbers[2]))
    (digits, areDates, base) = (Int(numbers[3]), numbers[4] != 0, try bytes.read())
  }
}
