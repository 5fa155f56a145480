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
  private let keyPath: String
  private let name: String?
  private let column: @Sendable (_ name: String, _ values: [Value]) -> IndexColumn

  private init(
    keyPath: String, name: String?, _ column: @escaping @Sendable (_ name: String, _ values: [Value]) -> IndexColumn
  ) { (self.keyPath, self.name, self.column) = (keyPath, name, column) }

  private init(
    _ keyPath: AnyKeyPath, _ name: String?,
    _ column: @escaping @Sendable (_ name: String, _ values: [Value]) -> IndexColumn
  ) { self.init(keyPath: "\(keyPath)", name: name, column) }

  private init(
    _ keyPath: AnyKeyPath, _ name: String?, _ kind: IndexColumn.Kind,
    _ value: @escaping @Sendable (Value) -> AttributeValue?
  ) {
    self.init(keyPath, name) { name, values in
      IndexColumn(name: name, kind: kind) { value(values[$0]) }
    }
  }

  func indexColumn(of values: [Value]) throws(ColumnError) -> IndexColumn {
    guard let name = name ?? Self.lastProperty(of: keyPath) else { throw .namelessKeyPath(keyPath) }
    return column(name, values)
  }

  /// The same column, prepared for more, as in `.number(\.price).prepared(for: .percentiles)`.
  public func prepared(for preparations: IndexColumn.Preparation...) -> MapColumn {
    MapColumn(keyPath: keyPath, name: name) { [column] in column($0, $1).prepared(for: Set(preparations)) }
  }

  /// `price` of `\Hotel.price`, `\Hotel.offer.price` and `\Hotel.offer?.price`.
  private static func lastProperty(of keyPath: String) -> String? {
    guard let point = keyPath.lastIndex(of: ".") else { return nil }
    var name = keyPath[keyPath.index(after: point)...]
    while let last = name.last, last == "?" || last == "!" { name.removeLast() }
    guard let first = name.first, first.isLetter || first == "_",
      name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
    else { return nil }
    return String(name)
  }
}

extension MapColumn {
  /// Integers, kept exactly.
  public static func number<Number: BinaryInteger & Sendable>(
    _ keyPath: KeyPath<Value, Number> & Sendable, name: String? = nil
  ) -> MapColumn { MapColumn(keyPath, name, .number) { .number("\($0[keyPath: keyPath])") } }

  /// The same; nil is a missing value.
  public static func number<Number: BinaryInteger & Sendable>(
    _ keyPath: KeyPath<Value, Number?> & Sendable, name: String? = nil
  ) -> MapColumn { MapColumn(keyPath, name, .number) { $0[keyPath: keyPath].map { .number("\($0)") } } }

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

extension AttributeValue {
  fileprivate init?<Number: BinaryFloatingPoint>(finite number: Number) {
    guard number.isFinite else { return nil }
    self = .number("\(number)")
  }
}

extension ClusterTree {
  /// The tree with columns of the values that its rows count.
  func adding<Value>(_ columns: [MapColumn<Value>], of values: [Value]) throws(ColumnError) -> ClusterTree {
    if columns.isEmpty { return self }
    return try adding(columns: columns.map { column throws(ColumnError) in try column.indexColumn(of: values) })
  }
}
