import Treeline

/// A column of a `ClusterMap`, made from a property of its values.
///
/// ```swift
/// let hotels = try ClusterMap(
///   allHotels, at: \.coordinate, columns: .number(\.price), .category(\.kind), .time(\.opened, name: "since"))
/// ```
///
/// A column without a given name gets the name of the last property of the key path. The key path of a computed
/// property or a subscript may contain no name. Then building throws `ColumnError.namelessKeyPath`.
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

  /// Returns the key path that the column is made from, and the name of the column.
  func named() throws(ColumnError) -> (keyPath: AnyKeyPath, name: String) {
    guard let name = name ?? PropertyNames.lastProperty(of: keyPath) else { throw .namelessKeyPath("\(keyPath)") }
    return (keyPath, name)
  }

  func indexColumn(of values: [Value]) throws(ColumnError) -> IndexColumn { column(try named().name, values) }

  /// Returns this column with preparations added, as in `.number(\.price).prepared(for: .percentiles)`.
  public func prepared(for preparations: IndexColumn.Preparation...) -> MapColumn {
    MapColumn(keyPath, name) { [column] in column($0, $1).prepared(for: Set(preparations)) }
  }
}

extension MapColumn {
  /// Makes a column of integers, kept exactly.
  public static func number<Number: BinaryInteger & Sendable>(
    _ keyPath: KeyPath<Value, Number> & Sendable, name: String? = nil
  ) -> MapColumn { integers(keyPath, name) { $0[keyPath: keyPath] } }

  /// Makes a column of integers, kept exactly; nil is a missing value.
  public static func number<Number: BinaryInteger & Sendable>(
    _ keyPath: KeyPath<Value, Number?> & Sendable, name: String? = nil
  ) -> MapColumn { integers(keyPath, name) { $0[keyPath: keyPath] } }

  /// Makes a column of integers. If 64 bits cannot hold some integer, all integers are passed on as decimal numbers.
  private static func integers<Number: BinaryInteger & Sendable>(
    _ keyPath: AnyKeyPath & Sendable, _ name: String?, _ number: @escaping @Sendable (Value) -> Number?
  ) -> MapColumn {
    MapColumn(keyPath, name) { name, values in
      if Number.fitsInt64 || values.allSatisfy({ number($0).map { Int64(exactly: $0) != nil } ?? true }) {
        // Reads each value once, in the order of memory. The column alone would read values twice, in tree order.
        let numbers = values.map { number($0).map { Int64(truncatingIfNeeded: $0) } }
        return .integers(name: name) { numbers[$0] }
      }
      return IndexColumn(name: name, kind: .number) { row in number(values[row]).map { .number("\($0)") } }
    }
  }

  /// Makes a column of floating-point numbers. A number that is not finite is a missing value.
  public static func number<Number: BinaryFloatingPoint & Sendable>(
    _ keyPath: KeyPath<Value, Number> & Sendable, name: String? = nil
  ) -> MapColumn { MapColumn(keyPath, name, .number) { AttributeValue(finite: $0[keyPath: keyPath]) } }

  /// Makes a column of floating-point numbers. Nil and numbers that are not finite are missing values.
  public static func number<Number: BinaryFloatingPoint & Sendable>(
    _ keyPath: KeyPath<Value, Number?> & Sendable, name: String? = nil
  ) -> MapColumn { MapColumn(keyPath, name, .number) { $0[keyPath: keyPath].flatMap { AttributeValue(finite: $0) } } }

  /// Makes a column of texts that many values share.
  public static func category(_ keyPath: KeyPath<Value, String> & Sendable, name: String? = nil) -> MapColumn {
    MapColumn(keyPath, name, .category) { .string($0[keyPath: keyPath]) }
  }

  /// Makes a column of texts that many values share; nil is a missing value.
  public static func category(_ keyPath: KeyPath<Value, String?> & Sendable, name: String? = nil) -> MapColumn {
    MapColumn(keyPath, name, .category) { $0[keyPath: keyPath].map(AttributeValue.string) }
  }

  /// Makes a column of the cases of an enumeration of strings.
  public static func category<Text: RawRepresentable<String> & Sendable>(
    _ keyPath: KeyPath<Value, Text> & Sendable, name: String? = nil
  ) -> MapColumn { MapColumn(keyPath, name, .category) { .string($0[keyPath: keyPath].rawValue) } }

  /// Makes a column of the cases of an enumeration of strings; nil is a missing value.
  public static func category<Text: RawRepresentable<String> & Sendable>(
    _ keyPath: KeyPath<Value, Text?> & Sendable, name: String? = nil
  ) -> MapColumn { MapColumn(keyPath, name, .category) { $0[keyPath: keyPath].map { .string($0.rawValue) } } }

  /// Makes a column of booleans.
  public static func boolean(_ keyPath: KeyPath<Value, Bool> & Sendable, name: String? = nil) -> MapColumn {
    MapColumn(keyPath, name, .boolean) { .bool($0[keyPath: keyPath]) }
  }

  /// Makes a column of booleans; nil is a missing value.
  public static func boolean(_ keyPath: KeyPath<Value, Bool?> & Sendable, name: String? = nil) -> MapColumn {
    MapColumn(keyPath, name, .boolean) { $0[keyPath: keyPath].map(AttributeValue.bool) }
  }

  /// Makes a column of moments in time.
  public static func time(_ keyPath: KeyPath<Value, Instant> & Sendable, name: String? = nil) -> MapColumn {
    MapColumn(keyPath, name) { name, values in
      IndexColumn(name: name, instant: { values[$0][keyPath: keyPath] })
    }
  }

  /// Makes a column of moments in time; nil is a missing value.
  public static func time(_ keyPath: KeyPath<Value, Instant?> & Sendable, name: String? = nil) -> MapColumn {
    MapColumn(keyPath, name) { name, values in
      IndexColumn(name: name, instant: { values[$0][keyPath: keyPath] })
    }
  }

  /// Makes a column of texts for display.
  public static func text(_ keyPath: KeyPath<Value, String> & Sendable, name: String? = nil) -> MapColumn {
    MapColumn(keyPath, name, .text) { .string($0[keyPath: keyPath]) }
  }

  /// Makes a column of texts for display; nil is a missing value.
  public static func text(_ keyPath: KeyPath<Value, String?> & Sendable, name: String? = nil) -> MapColumn {
    MapColumn(keyPath, name, .text) { $0[keyPath: keyPath].map(AttributeValue.string) }
  }
}

extension MapColumn where Value == KeyedPoint {
  /// Makes a column with the name, kind and preparations of a column of an index.
  ///
  /// - Parameter number: Number of the column among the values of a point.
  init(number: Int, like column: Column) {
    let keyPath: KeyPath<KeyedPoint, AttributeValue?> & Sendable = \.[column: number]
    let preparations = Set<IndexColumn.Preparation>(
      (column.ranks == nil ? [] : [.percentiles]) + (column.links == nil ? [] : [.distinct])
        + (column.search == nil ? [] : [.search]))
    self.init(keyPath, column.name) { [kind = column.indexKind] name, points in
      IndexColumn(name: name, kind: kind) { points[$0].values[number] }.prepared(for: preparations)
    }
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
  /// Makes a map of values on a tree, and adds columns of these values to the tree. The recipe says how the tree was
  /// built.
  init(
    _ values: [Value], on tree: ClusterTree, adding columns: [MapColumn<Value>], recipe: MapRecipe<Value>,
    progress: (@Sendable (BuildProgress) -> Void)? = nil
  ) throws {
    let names = PropertyNames(try columns.map { try $0.named() })
    let tree =
      columns.isEmpty
      ? tree
      : try tree.adding(
        columns: columns.map { try $0.indexColumn(of: values) }, stoppingWith: nil, progress: progress)
    self.init(tree: tree, values: values, names: names, recipe: recipe)
  }
}
