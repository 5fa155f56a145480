import Treeline

/// The encoding of a column, which converts values of the column to codes. The encoding is chosen after all values
/// were surveyed. All codes of a column have the same width.
///
/// The section of a column has four parts: a head, the codes of all points in tree order, zeros up to a multiple of 8,
/// and a tail. The tail is the dictionary.
public struct ColumnEncoding: Sendable {
  /// Name of the column.
  public let name: String
  /// Whether the original spelling of the values is kept, for display.
  public let isAttribute: Bool
  let form: ColumnForm
  /// Kind of a typed column.
  public var kind: Column.Kind { form.kind }
  /// Unit of numbers that are times: 1 for seconds, 1000 for milliseconds; nil if numbers are not times.
  private let numbersPerSecond: Int?
  /// Whether the kind was found from the values instead of being declared. If the kind was found, only booleans and the
  /// texts `true` and `false` count as booleans.
  private let isFound: Bool
  /// Decimal mark of numbers in texts.
  private let mark: DecimalMark
  /// Whether all dictionary entries are texts.
  private let keepsTexts: Bool
  /// Whether any number that was read as a time is before 1971 or after 2100.
  package let hasOddTimes: Bool
  /// Whether the first dictionary entries look like numbers with decimal commas, although the cells were read with
  /// decimal points.
  package let hasCommaNumbers: Bool
  /// Dictionary entries in the order of their bytes; nil for a column without a dictionary.
  private var entries: EntrySet?
  private let valueCount: Int?

  /// Number of different values in the dictionary of a typed column; nil for an attribute, and for a column without a
  /// dictionary. Missing values are not counted.
  public var entryCount: Int? { isAttribute ? nil : valueCount }

  /// Width of a code, in bytes.
  public var width: Int { form.width }

  init(_ survey: ColumnSurvey, _ form: ColumnForm, entries: EntrySet?, hasMissing: Bool) {
    (name, isAttribute) = (survey.name, survey.purpose == .attribute)
    (self.entries, valueCount) = (entries, entries?.valueCount)
    (keepsTexts, hasOddTimes) = (survey.keepsTexts, form.kind == .time && survey.times.hasOddNumbers)
    (numbersPerSecond, isFound) = (survey.purpose.numbersPerSecond, survey.purpose == .typed(nil))
    mark = survey.cells ?? .point
    hasCommaNumbers = isFound && survey.cells == .point && entries?.areCommaNumbers ?? false
    var form = form
    if let entries {
      // The code after the last entry's code stands for a missing value.
      let greatest = hasMissing ? entries.count : max(entries.count - 1, 0)
      form.width = isAttribute ? 4 : PackedIntegers.width(for: UInt64(greatest))
    }
    self.form = form
  }

  /// Frees the memory that is needed only to encode values.
  mutating func freeTable() { entries?.freeTable() }

  /// Frees the dictionary. Afterwards only the facts about the column may be used.
  mutating func freeEntries() { entries = nil }

  // MARK: - Codes

  /// Returns the code of each different value. If the column stores doubles, also counts the points whose numbers a
  /// double cannot represent exactly.
  private func codes(of values: ColumnValues) throws(ColumnError) -> (codes: [UInt64], inexactCount: Int) {
    var codes: [UInt64] = []
    codes.reserveCapacity(values.entries.count)
    for entry in 0..<values.entries.count {
      guard let code = code(ofEntry: entry, of: values.entries) else {
        throw UnsuitableValue(
          at: values.numbers.firstIndex(of: UInt32(entry)) ?? 0, expected: codedValues,
          found: values.entries.value(of: entry) ?? .null,
          remedy: "survey the values of all points before you encode values"
        ).error(column: name)
      }
      codes.append(code)
    }
    guard form.encoding == .reals, !isAttribute else { return (codes, 0) }
    let areInexact = codes.indices.map { entry in
      guard case .literal(let literal) = values.entries.value(of: entry)?.number(mark: mark) else { return false }
      return DecimalNumber(literal) != DecimalNumber(Double(bitPattern: codes[entry]))
    }
    guard areInexact.contains(true) else { return (codes, 0) }
    return (codes, values.numbers.count { areInexact[Int($0)] })
  }

  /// Writes the codes of some values. Each code begins `stride` bytes after the beginning of the previous code.
  ///
  /// - Returns: the number of values that are stored as the nearest double, because they are not equal to any double.
  /// - Throws: `ColumnError` for a value that has no code because it was not surveyed. The error reports the number of
  ///   the point as the row.
  @discardableResult public func encode(
    _ values: ColumnValues, to start: UnsafeMutableRawPointer, stride: Int
  ) throws -> Int { try encodeAll(values, to: start, stride: stride) }

  /// Does the same as `encode(_:to:stride:)`, but throws a typed error.
  func encodeAll(
    _ values: ColumnValues, to start: UnsafeMutableRawPointer, stride: Int
  ) throws(ColumnError) -> Int {
    let (codes, inexactCount) = try codes(of: values)
    values.numbers.withUnsafeBufferPointer { numbers in
      codes.withUnsafeBufferPointer { codes in
        store(numbers.count, to: start, stride: stride) { codes[Int(numbers[$0])] }
      }
    }
    return inexactCount
  }

  /// Writes `count` codes one after the other. The function `code` returns nil for a missing value.
  func encode(_ count: Int, to start: UnsafeMutableRawPointer, _ code: (Int) -> UInt64?) {
    store(count, to: start, stride: width) { code($0) ?? form.missingCode }
  }

  @inline(__always) private func store(
    _ count: Int, to start: UnsafeMutableRawPointer, stride: Int, _ code: (Int) -> UInt64
  ) {
    func store<Code: FixedWidthInteger>(as type: Code.Type) {
      for index in 0..<count {
        // If a record has the codes of several columns, the codes may be unaligned.
        let littleEndian = Code(truncatingIfNeeded: code(index)).littleEndian
        (start + index &* stride).storeBytes(of: littleEndian, as: Code.self)
      }
    }
    switch width {
    case 1: store(as: UInt8.self)
    case 2: store(as: UInt16.self)
    case 4: store(as: UInt32.self)
    default: store(as: UInt64.self)
    }
  }

  /// Returns the code of a value; nil if the value was not surveyed and therefore has no code.
  private func code(ofEntry number: Int, of values: EntrySet) -> UInt64? {
    if form.encoding == .entries { return code(inDictionaryOf: number, values) }
    let value = values.value(of: number)
    if isAttribute { return AttributeColumn.bits(of: value) }
    guard let value, value != .null else { return form.missingCode }
    switch form.kind {
    case .number:
      switch value.number(mark: mark) {
      case .missing: return form.missingCode
      case .none: return nil
      case .literal(let literal):
        // Adding 0 turns -0 into 0, so that both zeros have one code.
        if form.encoding == .reals { return Double(literal).flatMap { $0.isFinite ? ($0 + 0).bitPattern : nil } }
        guard let number = SmallDecimal(literal), number.decimals <= form.digits else { return nil }
        let power = Int64(powerOfTen(form.digits - number.decimals))
        let (integer, overflows) = number.significand.multipliedReportingOverflow(by: power)
        return overflows ? nil : codeIfAny(of: integer)
      }
    case .boolean: return (isFound ? value.foundBoolean : value.declaredBoolean).map { $0 ? 1 : 0 }
    default:
      guard let instant = value.instant(numbersPerSecond: numbersPerSecond),
        instant.nanoseconds == 0 || instant.digits <= form.digits, !form.areDates || instant.isMidnight
      else { return nil }
      return Int64(exactly: instant.ticks(digits: form.digits)).flatMap { codeIfAny(of: $0) }
    }
  }

  private func code(inDictionaryOf number: Int, _ values: EntrySet) -> UInt64? {
    guard let entries else { return nil }
    guard form.kind == .category else {
      return entries.number(of: keepsTexts ? values.textEntry(of: number) : values[number]).map { UInt64($0) }
    }
    if let entry = values.categoryEntry(of: number) { return entries.number(of: entry).map { UInt64($0) } }
    // A null or absent value is a missing value. The code for a missing value is the number of entries. If the survey
    // had no missing values, this code may be too large for the width. Then a missing value has no code. A nested
    // value never has a code.
    let isMissing = !values.isPresent(number) && UInt64(entries.count) <= PackedIntegers.greatest(ofWidth: width)
    return isMissing ? UInt64(entries.count) : nil
  }

  /// Returns the code of an integer in a column of integers; nil if the integer is out of range.
  private func codeIfAny(of integer: Int64) -> UInt64? {
    guard integer >= form.base else { return nil }
    let code = code(of: integer)
    return code < form.missingCode ? code : nil
  }

  /// A description of the values that have codes, for error messages.
  private var codedValues: String {
    if form.encoding == .entries { return "one of the \(entries?.count ?? 0) different values that were surveyed" }
    switch form.kind {
    case .number where form.encoding == .reals: return "a number"
    case .boolean: return "a boolean"
    default:
      let last = Int128(form.base) + Int128(form.missingCode) - 1
      let noun = form.kind == .number ? "a number" : form.areDates ? "a date" : "a time"
      let unit = form.digits == 0 ? "" : " times 10^-\(form.digits)"
      return "\(noun) within the surveyed range, from \(form.base)\(unit) to \(last)\(unit)"
    }
  }

  /// The greatest code of a column with a dictionary; nil for a column without a dictionary.
  var greatestEntryCode: UInt64? {
    guard form.encoding == .entries, let entries else { return nil }
    return UInt64(form.kind == .category ? entries.count : max(entries.count - 1, 0))
  }

  /// Returns the code at an offset.
  func code(at bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    (0..<width).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
  }

  /// Returns the code of an integer in a column of integers.
  func code(of integer: Int64) -> UInt64 { UInt64(bitPattern: integer &- form.base) }

  /// Returns the code of a time in a column of times.
  func code(of instant: Instant) -> UInt64 { code(of: Int64(instant.ticks(digits: form.digits))) }

  // MARK: - Head and tail

  /// Bytes at the beginning of the section.
  var head: [UInt8] {
    var bytes: [UInt8] = []
    let entryCount = UInt32(entries?.count ?? 0)
    if isAttribute {
      let encoding = entries == nil ? AttributeColumn.Encoding.numbers : .dictionary
      bytes.appendLittleEndian(encoding.rawValue)
      bytes.appendLittleEndian(UInt32(name.utf8.count))
      bytes.appendLittleEndian(entryCount)
      bytes.appendLittleEndian(0 as UInt32)
    } else {
      bytes = [UInt8(Column.kindOrder.firstIndex(of: form.kind)! + 1), form.encoding.rawValue]
      bytes += [UInt8(form.width), UInt8(form.digits), form.areDates ? 1 : 0, 0, 0, 0]
      bytes.appendLittleEndian(UInt32(name.utf8.count))
      bytes.appendLittleEndian(entryCount)
      bytes.appendLittleEndian(form.base)
    }
    bytes += name.utf8
    bytes.pad()
    return bytes
  }

  /// Visits the dictionary part by part. The dictionary is the tail of the section.
  func forEachPartOfTail<Failure>(_ visit: (UnsafeRawBufferPointer) throws(Failure) -> Void) throws(Failure) {
    guard let entries else { return }
    try [0 as UInt64].withUnsafeBufferPointer { bytes throws(Failure) in try visit(UnsafeRawBufferPointer(bytes)) }
    try entries.ends.withUnsafeBufferPointer { bytes throws(Failure) in try visit(UnsafeRawBufferPointer(bytes)) }
    try entries.bytes.withUnsafeBufferPointer { bytes throws(Failure) in try visit(UnsafeRawBufferPointer(bytes)) }
  }

  /// Returns the length of the section, in bytes.
  func sectionLength(pointCount: Int) -> Int {
    let tail = entries.map { 8 * ($0.count + 1) + $0.bytes.count } ?? 0
    return head.count + Column.aligned(form.width * pointCount) + tail
  }
}

extension ColumnEncoding: BinaryCodable {
  package func write(to bytes: inout PlainBytes) {
    bytes.append(name)
    bytes.append(form)
    bytes.append([
      PlainBytes.bits([isAttribute, keepsTexts, hasOddTimes, mark == .comma, hasCommaNumbers]), isFound ? 1 : 0,
      UInt32(numbersPerSecond ?? 0),
    ])
    bytes.append(entries.map { [$0] } ?? [])
  }

  package init(from bytes: inout PlainBytes) throws(PieceError) {
    name = try bytes.readText()
    form = try ColumnForm(from: &bytes)
    let fields: [UInt32] = try bytes.readArray()
    var entries = try bytes.readValues(of: EntrySet.self).first
    entries?.prepare()
    (self.entries, valueCount) = (entries, entries?.valueCount)
    guard fields.count == 3, fields[0] <= 31, fields[1] <= 1, [0, 1, 1000].contains(fields[2]),
      form.isSound(entryCount: entries?.count, isAttribute: fields[0] & 1 == 1)
    else { throw .damaged(what: "the encoding of a column", expected: "its kind and width", found: "invalid values") }
    (isAttribute, keepsTexts, isFound) = (fields[0] & 1 != 0, fields[0] & 2 != 0, fields[1] != 0)
    (hasOddTimes, hasCommaNumbers) = (fields[0] & 4 != 0, fields[0] & 16 != 0)
    mark = fields[0] & 8 == 0 ? .point : .comma
    numbersPerSecond = fields[2] == 0 ? nil : Int(fields[2])
  }
}

extension ColumnSurvey.Purpose {
  /// Unit of numbers that are times: 1 for seconds, 1000 for milliseconds; nil if numbers are not times.
  var numbersPerSecond: Int? {
    switch self {
    case .typed(.time): 1
    case .typed(.timeInMilliseconds): 1000
    default: nil
    }
  }
}
