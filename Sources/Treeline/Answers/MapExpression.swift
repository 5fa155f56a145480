/// A filter or an aggregate that refers to columns of a `ClusterMap` by the key paths from which the columns were made.
///
/// ```swift
/// let hotels = try ClusterMap(allHotels, at: \.coordinate, columns: .number(\.price), .category(\.kind))
/// let cheap = try hotels.selecting(.where(\.kind, in: ["hotel", "hostel"]) && .where(\.price, .isLess, 120))
/// let prices = try cheap.clusters(.limit(50), in: view).values(of: [.mean(\.price), .top(3, of: \.kind)])
/// ```
///
/// A key path stands for the column that was made from it, whatever the name of the column. If a map was built without
/// columns, for example over a tree that was opened from an index, the key path means the column with the name of its
/// last property.
public struct MapExpression<Value: Sendable, Named: Sendable>: Sendable {
  /// Returns the filter or aggregate with names of columns instead of key paths.
  let named: @Sendable (PropertyNames) throws(QueryError) -> Named

  private init(_ named: @escaping @Sendable (PropertyNames) throws(QueryError) -> Named) { self.named = named }

  /// Makes an expression from a filter or an aggregate without key paths, as in
  /// `.where(\.price, .isLess, 120) && .init(.inside(box))`.
  public init(_ named: Named) { self.init { _ in named } }
}

/// A filter by properties of values; see `MapExpression`.
public typealias MapFilter<Value: Sendable> = MapExpression<Value, Filter>

/// An aggregate of properties of values; see `MapExpression`.
public typealias MapAggregate<Value: Sendable> = MapExpression<Value, Aggregate>

// MARK: - Filters

extension MapExpression where Named == Filter {
  /// Returns a filter that compares a property with a given value. Values for which the comparison is true pass.
  /// Enumerations are compared by their raw values, as texts.
  ///
  /// A comparison with nil or with a number that is not finite makes `selecting(_:)` throw `FilterError`. To find nil,
  /// use ``whereMissing(_:)``.
  public static func `where`<Property: Sendable>(
    _ property: KeyPath<Value, Property> & Sendable, _ comparison: Filter.Comparison, _ value: Property
  ) -> MapExpression {
    MapExpression { names throws(QueryError) in
      .where(try names.name(of: property), comparison, FilterValue(property: value))
    }
  }

  /// Returns a filter that values pass if their property equals one of the given properties.
  public static func `where`<Property: Sendable>(
    _ property: KeyPath<Value, Property> & Sendable, in values: [Property]
  ) -> MapExpression {
    MapExpression { names throws(QueryError) in
      .where(try names.name(of: property), in: values.map(FilterValue.init(property:)))
    }
  }

  /// Returns a filter that values pass if a property lies in a range, such as `50...120`, `50..<120` or `..<120`.
  public static func `where`<Property: Sendable, Bounds: RangeExpression<Property> & Sendable>(
    _ property: KeyPath<Value, Property> & Sendable, in range: Bounds
  ) -> MapExpression {
    MapExpression { names throws(QueryError) in Filter(try names.name(of: property), in: range) }
  }

  /// Returns a filter that values pass if an optional property lies in a range. A property that is nil lies in no
  /// range.
  public static func `where`<Property: Sendable, Bounds: RangeExpression<Property> & Sendable>(
    _ property: KeyPath<Value, Property?> & Sendable, in range: Bounds
  ) -> MapExpression {
    MapExpression { names throws(QueryError) in Filter(try names.name(of: property), in: range) }
  }

  /// Returns a filter that values pass if a property matches a pattern; see `Filter.where(_:isLike:)`.
  public static func `where`(_ property: PartialKeyPath<Value> & Sendable, isLike pattern: String) -> MapExpression {
    MapExpression { names throws(QueryError) in .where(try names.name(of: property), isLike: pattern) }
  }

  /// Returns a filter that values pass if a property is missing: it is nil, or a number that is not finite.
  public static func whereMissing(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression {
    MapExpression { names throws(QueryError) in .whereMissing(try names.name(of: property)) }
  }

  /// Returns a filter for values that pass both filters.
  public static func && (a: MapExpression, b: MapExpression) -> MapExpression {
    MapExpression { names throws(QueryError) in try a.named(names) && b.named(names) }
  }

  /// Returns a filter for values that pass at least one of two filters.
  public static func || (a: MapExpression, b: MapExpression) -> MapExpression {
    MapExpression { names throws(QueryError) in try a.named(names) || b.named(names) }
  }

  /// Returns a filter for values that fail another filter. Values with a missing property pass neither of the two
  /// filters.
  public static prefix func ! (filter: MapExpression) -> MapExpression {
    MapExpression { names throws(QueryError) in !(try filter.named(names)) }
  }
}

extension Filter {
  fileprivate init<Bound>(_ column: String, in range: some RangeExpression<Bound>) {
    func filter(_ comparison: Comparison, _ bound: Bound) -> Filter {
      .where(column, comparison, FilterValue(property: bound))
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

extension FilterValue {
  /// Makes a filter value from the value of a property. The type of the property must be one that columns support.
  fileprivate init(property: Any) {
    switch property {
    case let number as any BinaryInteger:
      self.init(.number(DecimalNumber(significand: Int128(clamping: number), exponent: 0)))
    case let number as any BinaryFloatingPoint:
      // Uses the shortest decimal that gives the same number again when its type, such as `Float`, parses the decimal.
      // Columns store this decimal, too.
      self = DecimalNumber("\(number)").map { FilterValue(.number($0)) } ?? .unusable("the number \(number)")
    case let text as String: self = .text(text)
    case let text as any RawRepresentable<String>: self = .text(text.rawValue)
    case let truth as Bool: self = .boolean(truth)
    case let instant as Instant: self = .instant(instant)
    default:
      self = .unusable("\(property)" == "nil" ? "nil, which whereMissing finds" : "a value of \(type(of: property))")
    }
  }
}

// MARK: - Aggregates

extension MapExpression where Named == Aggregate {
  /// The number of values.
  public static var count: MapExpression { MapExpression(.count) }

  /// Counts the values with a property that is not missing.
  public static func count(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression {
    of(property, Aggregate.count)
  }

  /// Sums a property; see `Aggregate.sum(_:)`.
  public static func sum(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression { of(property, Aggregate.sum) }

  /// Averages a property. The mean is rounded once.
  public static func mean(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression {
    of(property) { .mean($0) }
  }

  /// Averages a property, weighted by another property; see `Aggregate.mean(_:weight:)`.
  public static func mean(
    _ property: PartialKeyPath<Value> & Sendable, weight: PartialKeyPath<Value> & Sendable
  ) -> MapExpression {
    MapExpression { names throws(QueryError) in
      .mean(try names.name(of: property), weight: try names.name(of: weight))
    }
  }

  /// Averages the squared differences of a property from its mean.
  public static func variance(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression {
    of(property, Aggregate.variance)
  }

  /// Finds the least value of a property.
  public static func min(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression { of(property, Aggregate.min) }

  /// Finds the greatest value of a property.
  public static func max(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression { of(property, Aggregate.max) }

  /// Finds a property of the value whose other property, `order`, is greatest; see `Aggregate.first(_:by:)`.
  public static func first(
    _ property: PartialKeyPath<Value> & Sendable, by order: PartialKeyPath<Value> & Sendable
  ) -> MapExpression {
    MapExpression { names throws(QueryError) in
      .first(try names.name(of: property), by: try names.name(of: order))
    }
  }

  /// Finds a property of the value whose other property, `order`, is least; see `Aggregate.last(_:by:)`.
  public static func last(
    _ property: PartialKeyPath<Value> & Sendable, by order: PartialKeyPath<Value> & Sendable
  ) -> MapExpression {
    MapExpression { names throws(QueryError) in
      .last(try names.name(of: property), by: try names.name(of: order))
    }
  }

  /// Finds whether a property is true for any value.
  public static func any(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression { of(property, Aggregate.any) }

  /// Finds whether a property is true for all values.
  public static func all(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression { of(property, Aggregate.all) }

  /// Counts how often each value of a property occurs; see `Aggregate.counts(_:)`.
  public static func counts(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression {
    of(property, Aggregate.counts)
  }

  /// Counts how often the most frequent values of a property occur.
  ///
  /// - Parameters:
  ///   - count: The greatest number of values to count, 1 or more, as for `Aggregate.top(_:of:)`.
  ///   - property: A property of any type.
  public static func top(_ count: Int, of property: PartialKeyPath<Value> & Sendable) -> MapExpression {
    of(property) { .top(count, of: $0) }
  }

  /// Finds the most frequent value of a property; of equally frequent values, the least.
  public static func mode(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression {
    of(property, Aggregate.mode)
  }

  /// Finds the median of a property; see `Aggregate.median(_:)`.
  public static func median(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression {
    of(property, Aggregate.median)
  }

  /// Finds the least value of a property such that at least `percent` per cent of all values are less than or equal to
  /// it.
  ///
  /// - Parameters:
  ///   - percent: From 0 to 100, as for `Aggregate.percentile(_:of:)`.
  ///   - property: A property of any type.
  public static func percentile(_ percent: Double, of property: PartialKeyPath<Value> & Sendable) -> MapExpression {
    of(property) { .percentile(percent, of: $0) }
  }

  /// Counts the distinct values of a property.
  public static func distinct(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression {
    of(property, Aggregate.distinct)
  }

  private static func of(
    _ property: PartialKeyPath<Value> & Sendable, _ aggregate: @escaping @Sendable (String) -> Aggregate
  ) -> MapExpression {
    MapExpression { names throws(QueryError) in aggregate(try names.name(of: property)) }
  }
}

// MARK: - Names

/// The columns of a tree, and the key paths of the properties from which they were made.
///
/// `@unchecked`, because the standard library does not declare `AnyKeyPath` as `Sendable`. Key paths never change, so
/// they can be shared between threads.
package struct PropertyNames: @unchecked Sendable {
  /// The names of the columns with which the map was built; nil if the map was made on an existing tree.
  private let built: [AnyKeyPath: String]?
  private let known: [String]

  /// Makes names for an existing tree from the names of its columns.
  init(of tree: ClusterTree) { (built, known) = (nil, tree.columns.map(\.name)) }

  /// Makes names for the columns with which a map is built.
  package init(_ columns: [(keyPath: AnyKeyPath, name: String)]) {
    built = Dictionary(columns.map { ($0.keyPath, $0.name) }) { first, _ in first }
    known = columns.map(\.name)
  }

  func name(of property: AnyKeyPath) throws(QueryError) -> String {
    let name = built.map { $0[property] } ?? Self.lastProperty(of: property).flatMap { known.contains($0) ? $0 : nil }
    guard let name else { throw .unknownProperty(keyPath: "\(property)", columns: known) }
    return name
  }

  /// Returns the name of the last property: `price` for `\Hotel.price`, `\Hotel.offer.price` and `\Hotel.offer?.price`.
  /// Returns nil if the text of the key path does not contain such a name.
  package static func lastProperty(of keyPath: AnyKeyPath) -> String? {
    let text = "\(keyPath)"
    guard let point = text.lastIndex(of: ".") else { return nil }
    var name = text[text.index(after: point)...]
    while let last = name.last, last == "?" || last == "!" { name.removeLast() }
    guard let first = name.first, first.isLetter || first == "_",
      name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
    else { return nil }
    return String(name)
  }
}
