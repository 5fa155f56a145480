@_spi(Server) import Treeline

/// A column that was encoded as a section of an index.
struct EncodedColumn: Sendable {
  let name: String
  /// Whether the original spelling of the values is kept, for display.
  let isAttribute: Bool
  /// Number of values that are stored as the nearest double, because they are not equal to any double.
  private(set) var inexactCount = 0
  private(set) var bytes: [UInt8]
  /// Additional sections of the column. Each section is made as if the column were the first column of an index (see
  /// `RankedPoints`).
  private(set) var matrices: [(kind: IndexSection.Kind, bytes: [UInt8])] = []

  /// - Parameter codes: Writes the codes of all points. Returns the number of values that are not stored exactly.
  private init(_ encoding: ColumnEncoding, pointCount: Int, codes: (UnsafeMutableRawPointer) -> Int) {
    (name, isAttribute) = (encoding.name, encoding.isAttribute)
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

  /// Encodes a column of values.
  ///
  /// - Parameters:
  ///   - monitor: Monitor of the work. If the work is cancelled, the column is unusable.
  ///   - value: Returns the value of the point at a tree index.
  init(
    _ purpose: ColumnSurvey.Purpose, name: String, cells: DecimalMark? = nil, pointCount: Int,
    _ monitor: BuildMonitor = BuildMonitor(pointCount: 0), value: (Int) -> AttributeValue?
  ) throws(UnsuitableValue) {
    var survey = ColumnSurvey(of: purpose, name: name, cells: cells)
    var batches: [ColumnValues] = []
    for range in (0..<pointCount).blocks(of: Self.batchSize) where !monitor.isCancelled {
      var values = ColumnValues(capacity: range.count)
      monitor.valuePass(over: range) { for index in $0 { values.append(value(index)) } }
      survey.add(values, firstPoint: range.lowerBound)
      batches.append(values.complete())
      monitor.advance(.encoding, by: range.count)
    }
    var gathered: ColumnEntries?
    if try survey.hasLongDictionary() {
      var all = ColumnEntries()
      for values in batches where !monitor.isCancelled { all.add(values, of: survey) }
      gathered = all
    }
    let encoding = try survey.foundEncoding(gathered: gathered, monitor)
    self.init(encoding, pointCount: pointCount) { start in
      let codes = UnsafeMutableRawBufferPointer(start: start, count: encoding.width * pointCount)
      return Self.encode(batches, encoding, to: codes, monitor)
    }
  }

  /// Makes a column from the codes of its values.
  ///
  /// - Parameters:
  ///   - codes: The codes of all points, in input order.
  ///   - point: Converts a tree index to the number of the point in input order.
  init(
    _ encoding: ColumnEncoding, codes: [UInt8], inexactCount: Int, pointCount: Int, _ monitor: BuildMonitor,
    point: (_ treeIndex: Int) -> Int
  ) {
    let width = encoding.width
    self.init(encoding, pointCount: pointCount) { start in
      codes.withUnsafeBytes { codes in
        guard let first = codes.baseAddress else { return }
        monitor.valuePass(over: 0..<pointCount) { block in
          for index in block {
            (start + width * index).copyMemory(from: first + width * point(index), byteCount: width)
          }
          monitor.advance(.encoding, by: block.count)
        }
      }
      return inexactCount
    }
  }

  /// Writes the codes of all values, in the order of the values.
  ///
  /// - Returns: the number of values that are not stored exactly.
  static func encode(
    _ batches: [ColumnValues], _ encoding: ColumnEncoding, to codes: UnsafeMutableRawBufferPointer,
    _ monitor: BuildMonitor
  ) -> Int {
    guard var next = codes.baseAddress else { return 0 }
    var inexactCount = 0
    for values in batches where !monitor.isCancelled {
      do throws(ColumnError) {
        inexactCount += try encoding.encodeAll(values, to: next, stride: encoding.width)
      } catch { preconditionFailure("A value that was just surveyed cannot be encoded: \(error)") }
      next += encoding.width * values.count
      monitor.advance(.encoding, by: values.count)
    }
    return inexactCount
  }

  /// Number of values that are surveyed together. The number is small, so that the different values of a batch stay in
  /// the processor's cache.
  private static let batchSize = 1 << 16

  /// Encodes a column of numbers.
  ///
  /// - Parameters:
  ///   - number: Returns a number, or nil for a missing value. The function is called once for each argument in
  ///     `0..<pointCount`, in order.
  ///   - place: Converts a tree index to the argument that `number` takes for the point at this index.
  init(
    name: String, pointCount: Int, _ monitor: BuildMonitor, number: (_ index: Int) -> StoredValue?,
    place: (_ treeIndex: Int) -> Int
  ) {
    var numbers = PlainNumbers(capacity: pointCount)
    monitor.valuePass(over: 0..<pointCount) { block in
      for index in block { numbers.append(number(index)) }
      numbers.noteForm()
      monitor.advance(.encoding, by: block.count)
    }
    let (encoding, inexactCount) = numbers.encoding(ofColumn: name)
    self.init(encoding, pointCount: pointCount) { start in
      monitor.valuePass(over: 0..<pointCount) { block in
        numbers.encode(block, to: start + encoding.width * block.lowerBound, encoding, place: place)
        monitor.advance(.encoding, by: block.count)
      }
      return inexactCount
    }
  }

  /// Encodes a column of times, where nil is a missing value.
  init(name: String, pointCount: Int, _ monitor: BuildMonitor, instant: (Int) -> Instant?) throws(UnsuitableValue) {
    var survey = ColumnSurvey(of: .typed(.time), name: name)
    monitor.valuePass(over: 0..<pointCount) { block in
      for index in block { survey.add(instant(index)) }
      monitor.advance(.encoding, by: block.count)
    }
    let encoding = try survey.foundEncoding(gathered: nil)
    self.init(encoding, pointCount: pointCount) { start in
      monitor.valuePass(over: 0..<pointCount) { block in
        encoding.encode(block.count, to: start + encoding.width * block.lowerBound) { index in
          instant(block.lowerBound + index).map { encoding.code(of: $0) }
        }
        monitor.advance(.encoding, by: block.count)
      }
      return 0
    }
  }
}

extension EncodedColumn {
  /// Adds the sections for some preparations.
  mutating func prepare(for preparations: Set<IndexColumn.Preparation>, pointCount: Int, _ monitor: BuildMonitor) {
    if preparations.isEmpty || monitor.isCancelled { return }
    let section = ColumnMemory(bytes)
    section.with {
      let column = Column.encoded($0, pointCount: pointCount)
      let order = RankedPoints(of: column, monitor)
      monitor.advance(.encoding, by: pointCount)
      for preparation in IndexColumn.Preparation.allCases
      where preparations.contains(preparation) && !monitor.isCancelled {
        matrices.append((preparation.sectionKind, order.section(for: preparation, of: column)))
        monitor.advance(.encoding, by: pointCount)
      }
    }
  }
}

extension Column {
  /// Opens a column whose section was just encoded. The column is valid as long as the memory of the section exists.
  static func encoded(_ section: UnsafeRawBufferPointer, pointCount: Int) -> Column {
    do throws(IndexError) { return try Column(section: section, pointCount: pointCount) } catch {
      preconditionFailure("A column that was just encoded cannot be read: \(error)")
    }
  }
}

/// The bytes of a section in memory.
final class ColumnMemory: @unchecked Sendable {
  /// The bytes, which are valid as long as the object lives.
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

  /// Appends zeros up to a multiple of 8.
  mutating func pad() { while count % 8 != 0 { append(0) } }
}
