/// Which points count: a condition on their columns and positions.
///
/// ```swift
/// Filter.where("kind", .equals, "hotel") && .where("price", .isLess, 120)
/// Filter.where("kind", in: ["hotel", "hostel"])
/// Filter.where("opened", in: Instant("2020-01-01")!..<Instant("2021-01-01")!)
/// try Filter(#"kind = 'hotel' AND price < 120"#)               // the same in CQL2, as in tools and URLs
/// ```
///
/// A missing value meets no condition, and none that is negated either, as in SQL; `isMissing` finds it.
///
/// A filter is a value. A tree prepares it once, with `ClusterTree.selecting(_:)`.
public struct Filter: Hashable, Sendable {
  package indirect enum Expression: Hashable, Sendable {
    case comparison(String, Comparison, FilterValue)
    /// From the one value to the other, both inclusive.
    case between(String, FilterValue, FilterValue)
    case isIn(String, [FilterValue])
    case isMissing(String)
    /// A pattern in which `%` is any text and `_` any character; a backslash makes the next one ordinary.
    case like(String, String)
    case temporal(String, TemporalRelation, TimeInterval)
    /// Of the position.
    case intersects(FilterArea)
    /// All of them, or any; two at least.
    case all([Expression])
    case any([Expression])
    case not(Expression)
  }

  package let expression: Expression

  package init(_ expression: Expression) { self.expression = expression }

  /// How a value compares with another. Texts compare by their code points.
  public enum Comparison: String, Sendable, Hashable, CaseIterable {
    /// `=`
    case equals = "="
    /// `<>`
    case isNot = "<>"
    /// `<`
    case isLess = "<"
    /// `<=`
    case isAtMost = "<="
    /// `>`
    case isGreater = ">"
    /// `>=`
    case isAtLeast = ">="
  }

  /// How a moment lies to an interval or, for the first three and `isIn`, to a moment.
  package enum TemporalRelation: String, Sendable, Hashable, CaseIterable {
    case isAfter = "T_AFTER"
    case isBefore = "T_BEFORE"
    case equals = "T_EQUALS"
    /// Strictly inside.
    case isDuring = "T_DURING"
    case startsIt = "T_STARTS"
    case finishesIt = "T_FINISHES"
    /// Inside or on an end.
    case isIn = "T_INTERSECTS"
    case isOutside = "T_DISJOINT"
  }
}

/// From one moment to another, both inclusive; nil is without an end. A moment is an interval whose ends are the same,
/// a date the one of all its moments: up to the last nanosecond of the day.
package struct TimeInterval: Hashable, Sendable {
  package let start: Instant?
  package let end: Instant?

  package init(_ start: Instant?, _ end: Instant?) { (self.start, self.end) = (start, end) }
}

/// What a filter compares a column with.
public struct FilterValue: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case text(String)
    case number(DecimalNumber)
    case boolean(Bool)
    case instant(Instant)
    /// All moments of a day.
    case date(Instant)
    /// What is no value, in words: a tree refuses it.
    case unusable(String)
  }

  package let content: Content

  package init(_ content: Content) { self.content = content }

  /// A text, or an instant in ISO 8601 for a column of times.
  public static func text(_ text: String) -> FilterValue { FilterValue(.text(text)) }
  /// A whole number.
  public static func integer(_ number: Int) -> FilterValue {
    FilterValue(.number(DecimalNumber(significand: Int128(number), exponent: 0)))
  }
  /// The shortest decimal that is this double: 0.1 is a tenth. With a number that is not finite nothing compares:
  /// `ClusterTree.selecting(_:)` throws.
  public static func number(_ number: Double) -> FilterValue {
    DecimalNumber(number).map { FilterValue(.number($0)) } ?? .unusable("the number \(number)")
  }
  /// True or false.
  public static func boolean(_ value: Bool) -> FilterValue { FilterValue(.boolean(value)) }
  /// A moment, for a column of times.
  public static func instant(_ instant: Instant) -> FilterValue { FilterValue(.instant(instant)) }

  /// - Parameter phrase: What it is, for errors.
  static func unusable(_ phrase: String) -> FilterValue { FilterValue(.unusable(phrase)) }
}

extension FilterValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral
{
  public init(stringLiteral value: String) { self = .text(value) }
  public init(integerLiteral value: Int) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

/// A part of the map, edges inclusive. Edges of polygons are straight on the tree's plane, as on a screen.
package enum FilterArea: Hashable, Sendable {
  case box(BoundingBox)
  /// The outer ring and holes of each; the last position of a ring is the first again.
  case polygons([[[Coordinate]]])
}

extension Filter {
  /// Points whose value compares so with another.
  public static func `where`(_ column: String, _ comparison: Comparison, _ value: FilterValue) -> Filter {
    Filter(.comparison(column, comparison, value))
  }

  /// Points that have one of some values.
  public static func `where`(_ column: String, in values: [FilterValue]) -> Filter { Filter(.isIn(column, values)) }

  /// Points whose value lies between two, both inclusive.
  public static func `where`(_ column: String, isFrom least: FilterValue, to greatest: FilterValue) -> Filter {
    Filter(.between(column, least, greatest))
  }

  /// Points whose moment lies in a window that includes its beginning and not its end.
  public static func `where`(_ column: String, in window: Range<Instant>) -> Filter {
    .where(column, .isAtLeast, .instant(window.lowerBound)) && .where(column, .isLess, .instant(window.upperBound))
  }

  /// Points without a value.
  public static func whereMissing(_ column: String) -> Filter { Filter(.isMissing(column)) }

  /// Points whose text is like a pattern: `%` is any text, `_` any character, and a backslash makes the next one
  /// ordinary.
  public static func `where`(_ column: String, isLike pattern: String) -> Filter { Filter(.like(column, pattern)) }

  /// Points in a box, edges inclusive.
  public static func inside(_ box: BoundingBox) -> Filter { Filter(.intersects(.box(box))) }

  /// Points in a polygon, its edges included, which are straight on the plane of the tree.
  ///
  /// - Parameters:
  ///   - ring: Its corners; the last may be the first again.
  ///   - holes: Rings of what is not part of it, but for their edges.
  public static func inside(polygon ring: [Coordinate], holes: [[Coordinate]] = []) -> Filter {
    Filter(.intersects(.polygons([[ring] + holes])))
  }

  /// Points that pass both.
  public static func && (a: Filter, b: Filter) -> Filter {
    func terms(_ filter: Filter) -> [Expression] {
      if case .all(let terms) = filter.expression { terms } else { [filter.expression] }
    }
    return Filter(.all(terms(a) + terms(b)))
  }

  /// Points that pass either.
  public static func || (a: Filter, b: Filter) -> Filter {
    func terms(_ filter: Filter) -> [Expression] {
      if case .any(let terms) = filter.expression { terms } else { [filter.expression] }
    }
    return Filter(.any(terms(a) + terms(b)))
  }

  /// Points that fail it; those with missing values pass neither.
  public static prefix func ! (filter: Filter) -> Filter { Filter(.not(filter.expression)) }
}

extension Filter {
  /// The columns that it looks at.
  public var columnNames: Set<String> { expression.columnNames }
}

extension Filter.Expression {
  var columnNames: Set<String> {
    switch self {
    case .comparison(let name, _, _), .between(let name, _, _), .isIn(let name, _), .isMissing(let name),
      .like(let name, _), .temporal(let name, _, _):
      [name]
    case .intersects: []
    case .all(let parts), .any(let parts): parts.reduce(into: []) { $0.formUnion($1.columnNames) }
    case .not(let part): part.columnNames
    }
  }
}
