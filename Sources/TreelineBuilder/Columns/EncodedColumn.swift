import Treeline

/// A column as the section of an index holds it, and what is worth telling of how it was encoded.
package struct EncodedColumn: Sendable {
  package let name: String
  package let kind: Column.Kind
  /// Nil for a column without a dictionary.
  package let entryCount: Int?
  /// How many points have a value.
  let valueCount: Int
  /// How many numbers are not kept exactly, but as the nearest doubles.
  package private(set) var inexactCount = 0
  package private(set) var bytes: [UInt8]
  /// The sections that belong to it, each as that of the first column.
  private(set) var matrices: [(kind: IndexSection.Kind, bytes: [UInt8])] = []

  private init(
    name: String, kind: Column.Kind, encoding: Column.Encoding, width: Int, digits: Int = 0, isDates: Bool = false,
    base: Int64 = 0, entryCount: Int? = nil, valueCount: Int
  ) {
    (self.name, self.kind, self.entryCount, self.valueCount) = (name, kind, entryCount, valueCount)
    bytes = [UInt8(Column.kindOrder.firstIndex(of: kind)! + 1), encoding.rawValue, UInt8(width), UInt8(digits)]
    bytes += [isDates ? 1 : 0, 0, 0, 0]
    bytes.appendLittleEndian(UInt32(name.utf8.count))
    bytes.appendLittleEndian(UInt32(entryCount ?? 0))
    bytes.appendLittleEndian(base)
    bytes += name.utf8
    bytes.pad()
  }
}

extension EncodedColumn {
  /// Integers above the least of them, in the least width whose greatest code no integer takes. Booleans are counted
  /// from 0, whichever there are.
  ///
  /// - Returns: nil where no width does.
  init?(name: String, kind: Column.Kind, digits: Int, isDates: Bool = false, _ integers: OptionalIntegers) {
    let range = kind == .boolean ? 0...1 : integers.range
    let base = range?.lowerBound ?? 0
    let span = range.map { UInt64(bitPattern: $0.upperBound &- $0.lowerBound) } ?? 0
    guard span < .max else { return nil }
    // Where there is no value, the code for a missing one is all that is needed.
    let width = PackedIntegers.width(for: range == nil ? 0 : span + 1)
    self.init(
      name: name, kind: kind, encoding: .integers, width: width, digits: digits, isDates: isDates, base: base,
      valueCount: integers.valueCount)
    let missing = PackedIntegers.greatest(ofWidth: width)
    bytes.appendCodes(count: integers.count, width: width) { index in
      integers[index].map { UInt64(bitPattern: $0 &- base) } ?? missing
    }
    bytes.pad()
  }

  /// Doubles.
  init(name: String, bits: [UInt64], valueCount: Int, inexactCount: Int) {
    self.init(name: name, kind: .number, encoding: .reals, width: 8, valueCount: valueCount)
    self.inexactCount = inexactCount
    bytes.appendCodes(count: bits.count, width: 8) { bits[$0] }
  }

  /// Entries of a dictionary, in the order of their bytes, so that it does not depend on the order of the points.
  init(name: String, kind: Column.Kind, _ dictionary: GatheredEntries) {
    let entries = dictionary.entries
    let order = entries.indices.sorted { entries[$0].lexicographicallyPrecedes(entries[$1]) }
    // The last code is that of a missing value.
    var ranks = [UInt32](repeating: UInt32(entries.count), count: entries.count + 1)
    for (rank, entry) in order.enumerated() { ranks[entry] = UInt32(rank) }
    let codes = dictionary.codes
    let missing = GatheredEntries.missing
    let greatest = dictionary.valueCount < codes.count ? entries.count : max(entries.count - 1, 0)
    let width = PackedIntegers.width(for: UInt64(greatest))
    self.init(
      name: name, kind: kind, encoding: .entries, width: width, entryCount: entries.count,
      valueCount: dictionary.valueCount)
    bytes.appendCodes(count: codes.count, width: width) { index in
      UInt64(ranks[codes[index] == missing ? entries.count : Int(codes[index])])
    }
    bytes.pad()
    var end: UInt64 = 0
    bytes.appendLittleEndian(end)
    for entry in order {
      end += UInt64(entries[entry].count)
      bytes.appendLittleEndian(end)
    }
    for entry in order { bytes += entries[entry] }
  }
}

extension EncodedColumn {
  /// Adds the sections that it is to be prepared by.
  mutating func prepare(for preparations: Set<IndexColumn.Preparation>, pointCount: Int) {
    if preparations.isEmpty { return }
    let section = ColumnMemory(bytes)
    let order = section.with { ColumnOrder(of: .encoded($0, pointCount: pointCount)) }
    if preparations.contains(.percentiles) { matrices.append((.ranks, order.ranks())) }
    if preparations.contains(.distinct) { matrices.append((.links, order.links())) }
  }
}

extension Column {
  /// A column whose section was just encoded, and is valid as long as that.
  static func encoded(_ section: UnsafeRawBufferPointer, pointCount: Int) -> Column {
    do throws(IndexError) { return try Column(section: section, pointCount: pointCount) } catch {
      preconditionFailure("A column that was just encoded cannot be read: \(error)")
    }
  }
}

/// The bytes of a section in memory.
final class ColumnMemory: @unchecked Sendable {
  /// Valid as long as the object lives.
  let bytes: UnsafeRawBufferPointer

  init(_ section: [UInt8]) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: section.count, alignment: 64)
    copy.copyBytes(from: section)
    bytes = UnsafeRawBufferPointer(copy)
  }

  deinit { bytes.deallocate() }

  func with<Result>(_ work: (UnsafeRawBufferPointer) -> Result) -> Result {
    defer { withExtendedLifetime(self) {} }
    return work(bytes)
  }
}

/// An integer for each point, or none.
struct OptionalIntegers {
  private var integers: [Int64] = []
  private var isMissing: [Bool] = []
  private(set) var valueCount = 0
  /// From the least to the greatest; nil where there is none.
  private(set) var range: ClosedRange<Int64>?

  init(capacity: Int) {
    integers.reserveCapacity(capacity)
    isMissing.reserveCapacity(capacity)
  }

  var count: Int { integers.count }

  subscript(index: Int) -> Int64? { isMissing[index] ? nil : integers[index] }

  mutating func append(_ integer: Int64?) {
    integers.append(integer ?? 0)
    isMissing.append(integer == nil)
    guard let integer else { return }
    valueCount += 1
    range = range.map { min($0.lowerBound, integer)...max($0.upperBound, integer) } ?? integer...integer
  }
}

/// Distinct values in the order in which they come up, each a tag and its text.
///
/// Bytes distinguish them: strings that are equal to Unicode need not be the same.
struct GatheredEntries {
  static let missing = UInt32.max

  private(set) var entries: [[UInt8]] = []
  /// Of each point the number of its entry, or `missing`.
  private(set) var codes: [UInt32] = []
  private(set) var valueCount = 0
  private var numbers: [[UInt8]: UInt32] = [:]

  init(capacity: Int) { codes.reserveCapacity(capacity) }

  mutating func append(_ tag: AttributeValue.Tag, _ text: String) {
    let entry = [tag.rawValue] + text.utf8
    valueCount += 1
    if let number = numbers[entry] { return codes.append(number) }
    let number = UInt32(entries.count)
    entries.append(entry)
    numbers[entry] = number
    codes.append(number)
  }

  mutating func appendMissing() { codes.append(Self.missing) }
}

extension [UInt8] {
  mutating func appendLittleEndian<Value: FixedWidthInteger>(_ value: Value) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  /// Zeros up to a multiple of 8.
  mutating func pad() { while count % 8 != 0 { append(0) } }

  fileprivate mutating func appendCodes(count: Int, width: Int, _ code: (Int) -> UInt64) {
    reserveCapacity(self.count + width * count + 8)
    switch width {
    case 1: for index in 0..<count { append(UInt8(code(index))) }
    case 2: for index in 0..<count { appendLittleEndian(UInt16(code(index))) }
    case 4: for index in 0..<count { appendLittleEndian(UInt32(code(index))) }
    default: for index in 0..<count { appendLittleEndian(code(index)) }
    }
  }
}
