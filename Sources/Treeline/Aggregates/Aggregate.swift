/// What is told of the values that the points of a cluster have in a column.
///
/// ```swift
/// let values = try clusters.values(of: [.sum("population"), .top(3, of: "kind")])
/// values[0][1]                                    // of the first cluster, the three most frequent kinds
/// try Aggregate.list("sum(population), top(kind, 3)")   // the same, as tools and URLs have it
/// ```
///
/// Missing values do not count. Where a cluster has no value at all, counts are 0 and everything else is null.
public struct Aggregate: Hashable, Sendable {
  package enum Function: Hashable, Sendable {
    case count
    case sum
    case mean
    case variance
    case min
    case max
    case any
    case all
    case counts
    case top(Int)
    case mode
    case median
    case percentile(Double)
    case distinct
  }

  package let function: Function
  /// nil for the number of points.
  package let column: String?
  package let weight: String?

  package init(_ function: Function, _ column: String? = nil, weight: String? = nil) {
    (self.function, self.column, self.weight) = (function, column, weight)
  }

  /// How many points there are.
  public static let count = Aggregate(.count)

  /// How many points have a value.
  public static func count(_ column: String) -> Aggregate { Aggregate(.count, column) }

  /// The sum of numbers, exactly if they are decimals, otherwise rounded once: the same to the last bit for any order
  /// of rows. Of booleans, how many are true.
  public static func sum(_ column: String) -> Aggregate { Aggregate(.sum, column) }

  /// The mean of numbers, rounded once.
  ///
  /// - Parameters:
  ///   - column: Of numbers.
  ///   - weight: A column of numbers, by which each counts; rows without a weight are left out. Both columns are
  ///     decimals.
  public static func mean(_ column: String, weight: String? = nil) -> Aggregate {
    Aggregate(.mean, column, weight: weight)
  }

  /// The mean of the squared differences from the mean.
  public static func variance(_ column: String) -> Aggregate { Aggregate(.variance, column) }

  /// The least number or time, or the first text by code points.
  public static func min(_ column: String) -> Aggregate { Aggregate(.min, column) }

  /// The greatest number or time, or the last text by code points.
  public static func max(_ column: String) -> Aggregate { Aggregate(.max, column) }

  /// Whether any value of a column of booleans is true.
  public static func any(_ column: String) -> Aggregate { Aggregate(.any, column) }

  /// Whether all values of a column of booleans are true.
  public static func all(_ column: String) -> Aggregate { Aggregate(.all, column) }

  /// How many points have each value, for those that any has, the most frequent first and of equals the least.
  public static func counts(_ column: String) -> Aggregate { Aggregate(.counts, column) }

  /// The same for so many of them at most.
  ///
  /// - Parameters:
  ///   - count: 1 or more; no answer is given to a lesser one.
  ///   - column: Of any kind.
  public static func top(_ count: Int, of column: String) -> Aggregate { Aggregate(.top(count), column) }

  /// The most frequent value, of equals the least.
  public static func mode(_ column: String) -> Aggregate { Aggregate(.mode, column) }

  /// The value in the middle; of an even number of numbers the mean of the two in the middle, of others the first of
  /// them.
  public static func median(_ column: String) -> Aggregate { Aggregate(.median, column) }

  /// The least value that so many per cent of all are at or below.
  ///
  /// - Parameters:
  ///   - percent: From 0, for the least value, to 100, in decimals: 99.9 is 999 of 1,000 values. No answer is given to
  ///     another number.
  ///   - column: Of any kind.
  public static func percentile(_ percent: Double, of column: String) -> Aggregate {
    Aggregate(.percentile(percent), column)
  }

  /// How many different values there are.
  public static func distinct(_ column: String) -> Aggregate { Aggregate(.distinct, column) }
}

extension Aggregate {
  /// The columns that it looks at.
  public var columnNames: [String] { [column, weight].compactMap { $0 } }

  /// The type of its values for a tree, but for null; nil for counts by value, and where the tree has not the column.
  public func resultType(in tree: ClusterTree) -> AttributeType? {
    switch function {
    case .counts, .top: nil
    case .any, .all: .boolean
    case .min, .max, .mode, .median, .percentile: column.flatMap { tree.column($0)?.type }
    case .count, .sum, .mean, .variance, .distinct: .number
    }
  }
}

/// What an aggregate is for one cluster.
public enum AggregateValue: Hashable, Sendable {
  /// A number: a sum, a mean, a count.
  case number(AggregateNumber)
  /// A value of the column; null where there is none.
  case value(AttributeValue)
  /// How many points have each value.
  case counts([ValueCount])

  /// How many points have a value.
  public struct ValueCount: Hashable, Sendable {
    /// The value.
    public let value: AttributeValue
    /// How many points have it, one at least.
    public let count: Int
  }

  /// The number that it is, rounded to a double; nil for anything else.
  public var double: Double? {
    switch self {
    case .number(let number): number.double
    case .value(.number(let text)): Double(text)
    default: nil
    }
  }
}

/// A number that is told of values: exact in decimals or, where it would not be, the nearest double.
public struct AggregateNumber: Hashable, Sendable {
  private enum Content: Hashable {
    case decimal(DecimalNumber)
    case double(Double)
  }

  private let content: Content

  init(_ decimal: DecimalNumber) { content = .decimal(decimal) }
  init(_ double: Double) { content = .double(double) }

  /// The nearest double.
  public var double: Double {
    switch content {
    case .decimal(let decimal): decimal.double
    case .double(let double): double
    }
  }
}

extension AggregateNumber: CustomStringConvertible {
  /// As JSON has it.
  public var description: String {
    switch content {
    case .decimal(let decimal): "\(decimal)"
    case .double(let double): AttributeColumn.text(of: double)
    }
  }
}

/// Why there is no answer to an aggregate.
public enum AggregateError: Error, Hashable, Sendable {
  /// The tree has no column of that name.
  case unknownColumn(name: String, known: [String])
  /// The column's values have no such aggregate.
  case unsuited(aggregate: String, column: String, kind: Column.Kind, expected: String)
  /// More rows would have to be read than one answer may.
  case tooManyRows(aggregate: String, found: Int, maximum: Int)
  /// Values so large that their products have no exact sum.
  case tooLarge(aggregate: String)
  /// A text that is no list of aggregates: from a character of it on, which counts from 0.
  case malformed(text: String, position: Int, expected: String)
  /// A number that an aggregate cannot have.
  case outOfRange(aggregate: String, expected: String, found: String)
  /// The work was stopped, as whoever asked for it wanted.
  case cancelled
}

extension AggregateError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownColumn(let name, let known): "\(FilterError.unknownColumn(name: name, known: known))"
    case .unsuited(let aggregate, let column, let kind, let expected):
      "'\(aggregate)' needs \(expected), and the column \(column.debugDescription) is of kind \(kind.rawValue)"
    case .tooManyRows(let aggregate, let found, let maximum):
      "'\(aggregate)' reads the values of all points one by one, at most \(maximum) for an answer, found \(found); "
        + "look at a smaller part of the map"
    case .tooLarge(let aggregate): "'\(aggregate)' has no exact sum: its values are too large"
    case .malformed(let text, let position, let expected):
      "expected \(expected) at character \(position) of '\(text)'; write aggregates as in "
        + "'sum(population), top(kind, 3), mean(price, weight: rooms)'"
    case .outOfRange(let aggregate, let expected, let found):
      "'\(aggregate)' needs \(expected), found \(found)"
    case .cancelled: "the aggregates were cancelled before all were known"
    }
  }
}
