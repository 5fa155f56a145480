import Treeline

/// A column as the section of an index holds it, and what is worth telling of how it was encoded.
package struct EncodedColumn: Sendable {
  package let name: String
  package let kind: Column.Kind
  /// Nil for a column without a dictionary.
  package let entryCount: Int?
  /// As of `ColumnEncoding`.
  package let hasOddTimes: Bool
  /// How many numbers are not kept exactly, but as the nearest doubles.
  package private(set) var inexactCount = 0
  package private(set) var bytes: [UInt8]
  /// The sections that belong to it, each as that of the first column.
  private(set) var matrices: [(kind: IndexSection.Kind, bytes: [UInt8])] = []

  /// - Parameter codes: Writes the codes of all points, and tells how many numbers they do not keep exactly.
  private init(_ encoding: ColumnEncoding, pointCount: Int, codes: (UnsafeMutableRawPointer) -> Int) {
    (name, kind, entryCount) = (encoding.name, encoding.kind, encoding.entryCount)
    hasOddTimes = encoding.hasOddTimes
    let head = encoding.head
    var inexactCount = 0
    bytes = [UInt8](unsafeUninitializedCapacity: encoding.sectionLength(pointCount: pointCount)) { bytes, count in
      let buffer = UnsafeMutableRawBufferPointer(bytes)
      buffer.copyBytes(from: head)
      let start = buffer.baseAddress! + head.count
      inexactCount = codes(start)
      count = head.count + encoding.width * pointCount
      while count % 8 != 0 {
        bytes[count] = 0
        count += 1
      }
      encoding.forEachPartOfTail { part in
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: part)
        count += part.count
      }
    }
    self.inexactCount = inexactCount
  }

  /// A column of values.
  ///
  /// - Parameter value: The value of the point at a tree index.
  init(
    _ purpose: ColumnSurvey.Purpose, name: String, holdsCells: Bool = false, pointCount: Int,
    value: (Int) -> AttributeValue?
  ) throws(UnsuitableValue) {
    var survey = ColumnSurvey(of: purpose, name: name, holdsCells: holdsCells)
    var batches: [ColumnValues] = []
    for range in (0..<pointCount).blocks(of: Self.batchSize) {
      var values = ColumnValues(capacity: range.count)
      for index in range { values.append(value(index)) }
      survey.add(values, firstPoint: range.lowerBound)
      batches.append(values.complete())
    }
    var gathered: ColumnEntries?
    if try survey.hasLongDictionary() {
      var all = ColumnEntries()
      for values in batches { all.add(values, of: survey) }
      gathered = all
    }
    let encoding = try survey.foundEncoding(gathered: gathered)
    self.init(encoding, pointCount: pointCount) { start in
      var (next, inexactCount) = (start, 0)
      for values in batches {
        inexactCount += encoding.encode(values, to: next, stride: encoding.width)
        next += encoding.width * values.count
      }
      return inexactCount
    }
  }

  /// How many values are looked at at once: their different ones stay in the cache.
  private static let batchSize = 1 << 16

  /// A column of whole numbers, of which some may be missing; nil if integers of one base do not hold them.
  init?(name: String, pointCount: Int, integer: (Int) -> Int64?) {
    var survey = ColumnSurvey(of: .typed(.number), name: name)
    for index in 0..<pointCount { survey.add(integer(index)) }
    guard let encoding = try? survey.encoding(), encoding.form.encoding == .integers else { return nil }
    self.init(encoding, pointCount: pointCount) { start in
      encoding.encode(pointCount, to: start) { index in integer(index).map { encoding.code(of: $0) } }
      return 0
    }
  }

  /// A column of times, of which some may be missing.
  init(name: String, pointCount: Int, instant: (Int) -> Instant?) throws(UnsuitableValue) {
    var survey = ColumnSurvey(of: .typed(.time), name: name)
    for index in 0..<pointCount { survey.add(instant(index)) }
    let encoding = try survey.foundEncoding(gathered: nil)
    self.init(encoding, pointCount: pointCount) { start in
      encoding.encode(pointCount, to: start) { index in instant(index).map { encoding.code(of: $0) } }
      return 0
    }
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

extension [UInt8] {
  mutating func appendLittleEndian<Value: FixedWidthInteger>(_ value: Value) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  /// Zeros up to a multiple of 8.
  mutating func pad() { while count % 8 != 0 { append(0) } }
}
