import Treeline

/// A typed column that an index or a tree in memory is to have: one value for each point, or none.
///
/// An ``IndexAttribute`` keeps values for display exactly as they are written; a column keeps what they mean, in less
/// space and in an order, so that it can be filtered and summed.
///
/// ```swift
/// let prices = IndexColumn(name: "price", kind: .number) { row in .number(hotels[row].price) }
/// try tree.write(index: "hotels.treeline", columns: [prices])
/// ```
public struct IndexColumn: Sendable {
  /// What values are taken for, in the words of the tool.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// JSON numbers. They are kept exactly where all of them are multiples of one power of ten, from 1 down to 10^-18,
    /// that 64 bits count; otherwise as the nearest doubles.
    case number
    /// Texts of which many points have the same. Numbers and booleans are texts, too, as they are written.
    case category
    /// Booleans; the texts `true`, `false`, `yes`, `no`, `t`, `f`, `1` and `0` in any case; the numbers 1 and 0.
    case boolean
    /// Texts of ISO 8601, as `Instant` reads them; numbers are seconds since the beginning of 1970.
    case time
    /// The same, but numbers are milliseconds.
    case timeInMilliseconds = "time-ms"
    /// Texts of which most points have their own. Numbers and booleans are texts, too, as they are written; nested
    /// objects and arrays stay what they are.
    case text

    /// What the column is of.
    public var columnKind: Column.Kind {
      switch self {
      case .number: .number
      case .category: .category
      case .boolean: .boolean
      case .time, .timeInMilliseconds: .time
      case .text: .text
      }
    }
  }

  enum Source: Sendable {
    /// Nil to find the kind.
    case values(Kind?, @Sendable (Int) -> AttributeValue?)
    case integers(@Sendable (Int) -> Int64?)
    case instants(@Sendable (Int) -> Instant?)
  }

  /// What an index can be prepared for, beyond filters, sums and counts: a section more for each.
  public enum Preparation: String, Sendable, Hashable, CaseIterable {
    /// `median` and `percentile` without reading the values of all points. Of a million points that all differ
    /// 6.9 bytes a point, with 65,535 different values 2.6.
    case percentiles
    /// `distinct` without reading the values of all points: 2.9 bytes a point, of a million points.
    case distinct
  }

  let name: String
  let source: Source
  private(set) var preparations: Set<Preparation> = []
  private(set) var cells: DecimalMark?

  /// A column of values of the input.
  ///
  /// Without a kind it is found: `number` where all values are numbers; `boolean` where all are booleans or the texts
  /// `true` and `false`, in any case; `time` where all are texts of ISO 8601; `category` where all are texts, at most
  /// 256 distinct ones or a 16th of the points, and no more than 65,536; otherwise, and where there is no value,
  /// `text`. Missing values do not count. A column has one type: among texts, numbers and booleans are texts, too.
  /// Building a column of a kind that is found never fails.
  ///
  /// - Parameters:
  ///   - name: Of the column.
  ///   - kind: What values are taken for; nil to find it.
  ///   - value: The value of a point, given its row in the input from which the tree was built; nil or null if it has
  ///     none, which only `text` tells apart. It is asked for once or several times, not in the order of the rows.
  public init(name: String, kind: Kind? = nil, value: @escaping @Sendable (Int) -> AttributeValue?) {
    (self.name, self.source) = (name, .values(kind, value))
  }

  /// A column of moments in time.
  ///
  /// - Parameters:
  ///   - name: Of the column.
  ///   - instant: That of a point, given its row; nil if it has none.
  public init(name: String, instant: @escaping @Sendable (Int) -> Instant?) {
    (self.name, self.source) = (name, .instants(instant))
  }

  /// The column of numbers that `init(name:kind:value:)` makes of whole ones, in less time.
  package static func integers(name: String, _ integer: @escaping @Sendable (Int) -> Int64?) -> IndexColumn {
    IndexColumn(name: name, source: .integers(integer))
  }

  /// The same column, whose values may be cells of text, as those of CSV: without a kind, numbers among them are texts
  /// unless the whole column is of numbers.
  ///
  /// - Parameter mark: What stands before the decimals of numbers in them; nil for values that are no cells.
  package func holdingCells(_ mark: DecimalMark?) -> IndexColumn {
    var column = self
    column.cells = mark
    return column
  }

  private init(name: String, source: Source) { (self.name, self.source) = (name, source) }

  /// The same column, for which the index is prepared for more. Answers are the same either way: without it they take
  /// longer and end at a number of points.
  public func prepared(for preparations: Preparation...) -> IndexColumn { prepared(for: Set(preparations)) }

  /// The same of a set.
  public func prepared(for preparations: Set<Preparation>) -> IndexColumn {
    var column = self
    column.preparations.formUnion(preparations)
    return column
  }
}
