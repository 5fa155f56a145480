import Treeline

/// The values of one column for some points, in the order of the points. All these values are surveyed or encoded
/// together.
///
/// Each different value is stored once, so a survey reads each different value only once.
public struct ColumnValues: Sendable {
  private(set) var entries = EntrySet()
  /// For each point, the number of the entry that is the point's value.
  private(set) var numbers: [UInt32] = []

  /// Makes an empty list of values.
  public init() {}

  init(capacity: Int) { numbers.reserveCapacity(capacity) }

  /// Number of points.
  public var count: Int { numbers.count }

  /// Approximate memory of the values, in bytes.
  var memory: Int { entries.memory + 4 * numbers.count }

  /// Adds the value of the next point. Nil means that the point does not have the column. A null value means that the
  /// point has the column, but without a value.
  public mutating func append(_ value: AttributeValue?) {
    switch value {
    case .string(let text): numbers.append(entries.insert(.string, text))
    default: numbers.append(entries.insert(value?.tag ?? .absent, value?.text ?? ""))
    }
  }

  /// Visits each distinct value, and the first point that has this value. Each distinct value is called an entry.
  /// Entries are numbered in the order of their first points.
  func forEachEntry(_ visit: (_ entry: Int, _ firstPoint: Int) -> Void) {
    var next: UInt32 = 0
    for (point, number) in numbers.enumerated() where number == next {
      visit(Int(number), point)
      next += 1
    }
  }

  /// Returns these values without the memory that is needed only for adding more values.
  func complete() -> ColumnValues {
    var complete = self
    complete.entries.freeTable()
    return complete
  }
}

extension ColumnValues: BinaryCodable {
  package func write(to bytes: inout PlainBytes) {
    bytes.append(entries)
    // Most columns have few different values, so an entry number fits into 1 or 2 bytes.
    switch entries.count {
    case ...0x100: bytes.append(numbers.map { UInt8($0) })
    case ...0x1_0000: bytes.append(numbers.map { UInt16($0) })
    default: bytes.append(numbers)
    }
  }

  package init(from bytes: inout PlainBytes) throws(PieceError) {
    entries = try EntrySet(from: &bytes)
    switch entries.count {
    case ...0x100: numbers = try bytes.readArray(of: UInt8.self).map { UInt32($0) }
    case ...0x1_0000: numbers = try bytes.readArray(of: UInt16.self).map { UInt32($0) }
    default: numbers = try bytes.readArray()
    }
    var visitCount = 0
    forEachEntry { _, _ in visitCount += 1 }
    guard visitCount == entries.count, numbers.allSatisfy({ $0 < UInt32(visitCount) }) else {
      throw .damaged(
        what: "the values of a column", expected: "values in the order of their points", found: "another order")
    }
  }
}
