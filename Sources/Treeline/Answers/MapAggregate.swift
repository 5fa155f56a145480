/// An aggregate of a property, computed for each cluster of a ``ClusterMap``. Its results have the type `Result`.
///
/// ```swift
/// let shown = try hotels.clusters(.limit(50), in: view)
/// let means = try hotels.values(of: .mean(\.price), for: shown)    // [Double?]
/// for (count, kinds) in try hotels.values(of: .count, .top(3, of: \.kind), for: shown) { ... }
/// ```
///
/// Missing properties are ignored. If the property is missing in all values of a cluster, counts and sums are 0, and
/// all other results are nil or empty. Key paths have the same meaning as in ``MapFilter``. Enumerations are ordered
/// by their raw values.
public struct MapAggregate<Value: Sendable, Result: Sendable>: Sendable {
  /// Returns the aggregate with names of columns instead of key paths.
  let named: @Sendable (PropertyNames) throws(QueryError) -> Aggregate
  /// Converts the result of the aggregate to the type `Result`.
  let result: @Sendable (AggregateValue) throws -> Result

  /// - Parameters:
  ///   - property: The property that is aggregated.
  ///   - aggregate: Returns the aggregate of the column with a given name.
  ///   - result: Converts the result to the type `Result`; returns nil if the type cannot hold the result.
  private init(
    of property: AnyKeyPath & Sendable, _ aggregate: @escaping @Sendable (_ column: String) -> Aggregate,
    _ result: @escaping @Sendable (AggregateValue) -> Result?
  ) {
    named = { names throws(QueryError) in aggregate(try names.name(of: property)) }
    self.result = Self.checked(result, property)
  }

  /// - Parameter other: The property that gives the weights or the order of values.
  private init(
    of property: AnyKeyPath & Sendable, and other: AnyKeyPath & Sendable,
    _ aggregate: @escaping @Sendable (_ column: String, _ other: String) -> Aggregate,
    _ result: @escaping @Sendable (AggregateValue) -> Result?
  ) {
    named = { names throws(QueryError) in aggregate(try names.name(of: property), try names.name(of: other)) }
    self.result = Self.checked(result, property)
  }

  private static func checked(
    _ result: @escaping @Sendable (AggregateValue) -> Result?, _ property: AnyKeyPath & Sendable
  ) -> @Sendable (AggregateValue) throws -> Result {
    { value in
      guard let result = result(value) else {
        throw QueryError.unsuitedValue(
          keyPath: "\(property)", type: "\(Result.self)", found: "\(value)", isRoundedInteger: value.isRoundedInteger)
      }
      return result
    }
  }

  fileprivate init(
    _ aggregate: Aggregate, _ result: @escaping @Sendable (AggregateValue) -> Result
  ) { (named, self.result) = ({ _ in aggregate }, result) }
}

extension MapAggregate where Result == Int {
  /// The number of values.
  public static var count: MapAggregate { MapAggregate(.count) { $0.number() ?? 0 } }

  /// Counts the values whose property is not missing.
  public static func count(_ property: KeyPath<Value, some ColumnValue> & Sendable) -> MapAggregate {
    MapAggregate(of: property, Aggregate.count) { $0.number() }
  }

  /// Counts the distinct values of a property.
  public static func distinct(_ property: KeyPath<Value, some ColumnValue> & Sendable) -> MapAggregate {
    MapAggregate(of: property, Aggregate.distinct) { $0.number() }
  }
}

extension MapAggregate {
  /// Sums a property; see ``Aggregate/sum(_:)``. `ClusterMap.values(of:for:)` throws if a sum of whole numbers does
  /// not fit in 64 bits.
  public static func sum<Property: ColumnValue>(_ property: KeyPath<Value, Property> & Sendable) -> MapAggregate
  where Property.Stored: SummableColumnValue, Result == Property.Stored.Sum {
    MapAggregate(of: property, Aggregate.sum) { $0.number() }
  }

  /// Averages a property. The mean is rounded once.
  public static func mean<Property: ColumnValue>(_ property: KeyPath<Value, Property> & Sendable) -> MapAggregate
  where Property.Stored: SummableColumnValue, Result == Double? {
    MapAggregate(of: property, { .mean($0) }) { $0.double }
  }

  /// Averages a property, weighted by another property; see ``Aggregate/mean(_:weight:)``.
  public static func mean<Property: ColumnValue, Weight: ColumnValue>(
    _ property: KeyPath<Value, Property> & Sendable, weight: KeyPath<Value, Weight> & Sendable
  ) -> MapAggregate
  where Property.Stored: SummableColumnValue, Weight.Stored: SummableColumnValue & Numeric, Result == Double? {
    MapAggregate(of: property, and: weight, { .mean($0, weight: $1) }) { $0.double }
  }

  /// Finds the variance of a property, which is the mean of the squared differences from the property's mean.
  public static func variance<Property: ColumnValue>(_ property: KeyPath<Value, Property> & Sendable) -> MapAggregate
  where Property.Stored: SummableColumnValue, Result == Double? {
    MapAggregate(of: property, Aggregate.variance) { $0.double }
  }

  /// Finds the median of a property. If the number of values is even, the median is the mean of the two middle values.
  /// For values that are not numbers, use ``percentile(_:of:)``.
  public static func median<Property: ColumnValue>(_ property: KeyPath<Value, Property> & Sendable) -> MapAggregate
  where Property.Stored: SummableColumnValue & Numeric, Result == Double? {
    MapAggregate(of: property, Aggregate.median) { $0.double }
  }

  /// Finds the least value of a property.
  public static func min<Property: ColumnValue>(_ property: KeyPath<Value, Property> & Sendable) -> MapAggregate
  where Result == Property.Present? {
    MapAggregate(of: property, Aggregate.min) { $0.value(of: Property.self) }
  }

  /// Finds the greatest value of a property.
  public static func max<Property: ColumnValue>(_ property: KeyPath<Value, Property> & Sendable) -> MapAggregate
  where Result == Property.Present? {
    MapAggregate(of: property, Aggregate.max) { $0.value(of: Property.self) }
  }

  /// Finds the least value `v` of a property such that at least `percent` % of all values are at or below `v`.
  ///
  /// - Parameters:
  ///   - percent: From 0 to 100, as for ``Aggregate/percentile(_:of:)``.
  ///   - property: A property of any type.
  public static func percentile<Property: ColumnValue>(
    _ percent: Double, of property: KeyPath<Value, Property> & Sendable
  ) -> MapAggregate where Result == Property.Present? {
    MapAggregate(of: property, { .percentile(percent, of: $0) }) { $0.value(of: Property.self) }
  }

  /// Finds the most frequent value of a property. If several values are equally frequent, finds the least of them.
  public static func mode<Property: ColumnValue>(_ property: KeyPath<Value, Property> & Sendable) -> MapAggregate
  where Result == Property.Present? {
    MapAggregate(of: property, Aggregate.mode) { $0.value(of: Property.self) }
  }

  /// Finds the `property` of the value with the greatest `order`; see ``Aggregate/first(_:by:)``.
  public static func first<Property: ColumnValue>(
    _ property: KeyPath<Value, Property> & Sendable, by order: KeyPath<Value, some ColumnValue> & Sendable
  ) -> MapAggregate where Result == Property.Present? {
    MapAggregate(of: property, and: order, { .first($0, by: $1) }) { $0.value(of: Property.self) }
  }

  /// Finds the `property` of the value with the least `order`; see ``Aggregate/last(_:by:)``.
  public static func last<Property: ColumnValue>(
    _ property: KeyPath<Value, Property> & Sendable, by order: KeyPath<Value, some ColumnValue> & Sendable
  ) -> MapAggregate where Result == Property.Present? {
    MapAggregate(of: property, and: order, { .last($0, by: $1) }) { $0.value(of: Property.self) }
  }

  /// Counts how often each value of a property occurs; see ``Aggregate/counts(_:)``.
  public static func counts<Property: ColumnValue>(_ property: KeyPath<Value, Property> & Sendable) -> MapAggregate
  where Result == [(value: Property.Present, count: Int)] {
    MapAggregate(of: property, Aggregate.counts) { $0.counts(of: Property.self) }
  }

  /// Counts how often each of the most frequent values of a property occurs.
  ///
  /// - Parameters:
  ///   - count: The result has at most `count` values. `count` is 1 or more, as for ``Aggregate/top(_:of:)``.
  ///   - property: A property of any type.
  public static func top<Property: ColumnValue>(
    _ count: Int, of property: KeyPath<Value, Property> & Sendable
  ) -> MapAggregate where Result == [(value: Property.Present, count: Int)] {
    MapAggregate(of: property, { .top(count, of: $0) }) { $0.counts(of: Property.self) }
  }

  /// Finds whether a property is true for at least one value.
  public static func any<Property: ColumnValue>(_ property: KeyPath<Value, Property> & Sendable) -> MapAggregate
  where Property.Stored == Bool, Result == Bool? {
    MapAggregate(of: property, Aggregate.any) { $0.value(of: Bool.self) }
  }

  /// Finds whether a property is true for all values.
  public static func all<Property: ColumnValue>(_ property: KeyPath<Value, Property> & Sendable) -> MapAggregate
  where Property.Stored == Bool, Result == Bool? {
    MapAggregate(of: property, Aggregate.all) { $0.value(of: Bool.self) }
  }
}

extension AggregateValue {
  /// Whether the value is a whole number from a column of doubles, and beyond the whole numbers that doubles hold
  /// exactly. The text of such a number has a fraction or an exponent, unlike the text of an exact whole number.
  fileprivate var isRoundedInteger: Bool {
    guard case .value(.number(let text)) = self, text.contains(where: { $0 == "." || $0 == "e" }) else { return false }
    return Double(text).map { abs($0) >= 0x1p53 && $0 == $0.rounded() } ?? false
  }

  /// Converts the number to a type. Returns nil if the type cannot hold the number.
  fileprivate func number<Number: StoredColumnValue>() -> Number? {
    guard case .number(let number) = self else { return nil }
    return StoredValue(.number("\(number)")).flatMap { Number.value(of: $0) }
  }

  /// Converts the result to the type of a property. The inner optional is nil for a missing value. The outer optional
  /// is nil if the type cannot hold the value.
  fileprivate func value<Property: ColumnValue>(of type: Property.Type) -> Property.Present?? {
    let attribute: AttributeValue =
      switch self {
      case .number(let number): .number("\(number)")
      case .value(let value): value
      case .counts: .null
      }
    if attribute == .null { return .some(nil) }
    guard let value = type.restored(attribute) else { return nil }
    return .some(value)
  }

  fileprivate func counts<Property: ColumnValue>(of type: Property.Type) -> [(value: Property.Present, count: Int)]? {
    guard case .counts(let counts) = self else { return nil }
    var found: [(value: Property.Present, count: Int)] = []
    for count in counts {
      guard let value = type.restored(count.value) else { return nil }
      found.append((value, count.count))
    }
    return found
  }
}

extension ColumnValue {
  fileprivate static func restored(_ value: AttributeValue) -> Present? {
    StoredValue(value).flatMap { Stored.value(of: $0) }.flatMap { restored($0) }
  }
}
