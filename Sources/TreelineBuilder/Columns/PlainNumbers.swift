@_spi(Server) import Treeline

/// The numbers of a column, in the order in which they are read. The numbers are kept as decimals as long as a column
/// can store all of them as decimals. After that, they are kept as doubles. Values that are not numbers are missing.
///
/// A column of these numbers has the same bytes as a column that is built from the same numbers as texts.
struct PlainNumbers {
  /// The significand of each decimal, or the bits of each double.
  private var bits: [UInt64] = []
  /// The number of decimals of each number; empty if numbers are kept as doubles.
  private var decimals: [UInt8] = []
  private var areReals = false
  private var survey = NumberSurvey()
  /// Number of integers that are stored as the nearest double, because they are not equal to any double.
  private var inexactCount = 0

  /// The entry of `decimals` for a missing value.
  private static let missing = UInt8.max

  init(capacity: Int) {
    bits.reserveCapacity(capacity)
    decimals.reserveCapacity(capacity)
  }

  mutating func append(_ number: StoredValue?) {
    if areReals {
      bits.append(realBits(of: number))
      return
    }
    switch number {
    case .integer(let integer): append(SmallDecimal(integer))
    case .real(let real) where real.isFinite:
      if let decimal = SmallDecimal(real) {
        append(decimal)
      } else {
        becomeReals()
        bits.append(realBits(of: number))
      }
    default:
      bits.append(0)
      decimals.append(Self.missing)
    }
  }

  private mutating func append(_ decimal: SmallDecimal) {
    bits.append(UInt64(bitPattern: decimal.significand))
    decimals.append(UInt8(truncatingIfNeeded: decimal.decimals))
    survey.add(decimal)
  }

  /// Checks whether all numbers that `append` has added can be stored as decimals. If not, converts these numbers to
  /// doubles. From then on, `append` keeps numbers as doubles, without the work of finding their decimals.
  mutating func noteForm() { if !areReals, survey.form.encoding == .reals { becomeReals() } }

  private mutating func becomeReals() {
    areReals = true
    survey.addReal()
    for index in bits.indices {
      let (significand, decimals) = (Int64(bitPattern: bits[index]), decimals[index])
      let number: StoredValue? =
        switch decimals {
        case Self.missing: nil
        case 0: .integer(significand)
        default: .real(DecimalNumber(significand: Int128(significand), exponent: -Int(decimals)).double)
        }
      bits[index] = realBits(of: number)
    }
    decimals = []
  }

  private mutating func realBits(of number: StoredValue?) -> UInt64 {
    switch number {
    case .integer(let integer):
      let real = Double(integer)
      if integer.magnitude > 1 << 53, DecimalNumber(real) != DecimalNumber(significand: Int128(integer), exponent: 0) {
        inexactCount += 1
      }
      return real.bitPattern
    // Adding 0 turns -0 into 0, so that both zeros have one code.
    case .real(let real) where real.isFinite: return (real + 0).bitPattern
    default: return AttributeColumn.nullBits
    }
  }

  /// Returns the encoding of all numbers, and the count of numbers that are not stored exactly.
  func encoding(ofColumn name: String) -> (encoding: ColumnEncoding, inexactCount: Int) {
    var column = ColumnSurvey(of: .typed(.number), name: name)
    column.pointCount = bits.count
    column.numbers = survey
    return (ColumnEncoding(column, survey.form, entries: nil, hasMissing: false), inexactCount)
  }

  /// Writes the codes of some points, one after the other.
  ///
  /// - Parameter place: Converts the index of a point to the index of the point's value among the appended numbers.
  func encode(
    _ points: Range<Int>, to start: UnsafeMutableRawPointer, _ encoding: ColumnEncoding, place: (Int) -> Int
  ) {
    if encoding.form.encoding == .reals {
      encoding.encode(points.count, to: start) { bits[place(points.lowerBound + $0)] }
      return
    }
    let powers = (0...SmallDecimal.mostDecimals).map { Int64(powerOfTen($0)) }
    encoding.encode(points.count, to: start) { index in
      let place = place(points.lowerBound + index)
      let decimals = decimals[place]
      if decimals == Self.missing { return nil }
      let significand = Int64(bitPattern: bits[place])
      return encoding.code(of: significand &* powers[encoding.form.digits - Int(decimals)])
    }
  }
}
