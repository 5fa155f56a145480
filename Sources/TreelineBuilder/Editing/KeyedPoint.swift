@_spi(Server) import Treeline

/// A point of a map. The columns of the map are known only at run time, as in the live indexes of the server.
@_spi(Server) public struct KeyedPoint: Sendable {
  /// Key of the point. No other point of the map has this key.
  public let key: PointKey
  public let coordinate: Coordinate
  /// One value for each column of the map, in the order of the columns; nil for a missing value.
  public let values: [AttributeValue?]

  public init(key: PointKey, coordinate: Coordinate, values: [AttributeValue?]) {
    (self.key, self.coordinate, self.values) = (key, coordinate, values)
  }

  /// The value of a column. Each column of a map has its own key path to this subscript.
  subscript(column number: Int) -> AttributeValue? { values[number] }
}

/// The key of a point, which is its value in the key column. Either all keys of a map are whole numbers, or all keys
/// are texts.
@_spi(Server) public enum PointKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  case number(Int64)
  case text(String)

  /// Makes a key from the value of a column. A whole number is a key in any spelling: both `5.0` and `50e-1` are the
  /// key 5. Two texts are the same key if they are canonically equivalent in Unicode.
  ///
  /// - Parameter kind: Kind of the column, which is `number`, `category` or `text`.
  /// - Returns: nil if the value cannot be a key.
  public init?(_ value: AttributeValue, kind: Column.Kind) {
    switch (kind, value) {
    case (.number, .number(let literal)):
      // A column cannot store the least and the greatest 64-bit integer together.
      guard let number = Int64(literal) ?? DecimalNumber(literal).flatMap(Int64.init(exactly:)), number > .min else {
        return nil
      }
      self = .number(number)
    case (.category, .string(let text)), (.text, .string(let text)): self = .text(text)
    default: return nil
    }
  }

  public var description: String {
    switch self {
    case .number(let number): "\(number)"
    case .text(let text): text.visible.debugDescription
    }
  }
}

/// The reason why an index cannot be edited.
@_spi(Server) public enum LiveIndexError: Error, Hashable, Sendable, CustomStringConvertible {
  case planar
  case grouped
  /// The index keeps a column as an attribute, for display only.
  case attribute(String)
  case noKeyColumn(name: String, columns: [String])
  case unsuitableKeyColumn(name: String, kind: Column.Kind)
  case unsuitableKey(column: String, row: Int, found: String)
  case sharedKey(column: String, key: PointKey)

  public var description: String {
    switch self {
    case .planar:
      "expected longitudes and latitudes, found plain x and y; a live index cannot have plain x and y, because each "
        + "edit could change the square that encloses all points"
    case .grouped:
      "expected an index without groups, found groups; build the index without --group-by and --never-cluster"
    case .attribute(let name):
      "expected columns with types, but \(name.debugDescription) is an attribute, which has no type; "
        + "build the index with --columns instead of --attributes"
    case .noKeyColumn(let name, let columns):
      "expected a column \(name.debugDescription) with the keys of the points, found "
        + (columns.isEmpty ? "no columns" : "the columns " + columns.map(\.debugDescription).joined(separator: ", "))
        + "; build the index with a column of keys (--columns), and name this column with --key"
    case .unsuitableKeyColumn(let name, let kind):
      "expected keys in a column of numbers, categories or texts, found the column "
        + "\(name.debugDescription) of kind \(kind.rawValue)"
    case .unsuitableKey(let column, let row, let found):
      "column \(column.debugDescription), row \(row) counted from 0: expected a key (a whole number or a text), "
        + "found \(found)"
    case .sharedKey(let column, let key):
      "column \(column.debugDescription): expected keys that differ, found two points with the key \(key)"
    }
  }
}

@_spi(Server) extension ClusterMap where Value == KeyedPoint {
  /// Builds an editable map from the points of an index. The map has the same tree and columns as an index that is
  /// built with the same options from the same points, sorted by their keys.
  ///
  /// - Parameters:
  ///   - tree: The tree of an index whose points have longitudes and latitudes.
  ///   - name: Name of the column with the keys.
  ///   - threads: Number of threads for the build and for edits of the map.
  /// - Throws: `LiveIndexError`, `BuildError`, `ColumnError`
  /// - Complexity: The time of a build. Takes about 200 bytes of memory for each point, and 50 bytes for each value of
  ///   a point.
  public init(editing tree: ClusterTree, key name: String, threads: Int) throws {
    guard tree.plane.projection == .webMercator else { throw LiveIndexError.planar }
    guard !tree.isGrouped else { throw LiveIndexError.grouped }
    if let attribute = tree.columns.first(where: { $0.attribute != nil }) {
      throw LiveIndexError.attribute(attribute.name)
    }
    guard let keys = tree.columns.first(where: { $0.name == name }) else {
      throw LiveIndexError.noKeyColumn(name: name, columns: tree.columns.map(\.name))
    }
    guard [.number, .category, .text].contains(keys.kind) else {
      throw LiveIndexError.unsuitableKeyColumn(name: name, kind: keys.kind)
    }
    var points = try (0..<tree.pointCount).map { treeIndex in
      let value = keys.value(atTreeIndex: treeIndex)
      guard let value, let key = PointKey(value, kind: keys.kind) else {
        throw LiveIndexError.unsuitableKey(
          column: name, row: tree.row(atTreeIndex: treeIndex), found: value?.briefDescription ?? "none")
      }
      return KeyedPoint(
        key: key, coordinate: tree.exactCoordinate(atTreeIndex: treeIndex),
        values: tree.columns.map { $0.value(atTreeIndex: treeIndex) })
    }
    points.sort { $0.key < $1.key }
    for (point, next) in zip(points, points.dropFirst()) where point.key == next.key {
      throw LiveIndexError.sharedKey(column: name, key: point.key)
    }
    let options = BuildOptions(
      growth: tree.growth, threads: threads, badgeCurve: tree.badgeCurve ?? .standard, anchor: tree.anchor)
    let columns = tree.columns.enumerated().map { MapColumn(number: $0.offset, like: $0.element) }
    let coordinate: @Sendable (KeyedPoint) -> Coordinate = { $0.coordinate }
    let built = try ClusterTree(points.map(coordinate), options: options).startingLineage()
    let recipe = MapRecipe(
      at: coordinate, as: .webMercator, options, isGrouped: false, columns, sortedBy: \KeyedPoint.key)
    try self.init(points, on: built, adding: columns, recipe: recipe)
  }

  /// Returns whether the map has a point with a key.
  ///
  /// - Complexity: O(log n)
  public func contains(_ key: PointKey) -> Bool { keySearch(by: \.key)?(key) ?? false }

  /// Returns this map with some points replaced, added or removed.
  ///
  /// - Parameter changes: For each key, the new point with this key; nil to remove the point with this key, if there is
  ///   one.
  /// - Throws: The errors of `updating(inserting:removing:moving:)`.
  public func updating(_ changes: [PointKey: KeyedPoint?]) throws -> ClusterMap {
    var (inserted, removed, moved): ([KeyedPoint], [PointKey], [KeyedPoint]) = ([], [], [])
    for (key, point) in changes {
      switch (point, contains(key)) {
      case (let point?, true): moved.append(point)
      case (let point?, false): inserted.append(point)
      case (nil, true): removed.append(key)
      case (nil, false): break
      }
    }
    return try updating(by: \.key, inserting: inserted, removing: removed, moving: moved)
  }
}

@_spi(Server) extension Column {
  /// Finds the first of the given values that does not suit the kind of this column.
  ///
  /// - Parameter most: The `mostDecimals` of the column when it was opened. The values of the column are not read,
  ///   because they may be gone.
  /// - Returns: nil if all values suit the column. Otherwise `number` is the index of the unsuitable value in
  ///   `values`, `expected` says what was expected, and `found` says what was found.
  public func firstUnsuitable(
    _ values: [AttributeValue?], mostDecimals most: Int
  ) -> (number: Int, expected: String, found: String)? {
    var all = ColumnValues()
    for value in values { all.append(value) }
    var survey = ColumnSurvey(of: .typed(indexKind), name: name)
    survey.add(all, firstPoint: 0)
    do { _ = try survey.encoding() } catch {
      guard case ColumnError.unsuitableValue(_, let row, let expected, let found, _) = error else { return nil }
      return (row, expected, found)
    }
    guard kind == .time else { return nil }
    // A column can hold all times from 1684 to 2255, even if some of its times are exact to the nanosecond.
    for (number, value) in values.enumerated() {
      guard let instant = value?.instant(numbersPerSecond: 1) else { continue }
      let found = value?.briefDescription ?? "none"
      if instant.seconds.magnitude > 9_000_000_000 { return (number, "a time from 1684 to 2255", found) }
      if instant.digits > most {
        let limit = most == 0 ? "whole seconds" : "seconds with at most \(most) \(most == 1 ? "decimal" : "decimals")"
        return (number, "a time in \(limit), because the column has times before 1684 or after 2255", found)
      }
    }
    return nil
  }

  /// The greatest number of decimals that a new time in this column may have; 9 if the column has no times. All times
  /// of a column are stored with the same number of decimals, and each must fit into 64 bits.
  ///
  /// - Complexity: O(pointCount)
  public var mostDecimals: Int {
    guard kind == .time, case .integers(let own) = values else { return 9 }
    var (least, greatest) = (Int64.max, Int64.min)
    for index in 0..<pointCount {
      guard let integer = own.integer(at: index) else { continue }
      (least, greatest) = (min(least, integer), max(greatest, integer))
    }
    guard least <= greatest else { return 9 }
    let ends = [least, greatest].map { Instant(ticks: $0, digits: own.digits) }
    return (own.digits...9).last { digits in
      ends.allSatisfy { Int64(exactly: $0.ticks(digits: digits)) != nil }
    } ?? own.digits
  }

  /// The kind with the same name. There is such a kind for each kind of a column in an index.
  var indexKind: IndexColumn.Kind { IndexColumn.Kind(rawValue: kind.rawValue)! }
}

extension Int64 {
  /// Creates an integer; nil if the number is not whole or is out of range.
  fileprivate init?(exactly number: DecimalNumber) {
    let (floor, isWhole) = number.scaled(by: 0)
    guard isWhole else { return nil }
    self.init(exactly: floor)
  }
}

extension ClusterTree {
  /// Returns a coordinate that a build places exactly at the position of a point.
  fileprivate func exactCoordinate(atTreeIndex treeIndex: Int) -> Coordinate {
    let position = self.position(atTreeIndex: treeIndex)
    let coordinate = plane.coordinate(at: position)
    // A build must count a point on the north or south edge of the world as clipped. So the returned latitude must lie
    // beyond this edge.
    guard position.y == 0 || position.y == .max else { return coordinate }
    return Coordinate(longitude: coordinate.longitude, latitude: position.y == 0 ? 90 : -90)
  }
}
