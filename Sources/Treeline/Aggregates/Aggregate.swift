/// An aggregate of the values that the points of a cluster have in a column, such as the sum of the values.
///
/// ```swift
/// let values = try clusters.values(of: [.sum("population"), .top(3, of: "kind")])
/// values[0][1]                                    // the three most frequent kinds of the first cluster
/// try Aggregate.list("sum(population), top(kind, 3)")   // as written in tools and URLs
/// ```
///
/// Missing values are ignored. If a cluster has no value at all, `sum`, `count(_:)` and `distinct` are 0, `counts` and
/// `top` are empty, and all other aggregates are null.
public struct Aggregate: Hashable, Sendable {
  enum Function: Hashable, Sendable {
    case count
    case sum
    case mean
    case variance
    case min
    case max
    case first
    case last
    case any
    case all
    case counts
    case top(Int)
    case mode
    case median
    case percentile(Double)
    case distinct

    /// What is computed for the clusters of an answer.
    enum Work {
      /// Sums, which are prepared for all points.
      case sums
      /// Least and greatest values.
      case extremes
      /// Rows that are first or last in an order.
      case rows
      /// Numbers of points for each value.
      case counts
      /// Values at a place in sorted order.
      case ranks
    }

    var work: Work {
      switch self {
      case .count, .sum, .mean, .variance, .any, .all: .sums
      case .min, .max: .extremes
      case .first, .last: .rows
      case .counts, .top, .mode, .distinct: .counts
      case .median, .percentile: .ranks
      }
    }
  }

  let function: Function
  /// Name of the column; nil if the aggregate is the number of all points.
  package let column: String?
  /// Name of the second column. For `mean`, this column contains the weights of values. For `first` and `last`, this
  /// column orders the rows.
  let weight: String?

  init(_ function: Function, _ column: String? = nil, weight: String? = nil) {
    (self.function, self.column, self.weight) = (function, column, weight)
  }

  /// The number of points.
  public static let count = Aggregate(.count)

  /// The number of points that have a value in a column.
  public static func count(_ column: String) -> Aggregate { Aggregate(.count, column) }

  /// The sum of numbers. The sum of decimals is exact, and any other sum is rounded once. The order of rows does not
  /// change any bit of the sum. The sum of booleans is the number of values that are true.
  public static func sum(_ column: String) -> Aggregate { Aggregate(.sum, column) }

  /// The mean of numbers, rounded once.
  ///
  /// - Parameters:
  ///   - column: A column of numbers.
  ///   - weight: A column with the weight of each value. Rows without a weight are left out. If `weight` is given, both
  ///     columns must contain decimals.
  public static func mean(_ column: String, weight: String? = nil) -> Aggregate {
    Aggregate(.mean, column, weight: weight)
  }

  /// The variance: the mean of the squared differences between the values and their mean.
  public static func variance(_ column: String) -> Aggregate { Aggregate(.variance, column) }

  /// The least number or time, or the text that sorts first by code points.
  public static func min(_ column: String) -> Aggregate { Aggregate(.min, column) }

  /// The greatest number or time, or the text that sorts last by code points.
  public static func max(_ column: String) -> Aggregate { Aggregate(.max, column) }

  /// The value of a column at the point that has the greatest value in another column, such as the name of the most
  /// populous city. This value can serve as the title of a cluster.
  ///
  /// Points that lack a value in either column are left out. If several points have the greatest value, the result is
  /// the least of their values in `column`. Therefore the order of rows does not matter.
  ///
  /// - Parameters:
  ///   - column: A column of any kind.
  ///   - order: A column of numbers, times or texts that orders the points.
  public static func first(_ column: String, by order: String) -> Aggregate {
    Aggregate(.first, column, weight: order)
  }

  /// The value of a column at the first point that has a value in this column. The points are in tree order, the order
  /// in which the tree stores them. Points at one position are sorted by row. The result can serve as the title or the
  /// picture of a cluster if no column says which point is the most important.
  public static func first(_ column: String) -> Aggregate { Aggregate(.first, column) }

  /// The value of a column at the point that has the least value in another column. All other rules equal the rules of
  /// `first(_:by:)`.
  public static func last(_ column: String, by order: String) -> Aggregate { Aggregate(.last, column, weight: order) }

  /// Whether at least one value of a column of booleans is true.
  public static func any(_ column: String) -> Aggregate { Aggregate(.any, column) }

  /// Whether all values of a column of booleans are true.
  public static func all(_ column: String) -> Aggregate { Aggregate(.all, column) }

  /// All values of a column, each with the number of points that have the value. The most frequent value comes first.
  /// If several values are equally frequent, the least value comes first.
  public static func counts(_ column: String) -> Aggregate { Aggregate(.counts, column) }

  /// The `count` most frequent values, each with the number of points that have the value. The most frequent value
  /// comes first.
  ///
  /// - Parameters:
  ///   - count: Greatest number of values, 1 or more. `Clusters.values(of:)` throws if `count` is below 1.
  ///   - column: A column of any kind.
  public static func top(_ count: Int, of column: String) -> Aggregate { Aggregate(.top(count), column) }

  /// The most frequent value. If several values are equally frequent, the result is the least of these values.
  public static func mode(_ column: String) -> Aggregate { Aggregate(.mode, column) }

  /// The middle value in sorted order. An even number of values has two middle values. For numbers, the median is then
  /// the mean of the two middle values. For other values, the median is the smaller of the two middle values.
  public static func median(_ column: String) -> Aggregate { Aggregate(.median, column) }

  /// The least value `v` such that at least `percent` per cent of all values are less than or equal to `v`.
  ///
  /// - Parameters:
  ///   - percent: A percentage from 0 to 100; 0 gives the least value. The percentage is read as a decimal, so 99.9 per
  ///     cent of 1,000 values are exactly 999 values. `Clusters.values(of:)` throws if the percentage is outside 0 to
  ///     100.
  ///   - column: A column of any kind.
  public static func percentile(_ percent: Double, of column: String) -> Aggregate {
    Aggregate(.percentile(percent), column)
  }

  /// The number of different values.
  public static func distinct(_ column: String) -> Aggregate { Aggregate(.distinct, column) }
}

extension Aggregate {
  /// Names of the columns that the aggregate reads.
  package var columnNames: [String] { [column, weight].compactMap { $0 } }

  /// Returns the type that the results of the aggregate have for a tree. Each result has this type or is null. Returns
  /// nil for `counts` and `top`. Also returns nil if the tree lacks the column.
  package func resultType(in tree: ClusterTree) -> AttributeType? {
    switch function {
    case .counts, .top: nil
    case .any, .all: .boolean
    case .min, .max, .first, .last, .mode, .median, .percentile: column.flatMap { tree.column($0)?.type }
    case .count, .sum, .mean, .variance, .distinct: .number
    }
  }

  /// Returns whether all results are whole numbers, whatever the points are.
  package func isWhole(in tree: ClusterTree) -> Bool {
    switch function {
    case .count, .distinct: true
    case .sum, .min, .max, .first, .last, .mode, .percentile:
      if case .integers(let values) = column.flatMap({ tree.column($0) })?.values { values.digits == 0 } else { false }
    case .mean, .variance, .any, .all, .counts, .top, .median: false
    }
  }
}

extension Aggregate.Function {
  /// The functions whose only argument is a column.
  static let plain: [Aggregate.Function] = [
    .count, .sum, .mean, .variance, .min, .max, .any, .all, .counts, .mode, .median, .distinct,
  ]
}

/// The result of an aggregate for one cluster.
public enum AggregateValue: Hashable, Sendable {
  /// A number, such as a sum, a mean or a count.
  case number(AggregateNumber)
  /// A value of the column; null if no point has a value.
  case value(AttributeValue)
  /// Values, each with the number of points that have the value.
  case counts([ValueCount])

  /// A value, and the number of points that have this value.
  public struct ValueCount: Hashable, Sendable {
    /// The value.
    public let value: AttributeValue
    /// Number of points that have the value, at least one.
    public let count: Int
  }

  /// The number, rounded to a double; nil if the result is not a number.
  public var double: Double? {
    switch self {
    case .number(let number): number.double
    case .value(.number(let text)): Double(text)
    default: nil
    }
  }
}

extension AggregateValue: CustomStringConvertible {
  /// The value in a form for people to read: the number, the text of the value, an empty text for null, or each value
  /// with its count.
  public var description: String {
    switch self {
    case .number(let number): "\(number)"
    case .value(.bool(let value)): "\(value)"
    case .value(let value): value.text
    case .counts(let counts): counts.map { "\(AggregateValue.value($0.value)) \($0.count)" }.joined(separator: ", ")
    }
  }
}

/// A number that is the result of an aggregate: an exact decimal or, if no exact decimal is possible, the nearest
/// double.
public struct AggregateNumber: Hashable, Sendable {
  private enum Content: Hashable {
    case decimal(DecimalNumber)
    case double(Double)
  }

  private let content: Content

  init(_ decimal: DecimalNumber) { content = .decimal(decimal) }
  init(_ double: Double) { content = .double(double) }

  /// The nearest double.
  package var double: Double {
    switch content {
    case .decimal(let decimal): decimal.double
    case .double(let double): double
    }
  }
}

extension AggregateNumber: CustomStringConvertible {
  /// The number, as written in JSON.
  public var description: String {
    switch content {
    case .decimal(let decimal): "\(decimal)"
    case .double(let double): AttributeColumn.text(of: double)
    }
  }
}

/// The reason why an aggregate has no result.
public enum AggregateError: Error, Hashable, Sendable {
  /// The tree has no column of that name.
  @_spi(Server) case unknownColumn(name: String, known: [String])
  /// The aggregate does not apply to the kind of the column.
  @_spi(Server) case unsuited(aggregate: String, column: String, kind: Column.Kind, expected: String)
  /// For one answer, the aggregate would have to read too many rows one by one.
  @_spi(Server) case tooManyRows(aggregate: String, found: Int, maximum: Int)
  /// The values and weights are so large that the sum of their products does not fit into 128 bits.
  @_spi(Server) case tooLarge(aggregate: String)
  /// A text is not a valid list of aggregates. The fault is at the character `position`, counted from 0.
  @_spi(Server) case malformed(text: String, position: Int, expected: String)
  /// A number in an aggregate, such as a percentage, is out of range.
  @_spi(Server) case outOfRange(aggregate: String, expected: String, found: String)
  /// The work was cancelled on request.
  @_spi(Server) case cancelled
}

extension AggregateError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownColumn(let name, let known): "\(FilterError.unknownColumn(name: name, known: known))"
    case .unsuited(let aggregate, let column, let kind, let expected):
      "'\(aggregate)' needs \(expected), but the column \(column.debugDescription) is of kind \(kind.rawValue)"
    case .tooManyRows(let aggregate, let found, let maximum):
      "'\(aggregate)' can read at most \(maximum) points, but the answer has \(found) points; "
        + Self.preparation(for: aggregate) + "look at a smaller part of the map"
    case .tooLarge(let aggregate): "'\(aggregate)' cannot be computed exactly, because the values are too large"
    case .malformed(let text, let position, let expected):
      "expected \(expected) at character \(position + 1) of '\(text)'; write aggregates as in "
        + "'sum(population), top(kind, 3), mean(price, weight: rooms)'"
    case .outOfRange(let aggregate, let expected, let found):
      "'\(aggregate)' needs \(expected), found \(found)"
    case .cancelled: "the aggregates were cancelled before all results were known"
    }
  }

  /// Returns a hint for messages: how to build an index that answers an aggregate without reading all values. The hint
  /// is empty if there is no such index.
  private static func preparation(for aggregate: String) -> String {
    let preparations = ["median": "percentiles", "percentile": "percentiles", "distinct": "distinct"]
    let name = String(aggregate.prefix { $0 != "(" })
    return preparations[name].map { "build the index with '+\($0)' after the column's name, or " } ?? ""
  }
}
