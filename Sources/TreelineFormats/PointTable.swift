import Treeline

/// The points of one input, in its order.
public struct PointTable: Sendable {
  /// The position of each point.
  public let coordinates: [Coordinate]
  /// Whether positions are x and y on a plain plane rather than longitudes and latitudes in degrees.
  public let isPlanar: Bool
  /// How many data records the input has, invalid ones included; a header and blank lines are none.
  public let rowCount: Int
  /// The first 1,000 rows that were skipped because they have no valid position.
  public let invalidRows: [InvalidRow]
  /// How many rows, the header among them, hold bytes that are no UTF-8, which are decoded as U+FFFD; 0 unless columns
  /// were kept.
  public let repairedRowCount: Int
  /// The numbers of all skipped rows, ascending.
  let skippedRows: [Int]
  let records: RecordArena
  let layout: RecordLayout

  /// How many rows were skipped because they have no valid position.
  public var invalidRowCount: Int { skippedRows.count }

  /// The number of a point's data record in the input, counted from 0; it differs from `index` only after skipped rows.
  ///
  /// - Complexity: O(log of the number of skipped rows).
  public func row(ofPoint index: Int) -> Int {
    precondition(coordinates.indices.contains(index), "no point \(index) of \(coordinates.count)")
    // skippedRows[k] - k valid rows precede the skipped row k, and that number never falls.
    var low = 0
    var high = skippedRows.count
    while low < high {
      let middle = (low + high) / 2
      if skippedRows[middle] - middle <= index { low = middle + 1 } else { high = middle }
    }
    return index + low
  }

  /// The columns of a point in file order, without its two coordinates; empty unless they were kept.
  ///
  /// A CSV cell that is a valid JSON number is a number, an empty one is null, any other a string. A column without a
  /// name is called by its position, as in `column 3`. GeoJSON has the members of `properties`.
  public func columns(ofPoint index: Int) -> [(name: String, value: AttributeValue)] {
    precondition(coordinates.indices.contains(index), "no point \(index) of \(coordinates.count)")
    switch layout {
    case .none: return []
    case .csv(let layout): return records.withRecord(index) { layout.columns(of: $0) }
    case .features: return records.withRecord(index) { FeatureRecord($0).columns }
    }
  }

  /// The `id` of a point's GeoJSON Feature, a string or a number (RFC 7946, section 3.2); nil where it has none, in CSV,
  /// and unless columns were kept.
  public func featureID(ofPoint index: Int) -> AttributeValue? {
    precondition(coordinates.indices.contains(index), "no point \(index) of \(coordinates.count)")
    guard case .features = layout else { return nil }
    return records.withRecord(index) { FeatureRecord($0).id }
  }

  /// The names of a CSV file's columns in file order, without its two coordinates, be there rows or not; nil for GeoJSON,
  /// whose Features differ, and unless columns were kept.
  public var columnNames: [String]? {
    guard case .csv(let layout) = layout else { return nil }
    return layout.columnNames
  }

  /// Whether any point has a column of that name; Swift's equality of strings tells, which is canonical equivalence.
  ///
  /// - Complexity: O(columns) for CSV; for GeoJSON O(bytes kept) up to the first Feature that has it.
  public func hasColumn(named name: String) -> Bool {
    switch layout {
    case .none: false
    case .csv(let layout): layout.columnNames.contains(name)
    case .features:
      coordinates.indices.contains { records.withRecord($0) { FeatureRecord($0).hasColumn(named: name) } }
    }
  }
}

/// What the kept bytes of a record are.
enum RecordLayout: Sendable {
  case none
  case csv(CSVLayout)
  /// What `FeatureRecord` takes apart.
  case features
}
