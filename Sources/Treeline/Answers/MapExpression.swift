/// A filter or an aggregate that names columns of a `ClusterMap` by the key paths which they were made of.
///
/// ```swift
/// let hotels = try ClusterMap(allHotels, at: \.coordinate, columns: .number(\.price), .category(\.kind))
/// let cheap = try hotels.selecting(.where(\.kind, in: ["hotel", "hostel"]) && .where(\.price, .isLess, 120))
/// let prices = try cheap.clusters(.limit(50), in: view).values(of: [.mean(\.price), .top(3, of: \.kind)])
/// ```
///
/// A key path stands for the column that was made of it, whatever its name. Where a map was not built with columns, as
/// over a tree that was opened from an index, it stands for the column that has the name of its last property.
public struct MapExpression<Value: Sendable, Named: Sendable>: Sendable {
  /// The same with names of columns.
  let named: @Sendable (PropertyNames) throws(QueryError) -> Named

  private init(_ named: @escaping @Sendable (PropertyNames) throws(QueryError) -> Named) { self.named = named }

  /// One that has names already, or needs none: `.where(\.price, .isLess, 120) && .init(.inside(box))`.
  public init(_ named: Named) { self.init { _ in named } }
}

/// A filter by properties of values; see `MapExpression`.
public typealias MapFilter<Value: Sendable> = MapExpression<Value, Filter>

/// An aggregate of properties of values; see `MapExpression`.
public typealias MapAggregate<Value: Sendable> = MapExpression<Value, Aggregate>

// MARK: - Filters

extension MapExpression where Named == Filter {
  /// Values of which a property compares so with another. Of an enumeration its raw values are compared, as texts.
  ///
  /// No map is filtered by nil, which ``whereMissing(_:)`` asks for, or by a number that is not finite: `selecting(_:)`
  /// throws `FilterError`.
  public static func `where`<Property: Sendable>(
    _ property: KeyPath<Value, Property> & Sendable, _ comparison: Filter.Comparison, _ value: Property
  ) -> MapExpression {
    MapExpression { names throws(QueryError) in
      .where(try names.name(of: property), comparison, FilterValue(property: value))
    }
  }

  /// Values of which a property is one of some.
  public static func `where`<Property: Sendable>(
    _ property: KeyPath<Value, Property> & Sendable, in values: [Property]
  ) -> MapExpression {
    MapExpression { names throws(QueryError) in
      .where(try names.name(of: property), in: values.map(FilterValue.init(property:)))
    }
  }

  /// Values of which a property lies in a range, such as `50...120`, `50..<120` or `..<120`.
  public static func `where`<Property: Sendable, Bounds: RangeExpression<Property> & Sendable>(
    _ property: KeyPath<Value, Property> & Sendable, in range: Bounds
  ) -> MapExpression {
    MapExpression { names throws(QueryError) in Filter(try names.name(of: property), in: range) }
  }

  /// The same of a property that may be nil, which lies in no range.
  public static func `where`<Property: Sendable, Bounds: RangeExpression<Property> & Sendable>(
    _ property: KeyPath<Value, Property?> & Sendable, in range: Bounds
  ) -> MapExpression {
    MapExpression { names throws(QueryError) in Filter(try names.name(of: property), in: range) }
  }

  /// Values of which a property is like a pattern; see `Filter.where(_:isLike:)`.
  public static func `where`(_ property: PartialKeyPath<Value> & Sendable, isLike pattern: String) -> MapExpression {
    MapExpression { names throws(QueryError) in .where(try names.name(of: property), isLike: pattern) }
  }

  /// Values of which a property is nil or, as a number, not finite.
  public static func whereMissing(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression {
    MapExpression { names throws(QueryError) in .whereMissing(try names.name(of: property)) }
  }

  /// Values that pass both.
  public static func && (a: MapExpression, b: MapExpression) -> MapExpression {
    MapExpression { names throws(QueryError) in try a.named(names) && b.named(names) }
  }

  /// Values that pass either.
  public static func || (a: MapExpression, b: MapExpression) -> MapExpression {
    MapExpression { names throws(QueryError) in try a.named(names) || b.named(names) }
  }

  /// Values that fail it; those of which a property is missing pass neither.
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
    default: self = .where(column, .equals, .unusable("the range \(range), which has no bounds that are known"))
    }
  }
}

extension FilterValue {
  /// That of a property of which a column can be made.
  fileprivate init(property: Any) {
    switch property {
    case let number as any BinaryInteger:
      self.init(.number(DecimalNumber(significand: Int128(clamping: number), exponent: 0)))
    case let number as any BinaryFloatingPoint:
      // As a column has it: the shortest decimal of a number of this size.
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
  /// How many values there are.
  public static var count: MapExpression { MapExpression(.count) }

  /// How many values have a property that is not missing.
  public static func count(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression {
    of(property, Aggregate.count)
  }

  /// The sum of a property; see `Aggregate.sum(_:)`.
  public static func sum(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression { of(property, Aggregate.sum) }

  /// The mean of a property, rounded once.
  public static func mean(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression {
    of(property) { .mean($0) }
  }

  /// The mean of a property, by which each value counts as much as another says; see `Aggregate.mean(_:weight:)`.
  public static func mean(
    _ property: PartialKeyPath<Value> & Sendable, weight: PartialKeyPath<Value> & Sendable
  ) -> MapExpression {
    MapExpression { names throws(QueryError) in
      .mean(try names.name(of: property), weight: try names.name(of: weight))
    }
  }

  /// The mean of the squared differences from the mean.
  public static func variance(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression {
    of(property, Aggregate.variance)
  }

  /// The least of a property.
  public static func min(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression { of(property, Aggregate.min) }

  /// The greatest of a property.
  public static func max(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression { of(property, Aggregate.max) }

  /// Whether a property is true of any value.
  public static func any(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression { of(property, Aggregate.any) }

  /// Whether a property is true of all values.
  public static func all(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression { of(property, Aggregate.all) }

  /// How many values have which property; see `Aggregate.counts(_:)`.
  public static func counts(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression {
    of(property, Aggregate.counts)
  }

  /// The same for so many of them at most.
  ///
  /// - Parameters:
  ///   - count: 1 or more, as of `Aggregate.top(_:of:)`.
  ///   - property: Of any type.
  public static func top(_ count: Int, of property: PartialKeyPath<Value> & Sendable) -> MapExpression {
    of(property) { .top(count, of: $0) }
  }

  /// The most frequent one, of equals the least.
  public static func mode(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression {
    of(property, Aggregate.mode)
  }

  /// The one in the middle; see `Aggregate.median(_:)`.
  public static func median(_ property: PartialKeyPath<Value> & Sendable) -> MapExpression {
    of(property, Aggregate.median)
  }

  /// The least one that so many per cent of all are at or below.
  ///
  /// - Parameters:
  ///   - percent: From 0 to 100, as of `Aggregate.percentile(_:of:)`.
  ///   - property: Of any type.
  public static func percentile(_ percent: Double, of property: PartialKeyPath<Value> & Sendable) -> MapExpression {
    of(property) { .percentile(percent, of: $0) }
  }

  /// How many different ones there are.
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

/// Which columns of a tree stand for which properties of a map's values.
///
/// Key paths never change; the library does not say so of those without a type.
package struct PropertyNames: @unchecked Sendable {
  /// Of the columns that the map was built with; nil of those that a tree had before.
  private let built: [AnyKeyPath: String]?
  private let known: [String]

  /// Of a tree that had its columns before.
  init(of tree: ClusterTree) { (built, known) = (nil, tree.columns.map(\.name)) }

  /// Of columns that a map is built with.
  package init(_ columns: [(keyPath: AnyKeyPath, name: String)]) {
    built = Dictionary(columns.map { ($0.keyPath, $0.name) }) { first, _ in first }
    known = columns.map(\.name)
  }

  func name(of property: AnyKeyPath) throws(QueryError) -> String {
    let name = built.map { $0[property] } ?? Self.lastProperty(of: property).flatMap { known.contains($0) ? $0 : nil }
    guard let name else { throw .unknownProperty(keyPath: "\(property)", columns: known) }
    return name
  }

  /// `price` of `\Hotel.price`, `\Hotel.offer.price` and `\Hotel.offer?.price`; nil where the text of a key path does
  /// not tell it.
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
