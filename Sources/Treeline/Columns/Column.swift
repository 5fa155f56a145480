/// A column: for each point one value or no value, in tree order.
///
/// The columns of a tree lie in its index, or in memory if the tree was built in memory. A column is read only when it
/// is needed. To keep columns in an index or a map, use `treelinemap build --columns` or `ClusterMap(_:at:columns:)`.
public struct Column: Sendable {
  /// The kind of a column's values.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The numbers of the input, stored as exact decimals if possible and otherwise as the nearest doubles.
    case number
    /// Texts that many points share.
    case category
    /// True or false.
    case boolean
    /// Moments in time.
    case time
    /// Texts, or values of several types, kept for display.
    case text
  }

  /// The name of the column in filters and aggregates.
  public let name: String
  /// The kind of the column's values.
  public let kind: Kind
  package let pointCount: Int
  package let values: Values

  package enum Values: Sendable {
    /// Numbers, booleans and times.
    case integers(IntegerValues)
    /// Numbers.
    case reals(RealValues)
    /// Texts, each as the index of its entry in a dictionary.
    case entries(EntryValues)
  }

  /// The column in the attribute format, which earlier versions and the option `--attributes` write; nil for a column
  /// in another format.
  package let attribute: AttributeColumn?

  /// Sections that make aggregates and searches faster.
  var sections = ColumnSections()

  /// The bytes of the column's section; nil for an attribute.
  package nonisolated(unsafe) let section: UnsafeRawBufferPointer?

  package init(
    name: String, kind: Kind, pointCount: Int, values: Values, attribute: AttributeColumn? = nil,
    section: UnsafeRawBufferPointer? = nil
  ) {
    (self.name, self.kind, self.pointCount) = (name, kind, pointCount)
    (self.values, self.attribute, self.section) = (values, attribute, section)
  }
}

/// The values of a column of numbers, booleans or times. Each value corresponds to an integer. A number is its integer
/// divided by a power of ten. The column stores each integer as a code: the integer minus `base`. The greatest code
/// that fits into the width of the codes stands for a missing value.
package struct IntegerValues: Sendable {
  package let codes: PackedIntegers
  /// The integer that is added to each code.
  package let base: Int64
  /// The number of decimals of all values in the column: with 2 decimals, the integer 123 stands for 1.23. For times,
  /// this is the number of decimals of a second: 3 if the integers are milliseconds.
  package let digits: Int
  /// For times, whether each time is the first moment of a day.
  package let isDates: Bool

  package var missingCode: UInt64 { PackedIntegers.greatest(ofWidth: codes.width) }

  /// Returns the integer of a point; nil for a missing value.
  @inline(__always) package func integer(at index: Int) -> Int64? {
    let code = codes[index]
    return code == missingCode ? nil : base &+ Int64(truncatingIfNeeded: code)
  }

  /// Returns the code of an integer: -1 if the integer is below the range of codes, and `missingCode` if it is above
  /// this range.
  package func code(clamping integer: Int128) -> Int128 {
    max(min(integer - Int128(base), Int128(missingCode)), -1)
  }

  package func number(_ integer: Int64) -> DecimalNumber {
    DecimalNumber(significand: Int128(integer), exponent: -digits)
  }
}

/// Doubles. A double that is not finite stands for a missing value.
package struct RealValues: @unchecked Sendable {
  package let start: UnsafePointer<UInt64>

  @inline(__always) package subscript(index: Int) -> Double { Double(bitPattern: UInt64(littleEndian: start[index])) }
}

/// The values of a column with a dictionary. The code of a point is the index of the point's entry in the dictionary.
/// If the code is out of range, or its entry is null, the value is missing.
package struct EntryValues: Sendable {
  package let codes: PackedIntegers
  package let dictionary: ColumnDictionary
}

extension EntryValues {
  /// For each entry, whether the entry is a value and not null.
  var isPresent: [Bool] { (0..<dictionary.entryCount).map(dictionary.isPresent) }
}

// MARK: - One point

extension Column {
  /// Returns the value of the point at an index in tree order; nil if the input has no value for this point, not even
  /// null.
  ///
  /// - Precondition: `treeIndex` is in `0 ..< pointCount` of the tree.
  @_spi(Server) public func value(atTreeIndex treeIndex: Int) -> AttributeValue? {
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

  /// Returns the value that an integer of the column stands for.
  package func value(ofInteger integer: Int64, of integers: IntegerValues) -> AttributeValue {
    switch kind {
    case .boolean: .bool(integer != 0)
    case .time:
      .string(
        { integers.isDates ? $0.dateText : "\($0)" }(Instant(ticks: integer, digits: integers.digits)))
    default: .number("\(integers.number(integer))")
    }
  }

  /// The type of the column's values that are not null. If an attribute contains values other than numbers, its type is
  /// found from its first 4,096 distinct values.
  package var type: AttributeType {
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

  /// Returns the column with a name; nil if there is no such column. Names are compared by Swift's equality of strings.
  public func column(_ name: String) -> Column? { withStorage { $0.columns.first { $0.name == name } } }
}
