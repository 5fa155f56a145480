import Treeline

/// A column that a `ClusterMap` is to have, from a property of its values.
///
/// ```swift
/// let hotels = try ClusterMap(
///   allHotels, at: \.coordinate, columns: .number(\.price), .category(\.kind), .time(\.opened, name: "since"))
/// ```
///
/// Without a name it is that of the property, the last one of the key path. The key path of a computed property or a
/// subscript may not tell it, and building then throws `ColumnError.namelessKeyPath`.
public struct MapColumn<Value: Sendable>: Sendable {
  private let keyPath: AnyKeyPath & Sendable
  private let name: String?
  private let column: @Sendable (_ name: String, _ values: [Value]) -> IndexColumn

  private init(
    _ keyPath: AnyKeyPath & Sendable, _ name: String?,
    _ column: @escaping @Sendable (_ name: String, _ values: [Value]) -> IndexColumn
  ) { (self.keyPath, self.name, self.column) = (keyPath, name, column) }

  private init(
    _ keyPath: AnyKeyPath & Sendable, _ name: String?, _ kind: IndexColumn.Kind,
    _ value: @escaping @Sendable (Value) -> AttributeValue?
  ) {
    self.init(keyPath, name) { name, values in
      IndexColumn(name: name, kind: kind) { value(values[$0]) }
    }
  }

  /// What it is made of, and what it is called.
  func named() throws(ColumnError) -> (keyPath: AnyKeyPath, name: String) {
    guard let name = name ?? PropertyNames.lastProperty(of: keyPath) else { throw .namelessKeyPath("\(keyPath)") }
    return (keyPath, name)
  }

  func indexColumn(of values: [Value]) throws(ColumnError) -> IndexColumn { column(try named().name, values) }

  /// The same column, prepared for more, as in `.number(\.price).prepared(for: .percentiles)`.
  public func prepared(for preparations: IndexColumn.Preparation...) -> MapColumn {
    MapColumn(keyPath, name) { [column] in column($0, $1).prepared(for: Set(preparations)) }
  }
}

extension MapColumn {
  /// Integers, kept exactly.
  public static func number<Number: BinaryInteger & Sendable>(
    _ keyPath: KeyPath<Value, Number> & Sendable, name: String? = nil
  ) -> MapColumn { integers(keyPath, name) { $0[keyPath: keyPath] } }

  /// The same; nil is a missing value.
  public static func number<Number: BinaryInteger & Sendable>(
    _ keyPath: KeyPath<Value, Number?> & Sendable, name: String? = nil
  ) -> MapColumn { integers(keyPath, name) { $0[keyPath: keyPath] } }

  /// A column of integers, by way of their texts only where 64 bits do not hold them.
  private static func integers<Number: BinaryInteger & Sendable>(
    _ keyPath: AnyKeyPath & Sendable, _ name: String?, _ number: @escaping @Sendable (Value) -> Number?
  ) -> MapColumn {
    MapColumn(keyPath, name) { name, values in
      if Number.fitsInt64 || values.allSatisfy({ number($0).map { Int64(exactly: $0) != nil } ?? true }) {
        // Row by row, as values lie in memory: the column asks for them in tree order, and twice.
        let numbers = values.map { number($0).map { Int64(truncatingIfNeeded: $0) } }
        return .integers(name: name) { numbers[$0] }
      }
      return IndexColumn(name: name, kind: .number) { row in number(values[row]).map { .number("\($0)") } }
    }
  }

  /// Floating-point numbers; what is not finite is a missing value.
  public static func number<Number: BinaryFloatingPoint & Sendable>(
    _ keyPath: KeyPath<Value, Number> & Sendable, name: String? = nil
  ) -> MapColumn { MapColumn(keyPath, name, .number) { AttributeValue(finite: $0[keyPath: keyPath]) } }

  /// The same; nil is a missing value, too.
  public static func number<Number: BinaryFloatingPoint & Sendable>(
    _ keyPath: KeyPath<Value, Number?> & Sendable, name: String? = nil
  ) -> MapColumn { MapColumn(keyPath, name, .number) { $0[keyPath: keyPath].flatMap { AttributeValue(finite: $0) } } }

  /// Texts of which many values have the same.
  public static func category(_ keyPath: KeyPath<Value, String> & Sendable, name: String? = nil) -> MapColumn {
    MapColumn(keyPath, name, .category) { .string($0[keyPath: keyPath]) }
  }

  /// The same; nil is a missing value.
  public static func category(_ keyPath: KeyPath<Value, String?> & Sendable, name: String? = nil) -> MapColumn {
    MapColumn(keyPath, name, .category) { $0[keyPath: keyPath].map(AttributeValue.string) }
  }

  /// Cases of an enumeration of strings.
  public static func category<Text: RawRepresentable<String> & Sendable>(
    _ keyPath: KeyPath<Value, Text> & Sendable, name: String? = nil
  ) -> MapColumn { MapColumn(keyPath, name, .category) { .string($0[keyPath: keyPath].rawValue) } }

  /// The same; nil is a missing value.
  public static func category<Text: RawRepresentable<String> & Sendable>(
    _ keyPath: KeyPath<Value, Text?> & Sendable, name: String? = nil
  ) -> MapColumn { MapColumn(keyPath, name, .category) { $0[keyPath: keyPath].map { .string($0.rawValue) } } }

  /// Booleans.
  public static func boolean(_ keyPath: KeyPath<Value, Bool> & Sendable, name: String? = nil) -> MapColumn {
    MapColumn(keyPath, name, .boolean) { .bool($0[keyPath: keyPath]) }
  }

  /// The same; nil is a missing value.
  public static func boolean(_ keyPath: KeyPath<Value, Bool?> & Sendable, name: String? = nil) -> MapColumn {
    MapColumn(keyPath, name, .boolean) { $0[keyPath: keyPath].map(AttributeValue.bool) }
  }

  /// Moments in time.
  public static func time(_ keyPath: KeyPath<Value, Instant> & Sendable, name: String? = nil) -> MapColumn {
    MapColumn(keyPath, name) { name, values in
      IndexColumn(name: name, instant: { values[$0][keyPath: keyPath] })
    }
  }

  /// The same; nil is a missing value.
  public static func time(_ keyPath: KeyPath<Value, Instant?> & Sendable, name: String? = nil) -> MapColumn {
    MapColumn(keyPath, name) { name, values in
      IndexColumn(name: name, instant: { values[$0][keyPath: keyPath] })
    }
  }

  /// Texts for display.
  public static func text(_ keyPath: KeyPath<Value, String> & Sendable, name: String? = nil) -> MapColumn {
    MapColumn(keyPath, name, .text) { .string($0[keyPath: keyPath]) }
  }

  /// The same; nil is a missing value.
  public static func text(_ keyPath: KeyPath<Value, String?> & Sendable, name: String? = nil) -> MapColumn {
    MapColumn(keyPath, name, .text) { $0[keyPath: keyPath].map(AttributeValue.string) }
  }
}

extension BinaryInteger {
  /// Whether 64 bits hold every number of the type.
  fileprivate static var fitsInt64: Bool {
    guard let type = Self.self as? any FixedWidthInteger.Type else { return false }
    return type.bitWidth < 64 || type.bitWidth == 64 && isSigned
  }
}

extension AttributeValue {
  fileprivate init?<Number: BinaryFloatingPoint>(finite number: Number) {
    guard number.isFinite else { return nil }
    self = .number("\(number)")
  }
}

extension ClusterMap {
  /// Values on a tree, which gets columns of them.
  init(
    _ values: [Value], on tree: ClusterTree, adding columns: [MapColumn<Value>],
    progress: (@Sendable (BuildProgress) -> Void)? = nil
  ) throws {
    let names = PropertyNames(try columns.map { try $0.named() })
    let tree =
      columns.isEmpty
      ? tree
      : try tree.adding(
        columns: columns.map { try $0.indexColumn(of: values) }, stoppingWith: nil, progress: progress)
    self.init(tree: tree, values: values, names: names)
  }
}
