import Treeline

/// A column of a `ClusterMap`, made from a property of the map's values.
///
/// ```swift
/// let hotels = try ClusterMap(
///   allHotels, at: \.coordinate, columns: .number(\.price), .category(\.kind), .time(\.opened, name: "since"))
/// ```
///
/// A column without a given name gets the name of the last property of the key path. If the key path contains no name,
/// building throws `ColumnError.namelessKeyPath`. This may happen for computed properties and subscripts.
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

  /// Returns the key path from which the column is made, and the name of the column.
  func named() throws(ColumnError) -> (keyPath: AnyKeyPath, name: String) {
    guard let name = name ?? PropertyNames.lastProperty(of: keyPath) else { throw .namelessKeyPath("\(keyPath)") }
    return (keyPath, name)
  }

  func indexColumn(of values: [Value]) throws(ColumnError) -> IndexColumn { column(try named().name, values) }

  /// Returns this column with preparations added, as in `.number(\.price).prepared(for: .percentiles)`.
  public func prepared(for preparations: IndexColumn.Preparation...) -> MapColumn { prepared(for: Set(preparations)) }

  /// Returns this column with preparations added.
  public func prepared(for preparations: Set<IndexColumn.Preparation>) -> MapColumn {
    MapColumn(keyPath, name) { [column] in column($0, $1).prepared(for: preparations) }
  }
}

extension MapColumn {
  /// Makes a column of numbers. Nil and numbers that are not finite are missing values. Numbers are stored exactly if
  /// possible; see ``IndexColumn/Kind/number``. If a whole number is 2^63 or more, or if two whole numbers differ by
  /// more than 2^64 - 2, all numbers of the column are stored as the nearest doubles.
  public static func number<Property: ColumnValue>(
    _ keyPath: KeyPath<Value, Property> & Sendable, name: String? = nil
  ) -> MapColumn where Property.Stored: SummableColumnValue & Numeric {
    MapColumn(keyPath, name) { name, values in
      .numbers(name: name, areInMemory: true) { Property.storedValue(ofAny: values[$0][keyPath: keyPath]) }
    }
  }

  /// Makes a column of texts that occur many times, or of the cases of an enumeration. Nil is a missing value.
  public static func category<Property: ColumnValue>(
    _ keyPath: KeyPath<Value, Property> & Sendable, name: String? = nil
  ) -> MapColumn where Property.Stored == String {
    MapColumn(keyPath, name, .category) { Property.stored($0[keyPath: keyPath]).map(AttributeValue.string) }
  }

  /// Makes a column of booleans; nil is a missing value.
  public static func boolean<Property: ColumnValue>(
    _ keyPath: KeyPath<Value, Property> & Sendable, name: String? = nil
  ) -> MapColumn where Property.Stored == Bool {
    MapColumn(keyPath, name, .boolean) { Property.stored($0[keyPath: keyPath]).map(AttributeValue.bool) }
  }

  /// Makes a column of moments in time, such as ``Instant`` or `Date`; nil is a missing value.
  ///
  /// A column stores all its moments as 64-bit integers, in the largest decimal unit that is exact for all of them.
  /// With nanoseconds, the column can hold the years 1678 to 2261. With microseconds, it can hold about 292,000 years
  /// before and after 1970, and with whole seconds, about 292 billion years. Building throws
  /// `ColumnError.unsuitableValue` for a moment outside this range.
  public static func time<Property: ColumnValue>(
    _ keyPath: KeyPath<Value, Property> & Sendable, name: String? = nil
  ) -> MapColumn where Property.Stored == Instant {
    MapColumn(keyPath, name) { name, values in
      IndexColumn(name: name, instant: { Property.stored(values[$0][keyPath: keyPath]) })
    }
  }

  /// Makes a column of texts for display; nil is a missing value.
  public static func text<Property: ColumnValue>(
    _ keyPath: KeyPath<Value, Property> & Sendable, name: String? = nil
  ) -> MapColumn where Property.Stored == String {
    MapColumn(keyPath, name, .text) { Property.stored($0[keyPath: keyPath]).map(AttributeValue.string) }
  }
}

extension MapColumn where Value == KeyedPoint {
  /// Makes a column for a map that is edited. The new column has the name, kind and preparations of `column`, a column
  /// of an index.
  ///
  /// - Parameter number: Index of the column's value in the `values` of a point.
  init(number: Int, like column: Column) {
    let keyPath: KeyPath<KeyedPoint, AttributeValue?> & Sendable = \.[column: number]
    let sections = column.ownSections.map(\.kind)
    let preparations = Set(IndexColumn.Preparation.allCases.filter { sections.contains($0.sectionKind) })
    self.init(keyPath, column.name) { [kind = column.indexKind] name, points in
      IndexColumn(name: name, kind: kind) { points[$0].values[number] }.prepared(for: preparations)
    }
  }
}

extension ClusterMap {
  /// Makes a map from values and their tree, and adds columns of these values to the tree. The recipe describes how the
  /// tree was built.
  init(
    _ values: [Value], on tree: ClusterTree, adding columns: [MapColumn<Value>], recipe: MapRecipe<Value>,
    stoppingWith cancellation: BuildCancellation? = nil, progress: (@Sendable (BuildProgress) -> Void)? = nil
  ) throws {
    let names = PropertyNames(try columns.map { try $0.named() })
    let tree =
      columns.isEmpty
      ? tree
      : try tree.adding(
        columns: columns.map { try $0.indexColumn(of: values) }, stoppingWith: cancellation, progress: progress)
    self.init(tree: tree, values: values, names: names, recipe: recipe)
  }
}
