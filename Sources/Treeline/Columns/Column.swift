/// A column: one value for each point, in tree order, or none.
///
/// Columns of a tree lie in its index, or in memory where it was built with them. They are read when they are asked
/// for. `treeline build --columns` keeps them, and so does `ClusterMap(_:at:columns:)`.
public struct Column: Sendable {
  /// What its values are.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Numbers, exactly as they are written in decimals, or else as the nearest doubles.
    case number
    /// Texts of which many points have the same.
    case category
    /// True or false.
    case boolean
    /// Moments in time.
    case time
    /// Texts, or values of several types, kept for display.
    case text
  }

  /// As filters and aggregates call it.
  public let name: String
  /// What its values are.
  public let kind: Kind
  package let pointCount: Int
  package let values: Values

  package enum Values: Sendable {
    /// Numbers, booleans and times.
    case integers(IntegerValues)
    /// Numbers.
    case reals(RealValues)
    /// Texts by the number of their entry in a dictionary.
    case entries(EntryValues)
  }

  /// The column as an attribute, where a build of an earlier version or `--attributes` wrote it.
  package let attribute: AttributeColumn?

  /// What tells its percentiles, and how many different values there are, without reading values; nil where they were
  /// not asked for.
  package var ranks: ColumnMatrix?
  package var links: ColumnMatrix?

  /// The bytes of its section; nil for an attribute.
  package nonisolated(unsafe) let section: UnsafeRawBufferPointer?

  package init(
    name: String, kind: Kind, pointCount: Int, values: Values, attribute: AttributeColumn? = nil,
    section: UnsafeRawBufferPointer? = nil
  ) {
    (self.name, self.kind, self.pointCount) = (name, kind, pointCount)
    (self.values, self.attribute, self.section) = (values, attribute, section)
  }
}

/// Numbers as integers above a base, each multiplied by a power of ten; the greatest code of the width is a missing
/// value.
package struct IntegerValues: Sendable {
  package let codes: PackedIntegers
  /// What is added to each code.
  package let base: Int64
  /// Of numbers, how many decimals they have at most; of times, as which fraction of a second they are counted.
  package let digits: Int
  /// Of times, whether all are the first moment of a day.
  package let isDates: Bool

  package var missingCode: UInt64 { PackedIntegers.greatest(ofWidth: codes.width) }

  /// nil for a missing value.
  @inline(__always) package func integer(at index: Int) -> Int64? {
    let code = codes[index]
    return code == missingCode ? nil : base &+ Int64(truncatingIfNeeded: code)
  }

  /// The code of an integer; what no code stands for is -1 below all of them, and the missing value's above.
  package func code(clamping integer: Int128) -> Int128 {
    max(min(integer - Int128(base), Int128(missingCode)), -1)
  }

  package func number(_ integer: Int64) -> DecimalNumber {
    DecimalNumber(significand: Int128(integer), exponent: -digits)
  }
}

/// Doubles, of which any that is not finite is a missing value.
package struct RealValues: @unchecked Sendable {
  package let start: UnsafePointer<UInt64>

  @inline(__always) package subscript(index: Int) -> Double { Double(bitPattern: UInt64(littleEndian: start[index])) }
}

/// Entries of a dictionary; what is no number of an entry, or that of an entry for null, is a missing value.
package struct EntryValues: Sendable {
  package let codes: PackedIntegers
  package let dictionary: ColumnDictionary
}

extension EntryValues {
  /// Whether each entry is a value.
  var isPresent: [Bool] { (0..<dictionary.entryCount).map(dictionary.isPresent) }
}

// MARK: - One point

extension Column {
  /// The value of the point at an index in tree order; nil where the input has none, not even null.
  ///
  /// - Precondition: `treeIndex` is in `0 ..< pointCount` of the tree.
  public func value(atTreeIndex treeIndex: Int) -> AttributeValue? {
    precondition(treeIndex >= 0 && treeIndex < pointCount, "Expected an index below \(pointCount), found \(treeIndex)")
    if let attribute { return attribute.value(at: treeIndex) }
    switch values {
    case .integers(let integers):
      guard let integer = integers.integer(at: treeIndex) else { return .null }
      return value(ofInteger: integer, of: integers)
    case .reals(let reals):
      let number = reals[treeIndex]
      return number.isFinite ? .number(AttributeColumn.text(of: number)) : .null
    case .entries(let entries): return entries.dictionary.value(ofEntry: Int(clamping: entries.codes[treeIndex]))
    }
  }

  /// An integer of the column as a value.
  package func value(ofInteger integer: Int64, of integers: IntegerValues) -> AttributeValue {
    switch kind {
    case .boolean: .bool(integer != 0)
    case .time:
      .string(
        { integers.isDates ? $0.dateText : "\($0)" }(Instant(ticks: integer, digits: integers.digits)))
    default: .number("\(integers.number(integer))")
    }
  }

  /// The type of its values, but for null.
  public var type: AttributeType {
    if let attribute { return attribute.type }
    return switch kind {
    case .number: .number
    case .boolean: .boolean
    case .category, .time, .text: .string
    }
  }
}

extension ClusterTree {
  /// The columns, in the order of the input.
  public var columns: [Column] { withStorage(\.columns) }

  /// The column of a name, by Swift's equality of strings; nil where there is none.
  public func column(_ name: String) -> Column? { withStorage { $0.columns.first { $0.name == name } } }
}
