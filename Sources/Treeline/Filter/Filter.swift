/// A condition on the columns and positions of points. Points that do not meet the condition are left out of answers.
///
/// ```swift
/// Filter.where("kind", .equals, "hotel") && .where("price", .isLess, 120)
/// Filter.where("kind", in: ["hotel", "hostel"])
/// Filter.where("opened", in: Instant("2020-01-01")!..<Instant("2021-01-01")!)
/// try Filter(#"kind = 'hotel' AND price < 120"#)               // the first filter in CQL2, as in tools and URLs
/// ```
///
/// As in SQL, a missing value meets neither a condition nor the negation of the condition. The filter
/// `whereMissing(_:)` finds missing values.
///
/// A filter is a plain value. `ClusterTree.filtered(by:)` prepares a filter for a tree. A prepared filter serves any
/// number of queries.
public struct Filter: Hashable, Sendable {
  indirect enum Expression: Hashable, Sendable {
    case comparison(String, Comparison, FilterValue)
    /// Values between two given values, both included.
    case between(String, FilterValue, FilterValue)
    case isIn(String, [FilterValue])
    case isMissing(String)
    /// Texts that match a pattern. `%` stands for any text and `_` for any character; a backslash escapes the next
    /// character.
    case like(String, String)
    case temporal(String, TemporalRelation, TimeInterval)
    /// Positions in an area or on its edges.
    case intersects(FilterArea)
    /// Two or more conditions that must all hold.
    case all([Expression])
    /// Two or more conditions. At least one of the conditions must hold.
    case any([Expression])
    case not(Expression)
  }

  let expression: Expression

  init(_ expression: Expression) { self.expression = expression }

  /// A comparison of two values. Texts are compared by their code points.
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

  /// A relation of a moment to an interval. `isDuring`, `startsIt` and `finishesIt` need an interval. The other
  /// relations also accept a second moment instead of the interval.
  enum TemporalRelation: String, Sendable, Hashable, CaseIterable {
    case isAfter = "T_AFTER"
    case isBefore = "T_BEFORE"
    case equals = "T_EQUALS"
    /// Strictly inside the interval.
    case isDuring = "T_DURING"
    case startsIt = "T_STARTS"
    case finishesIt = "T_FINISHES"
    /// Inside the interval or on one of its ends.
    case isIn = "T_INTERSECTS"
    case isOutside = "T_DISJOINT"
  }
}

/// An interval of time, including its start and its end. If the start or the end is nil, the interval has no limit on
/// that side. A single moment is an interval whose start equals its end. A date is the interval from midnight to the
/// last nanosecond of the day.
struct TimeInterval: Hashable, Sendable {
  let start: Instant?
  let end: Instant?

  init(_ start: Instant?, _ end: Instant?) { (self.start, self.end) = (start, end) }
}

/// A value with which a filter compares the values of a column.
public struct FilterValue: Hashable, Sendable {
  enum Content: Hashable, Sendable {
    case text(String)
    case number(DecimalNumber)
    case boolean(Bool)
    case instant(Instant)
    /// A date, given by the first moment of the day. It stands for all moments of the day.
    case date(Instant)
    /// A value that cannot be compared with any other value. The associated string is a description of the value. A
    /// tree refuses a filter with such a value.
    case unusable(String)
  }

  let content: Content

  init(_ content: Content) { self.content = content }

  /// A text, or an instant in ISO 8601 for a column of times.
  public static func text(_ text: String) -> FilterValue { FilterValue(.text(text)) }
  /// A whole number.
  public static func integer(_ number: Int) -> FilterValue {
    FilterValue(.number(DecimalNumber(significand: Int128(number), exponent: 0)))
  }
  /// A number. The filter uses the shortest decimal that is parsed as this double, so that 0.1 is exactly a tenth. A
  /// number that is not finite cannot be compared. `ClusterTree.filtered(by:)` throws for such a number.
  public static func number(_ number: Double) -> FilterValue {
    DecimalNumber(number).map { FilterValue(.number($0)) } ?? .unusable("the number \(number), which is not finite")
  }
  /// True or false.
  public static func boolean(_ value: Bool) -> FilterValue { FilterValue(.boolean(value)) }
  /// A moment, for a column of times.
  public static func instant(_ instant: Instant) -> FilterValue { FilterValue(.instant(instant)) }

  /// - Parameter phrase: Description of the value, for error messages.
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

/// An area of the map, including its edges. Edges of polygons are straight lines on the tree's plane, and therefore
/// also on the screen.
enum FilterArea: Hashable, Sendable {
  case box(BoundingBox)
  /// Polygons. Each polygon consists of its outer ring, followed by the rings of its holes. The last position of a
  /// ring may repeat the first position.
  case polygons([[[Coordinate]]])
}

extension Filter {
  /// Selects points by comparing their value in a column with another value.
  public static func `where`(_ column: String, _ comparison: Comparison, _ value: FilterValue) -> Filter {
    Filter(.comparison(column, comparison, value))
  }

  /// Selects points whose value is in a list. An empty list selects no point.
  public static func `where`(_ column: String, in values: [FilterValue]) -> Filter { Filter(.isIn(column, values)) }

  /// Selects points whose value lies between two values or equals one of the two values.
  public static func `where`(_ column: String, isFrom least: FilterValue, to greatest: FilterValue) -> Filter {
    Filter(.between(column, least, greatest))
  }

  /// Selects points whose time lies in a window, which includes its beginning but not its end.
  public static func `where`(_ column: String, in window: Range<Instant>) -> Filter {
    .where(column, .isAtLeast, .instant(window.lowerBound)) && .where(column, .isLess, .instant(window.upperBound))
  }

  /// Selects points without a value in a column.
  public static func whereMissing(_ column: String) -> Filter { Filter(.isMissing(column)) }

  /// Selects points whose text matches a pattern. `%` stands for any text and `_` for any character; a backslash
  /// escapes the next character.
  public static func `where`(_ column: String, isLike pattern: String) -> Filter { Filter(.like(column, pattern)) }

  /// Selects points in a box or on its edges.
  public static func inside(_ box: BoundingBox) -> Filter { Filter(.intersects(.box(box))) }

  /// Selects points in a polygon or on its edges. The edges are straight on the plane of the tree.
  ///
  /// - Parameters:
  ///   - ring: The corners of the polygon. The last corner may repeat the first corner.
  ///   - holes: Rings of holes. The edges of a hole belong to the polygon, but the inside of the hole does not.
  public static func inside(polygon ring: [Coordinate], holes: [[Coordinate]] = []) -> Filter {
    // Rings in CQL2 end where they begin. So rings are closed here, and each filter equals the filter that is read
    // from its text.
    let rings = ([ring] + holes).map { $0.first == $0.last ? $0 : $0 + $0.prefix(1) }
    return Filter(.intersects(.polygons([rings])))
  }

  /// Selects points that pass both filters.
  public static func && (a: Filter, b: Filter) -> Filter {
    func terms(_ filter: Filter) -> [Expression] {
      if case .all(let terms) = filter.expression { terms } else { [filter.expression] }
    }
    return Filter(.all(terms(a) + terms(b)))
  }

  /// Selects points that pass at least one of two filters.
  public static func || (a: Filter, b: Filter) -> Filter {
    func terms(_ filter: Filter) -> [Expression] {
      if case .any(let terms) = filter.expression { terms } else { [filter.expression] }
    }
    return Filter(.any(terms(a) + terms(b)))
  }

  /// Selects points that fail a filter. A point without a value passes neither a condition nor the negation of the
  /// condition.
  public static prefix func ! (filter: Filter) -> Filter { Filter(.not(filter.expression)) }
}

extension Filter {
  /// Names of the columns that the filter reads.
  package var columnNames: Set<String> { expression.columnNames }
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
