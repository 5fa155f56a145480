/// A filter that selects values of a ``ClusterMap`` by the properties of the values.
///
/// ```swift
/// let hotels = try ClusterMap(allHotels, at: \.coordinate, columns: .number(\.price), .category(\.kind))
/// let cheap = try hotels.filtered(by: \.price < 120 && \.kind == .hotel)
/// ```
///
/// Key paths are compared with values by `==`, `!=`, `<`, `<=`, `>` and `>=`, and conditions are combined by `&&`,
/// `||` and `!`. A key path stands for the column that was made from this key path. The name of the column does not
/// matter. A map may also be made on an existing tree, for example on a tree that was opened from an index. In such a
/// map, a key path stands for the column that has the name of the key path's last property.
///
/// As in SQL, a missing value meets neither a condition nor the negation of the condition. Missing values are found by
/// `\.price == nil`. Enumerations are compared by their raw values. A comparison with a number that is not finite
/// makes ``ClusterMap/filtered(by:reusing:)`` throw ``FilterError``.
public struct MapFilter<Value: Sendable>: Sendable {
  /// Returns the filter with names of columns instead of key paths.
  let named: @Sendable (PropertyNames) throws(QueryError) -> Filter

  fileprivate init(_ named: @escaping @Sendable (PropertyNames) throws(QueryError) -> Filter) { self.named = named }

  fileprivate init<Property: ColumnValue>(
    _ property: KeyPath<Value, Property> & Sendable, _ comparison: Filter.Comparison, _ value: Property.Present
  ) {
    self.init { names throws(QueryError) in
      .where(try names.name(of: property), comparison, FilterValue(of: value))
    }
  }

  /// Makes a map filter from a ``Filter``, as in `\.price < 120 && MapFilter(.inside(box))`. The ``Filter`` has names
  /// of columns instead of key paths.
  public init(_ filter: Filter) { self.init { _ in filter } }

  /// Returns a filter for values whose property equals one of `values`.
  public static func `where`<Property: ColumnValue>(
    _ property: KeyPath<Value, Property> & Sendable, in values: [Property.Present]
  ) -> MapFilter {
    MapFilter { names throws(QueryError) in
      .where(try names.name(of: property), in: values.map { FilterValue(of: $0) })
    }
  }

  /// Returns a filter for values in which a property lies in a range, such as `50...120`, `50..<120` or `..<120`. A
  /// property that is nil lies in no range.
  public static func `where`<Property: ColumnValue, Bounds: RangeExpression<Property.Present> & Sendable>(
    _ property: KeyPath<Value, Property> & Sendable, in range: Bounds
  ) -> MapFilter {
    MapFilter { names throws(QueryError) in Filter(try names.name(of: property), in: range) }
  }

  /// Returns a filter for values in which a text matches a pattern; see ``Filter/where(_:isLike:)``.
  public static func `where`<Property: ColumnValue>(
    _ property: KeyPath<Value, Property> & Sendable, isLike pattern: String
  ) -> MapFilter where Property.Stored == String {
    MapFilter { names throws(QueryError) in .where(try names.name(of: property), isLike: pattern) }
  }

  /// Returns a filter for values that pass both filters.
  public static func && (a: MapFilter, b: MapFilter) -> MapFilter {
    MapFilter { names throws(QueryError) in try a.named(names) && b.named(names) }
  }

  /// Returns a filter for values that pass at least one of two filters.
  public static func || (a: MapFilter, b: MapFilter) -> MapFilter {
    MapFilter { names throws(QueryError) in try a.named(names) || b.named(names) }
  }

  /// Returns a filter for values that fail another filter. A value whose property is missing passes neither the other
  /// filter nor the new filter.
  public static prefix func ! (filter: MapFilter) -> MapFilter {
    MapFilter { names throws(QueryError) in !(try filter.named(names)) }
  }
}

// MARK: - Comparisons

/// Returns a filter for values with a property that equals a given value.
public func == <Value: Sendable, Property: ColumnValue>(
  property: KeyPath<Value, Property> & Sendable, value: Property.Present
) -> MapFilter<Value> { MapFilter(property, .equals, value) }

/// Returns a filter for values with a property that differs from a given value, and is not missing.
public func != <Value: Sendable, Property: ColumnValue>(
  property: KeyPath<Value, Property> & Sendable, value: Property.Present
) -> MapFilter<Value> { MapFilter(property, .isNot, value) }

/// Returns a filter for values with a property that is missing: the property is nil, or a number that is not finite.
public func == <Value: Sendable, Property: ColumnValue>(
  property: KeyPath<Value, Property?> & Sendable, value: _OptionalNilComparisonType
) -> MapFilter<Value> {
  MapFilter { names throws(QueryError) in .whereMissing(try names.name(of: property)) }
}

/// Returns a filter for values with a property that is not missing.
public func != <Value: Sendable, Property: ColumnValue>(
  property: KeyPath<Value, Property?> & Sendable, value: _OptionalNilComparisonType
) -> MapFilter<Value> { !(property == value) }

/// Returns a filter that accepts a value if its property is less than the right side. Texts are compared by their code
/// points.
public func < <Value: Sendable, Property: ColumnValue>(
  property: KeyPath<Value, Property> & Sendable, value: Property.Present
) -> MapFilter<Value> where Property.Present: Comparable { MapFilter(property, .isLess, value) }

/// Returns a filter that accepts a value if its property is less than or equal to the right side.
public func <= <Value: Sendable, Property: ColumnValue>(
  property: KeyPath<Value, Property> & Sendable, value: Property.Present
) -> MapFilter<Value> where Property.Present: Comparable { MapFilter(property, .isAtMost, value) }

/// Returns a filter that accepts a value if its property is greater than the right side.
public func > <Value: Sendable, Property: ColumnValue>(
  property: KeyPath<Value, Property> & Sendable, value: Property.Present
) -> MapFilter<Value> where Property.Present: Comparable { MapFilter(property, .isGreater, value) }

/// Returns a filter that accepts a value if its property is greater than or equal to the right side.
public func >= <Value: Sendable, Property: ColumnValue>(
  property: KeyPath<Value, Property> & Sendable, value: Property.Present
) -> MapFilter<Value> where Property.Present: Comparable { MapFilter(property, .isAtLeast, value) }

extension Filter {
  fileprivate init<Bound: ColumnValue>(_ column: String, in range: some RangeExpression<Bound>) {
    func filter(_ comparison: Comparison, _ bound: Bound) -> Filter {
      .where(column, comparison, FilterValue(of: bound))
    }
    switch range {
    case let range as Range<Bound>: self = filter(.isAtLeast, range.lowerBound) && filter(.isLess, range.upperBound)
    case let range as ClosedRange<Bound>:
      self = filter(.isAtLeast, range.lowerBound) && filter(.isAtMost, range.upperBound)
    case let range as PartialRangeFrom<Bound>: self = filter(.isAtLeast, range.lowerBound)
    case let range as PartialRangeUpTo<Bound>: self = filter(.isLess, range.upperBound)
    case let range as PartialRangeThrough<Bound>: self = filter(.isAtMost, range.upperBound)
    default: self = .where(column, .equals, .unusable("the range \(range), whose bounds are unknown"))
    }
  }
}
