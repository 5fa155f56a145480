@_spi(Server) import Treeline

/// A typed column of an index or of a tree in memory. Each point has one value or no value in the column.
///
/// An ``IndexAttribute`` keeps values for display exactly as they are written. A typed column keeps only the meaning
/// of values. A typed column takes less space, and its values can be compared, filtered and summed.
///
/// ```swift
/// let prices = IndexColumn.number(name: "price") { row in allHotels[row].price }
/// try tree.write(toFile: "hotels.treeline", columns: [prices])
/// ```
public struct IndexColumn: Sendable {
  /// The kind of value that a column reads. The raw value of a kind is the name of the kind in the command-line tool.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// JSON numbers. They are kept exactly if two conditions hold. First, all numbers are integers from -2^63 to
    /// 2^63 - 1, times the same power of ten. This power may be from 10^-18 to 1, for example 0.01. Second, the
    /// greatest and the least of these integers differ by at most 2^64 - 2. Otherwise each number is kept as the
    /// nearest double.
    case number
    /// Texts that many points share. Numbers and booleans become texts, spelled as in the input.
    case category
    /// Booleans; the texts `true`, `false`, `yes`, `no`, `t`, `f`, `1` and `0`, in upper or lower case; the numbers 1
    /// and 0.
    case boolean
    /// Texts in ISO 8601 that `Instant` can read, or numbers of seconds since the beginning of 1970.
    case time
    /// Texts as in `time`, or numbers of milliseconds since the beginning of 1970.
    case timeInMilliseconds = "time-ms"
    /// Texts that few points share. Numbers and booleans become texts, spelled as in the input. Nested objects and
    /// arrays stay unchanged.
    case text

    /// Kind of the column in an index. Only `timeInMilliseconds` has a name that is not the name of such a kind.
    public var columnKind: Column.Kind { Column.Kind(rawValue: rawValue) ?? .time }
  }

  enum Source: Sendable {
    /// Values and their kind; the kind is nil if it must be found from the values.
    case values(Kind?, @Sendable (Int) -> AttributeValue?)
    case numbers(@Sendable (Int) -> StoredValue?, areInMemory: Bool)
    case instants(@Sendable (Int) -> Instant?)
  }

  /// An aggregate or a search for which an index can be prepared. Filters, sums and counts need no preparation. Each
  /// preparation adds a section to the index.
  public enum Preparation: String, Sendable, Hashable, CaseIterable {
    /// Allows `median` and `percentile` to be computed without reading the values of all points. With a million
    /// points, the section takes 6.9 bytes per point if all values differ, and 2.6 bytes per point if there are 65,535
    /// different values.
    case percentiles
    /// Allows `distinct` to be computed without reading the values of all points. With a million points, the section
    /// takes 2.9 bytes per point.
    case distinct
    /// Lists the words of a column of texts or categories for `ClusterTree.search(_:in:limit:)`. The section takes 4
    /// bytes per point and 4 bytes per word, but lists at most 8 words per point on average. A column without a
    /// declared kind becomes a column of kind `text`.
    case search

    /// A sentence about the preparation, for help texts.
    package var help: String {
      switch self {
      case .percentiles:
        "'+percentiles' speeds up medians and percentiles. For a million points it takes 3 bytes per point, or 7 if "
          + "all values are distinct."
      case .distinct:
        "'+distinct' speeds up counts of distinct values, and takes 3 bytes per point for a million points."
      case .search:
        "'+search' finds the beginnings of words, without regard to case and accents, and takes 4 bytes per point "
          + "and 4 bytes per word."
      }
    }

    /// Kind of the section that the preparation adds.
    var sectionKind: IndexSection.Kind {
      switch self {
      case .percentiles: .ranks
      case .distinct: .links
      case .search: .search
      }
    }

    /// Greatest size of the section, in bytes per point. A wavelet matrix has up to 32 levels. A section of ranks also
    /// contains the different values.
    var greatestSize: Int {
      switch self {
      case .percentiles: 9
      case .distinct: 5
      case .search: 12
      }
    }
  }

  let name: String
  let source: Source
  private(set) var preparations: Set<Preparation> = []
  private(set) var cells: DecimalMark?

  /// Makes a column from values of the input.
  ///
  /// If no kind is given, the kind is found from the values. The kind is `number` if all values are numbers. It is
  /// `boolean` if all values are booleans or the texts `true` and `false`, in upper or lower case. It is `time` if all
  /// values are texts in ISO 8601. It is `category` if all values are texts and there are few distinct texts: at most
  /// 256 or a 16th of the number of points, whichever is greater, but never more than 65,536. In all other cases, and
  /// if there are no values, the kind is `text`. Missing values are ignored. A column has one type. So if any value is
  /// a text, numbers and booleans become texts, too. If no kind is given, building the column fails only if the text of
  /// a nested value is not JSON.
  ///
  /// - Parameters:
  ///   - name: Name of the column.
  ///   - kind: How values are read; nil to find the kind.
  ///   - value: Returns the value of a point, given the point's row in the input from which the tree was built; nil or
  ///     null if the point has no value. Only `text` distinguishes nil from null. The function is called once or
  ///     several times for each point, in any order of rows.
  public init(name: String, kind: Kind? = nil, value: @escaping @Sendable (Int) -> AttributeValue?) {
    (self.name, self.source) = (name, .values(kind, value))
  }

  /// Makes a column of moments in time.
  ///
  /// - Parameters:
  ///   - name: Name of the column.
  ///   - instant: Returns the moment of a point, given the row of the point; nil if the point has no moment.
  public init(name: String, instant: @escaping @Sendable (Int) -> Instant?) {
    (self.name, self.source) = (name, .instants(instant))
  }

  /// Makes a column of numbers.
  ///
  /// - Parameters:
  ///   - name: Name of the column.
  ///   - number: Returns the number of a point, given the row of the point; nil if the point has no number. A number
  ///     that is not finite is a missing value.
  public static func number(name: String, _ number: @escaping @Sendable (Int) -> Double?) -> IndexColumn {
    .numbers(name: name) { Double?.storedValue(ofAny: number($0)) }
  }

  /// Makes a column of numbers. The column equals the column that `init(name:kind:value:)` makes from the texts of
  /// these numbers, but is made in less time.
  ///
  /// - Parameter areInMemory: Whether the numbers are in memory in the order of their rows. If true, numbers are read
  ///   in this order, because this is fastest. The rows of the tree must then be `0..<pointCount`.
  package static func numbers(
    name: String, areInMemory: Bool = false, _ number: @escaping @Sendable (Int) -> StoredValue?
  ) -> IndexColumn { IndexColumn(name: name, source: .numbers(number, areInMemory: areInMemory)) }

  /// Returns a copy of this column whose values may be text cells, as in CSV. If no kind is given and any cell is not
  /// a number, all cells become texts.
  ///
  /// - Parameter mark: Decimal mark of numbers in cells; nil if values are not cells.
  package func holdingCells(_ mark: DecimalMark?) -> IndexColumn {
    var column = self
    column.cells = mark
    return column
  }

  /// Kind of the values; nil if the kind must be found from the values.
  var kind: Kind? {
    switch source {
    case .values(let kind, _): kind ?? (preparations.contains(.search) ? .text : nil)
    case .numbers: .number
    case .instants: .time
    }
  }

  /// - Throws: `ColumnError.notSearchable` if a search is prepared for values that are not texts.
  func checkPreparations() throws(ColumnError) { try kind.check(preparations, ofColumn: name) }

  private init(name: String, source: Source) { (self.name, self.source) = (name, source) }

  /// Returns this column with the given preparations added. Preparations do not change results. Some aggregates take
  /// longer without their preparation, and can then read only a limited number of points.
  public func prepared(for preparations: Preparation...) -> IndexColumn { prepared(for: Set(preparations)) }

  /// Returns this column with a set of preparations added.
  public func prepared(for preparations: Set<Preparation>) -> IndexColumn {
    var column = self
    column.preparations.formUnion(preparations)
    return column
  }
}

extension IndexColumn.Kind? {
  /// - Throws: `ColumnError.notSearchable` if a search is prepared for values that are not texts.
  func check(_ preparations: Set<IndexColumn.Preparation>, ofColumn name: String) throws(ColumnError) {
    guard preparations.contains(.search), let kind = self, kind != .text, kind != .category else { return }
    throw .notSearchable(name: name, kind: kind)
  }
}
