import Treeline

/// A typed column of an index or a tree in memory: one value for each point, or none.
///
/// An ``IndexAttribute`` keeps values for display exactly as they are written. A column keeps the meaning of values, in
/// less space and in an order, so that it can be filtered and summed.
///
/// ```swift
/// let prices = IndexColumn(name: "price", kind: .number) { row in .number(hotels[row].price) }
/// try tree.write(index: "hotels.treeline", columns: [prices])
/// ```
public struct IndexColumn: Sendable {
  /// The kind as which values are read, in the words of the tool.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// JSON numbers. They are kept exactly if all of them are multiples of one power of ten, from 1 down to 10^-18, and
    /// 64 bits can count these multiples. Otherwise they are kept as the nearest doubles.
    case number
    /// Texts that many points share. Numbers and booleans become texts, as they are written.
    case category
    /// Booleans; the texts `true`, `false`, `yes`, `no`, `t`, `f`, `1` and `0` in any case; the numbers 1 and 0.
    case boolean
    /// Texts of ISO 8601, as `Instant` reads them; numbers are seconds since the beginning of 1970.
    case time
    /// Times like `time`, except that numbers are milliseconds.
    case timeInMilliseconds = "time-ms"
    /// Texts that few points share. Numbers and booleans become texts, as they are written; nested objects and arrays
    /// stay as they are.
    case text

    /// Kind of the column in an index.
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
    /// Values of a kind; nil to find the kind.
    case values(Kind?, @Sendable (Int) -> AttributeValue?)
    case integers(@Sendable (Int) -> Int64?)
    case instants(@Sendable (Int) -> Instant?)
  }

  /// An aggregate that an index is prepared for, beyond filters, sums and counts. Each preparation adds a section.
  public enum Preparation: String, Sendable, Hashable, CaseIterable {
    /// `median` and `percentile` without reading the values of all points. With a million points, it takes 6.9 bytes a
    /// point if all values differ, and 2.6 with 65,535 different values.
    case percentiles
    /// `distinct` without reading the values of all points. With a million points, it takes 2.9 bytes a point.
    case distinct
  }

  let name: String
  let source: Source
  private(set) var preparations: Set<Preparation> = []
  private(set) var cells: DecimalMark?

  /// Makes a column of values of the input.
  ///
  /// Without a kind, the kind is found from the values. It is `number` if all values are numbers; `boolean` if all are
  /// booleans or the texts `true` and `false`, in any case; `time` if all are texts of ISO 8601; `category` if all are
  /// texts and there are few distinct texts: at most 256 or a 16th of the points, whichever is more, and no more than
  /// 65,536. In all other cases, and if there are no values, it is `text`. Missing values do not count. A column has
  /// one type: among texts, numbers and booleans become texts, too. Building a column of a found kind never fails.
  ///
  /// - Parameters:
  ///   - name: Name of the column.
  ///   - kind: How values are read; nil to find the kind.
  ///   - value: Returns the value of a point, given its row in the input from which the tree was built; nil or null if
  ///     it has none. Only `text` distinguishes nil and null. It is called once or several times for each point, not in
  ///     the order of the rows.
  public init(name: String, kind: Kind? = nil, value: @escaping @Sendable (Int) -> AttributeValue?) {
    (self.name, self.source) = (name, .values(kind, value))
  }

  /// Makes a column of moments in time.
  ///
  /// - Parameters:
  ///   - name: Name of the column.
  ///   - instant: Returns the moment of a point, given its row; nil if the point has none.
  public init(name: String, instant: @escaping @Sendable (Int) -> Instant?) {
    (self.name, self.source) = (name, .instants(instant))
  }

  /// Makes the column that `init(name:kind:value:)` makes of whole numbers, in less time.
  package static func integers(name: String, _ integer: @escaping @Sendable (Int) -> Int64?) -> IndexColumn {
    IndexColumn(name: name, source: .integers(integer))
  }

  /// Returns this column for values that may be cells of text, as in CSV. Without a kind, numbers among them are texts
  /// unless the whole column is of numbers.
  ///
  /// - Parameter mark: Decimal mark of numbers in cells; nil if values are not cells.
  package func holdingCells(_ mark: DecimalMark?) -> IndexColumn {
    var column = self
    column.cells = mark
    return column
  }

  private init(name: String, source: Source) { (self.name, self.source) = (name, source) }

  /// Returns this column with more preparations of the index. Answers are the same without them, but take longer and
  /// are limited to a number of points.
  public func prepared(for preparations: Preparation...) -> IndexColumn { prepared(for: Set(preparations)) }

  /// Returns this column with a set of more preparations.
  public func prepared(for preparations: Set<Preparation>) -> IndexColumn {
    var column = self
    column.preparations.formUnion(preparations)
    return column
  }
}
