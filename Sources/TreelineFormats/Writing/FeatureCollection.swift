import CLibrary
@_spi(Server) import Treeline

/// Writes clusters as GeoJSON (RFC 7946). Properties are named as in supercluster, because map clients know these
/// names.
public struct FeatureCollectionWriter: Sendable {
  let format: CoordinateFormat
  private let isPlanar: Bool
  private let hasSafeIntegers: Bool

  /// - Parameters:
  ///   - plane: Plane of the clusters. It determines the number of decimals.
  ///   - hasSafeIntegers: Whether a whole number in a column is written as a string if it is above 2^53 or below -2^53.
  ///     JavaScript would round such a number.
  public init(plane: Plane, hasSafeIntegers: Bool = false) {
    (format, isPlanar) = (CoordinateFormat(of: plane), plane.projection == .planar)
    self.hasSafeIntegers = hasSafeIntegers
  }

  /// The text with which every FeatureCollection begins.
  package static let beginning = "{\"type\":\"FeatureCollection\",\"features\":["

  /// Writes a FeatureCollection in pieces, with one feature per line. The text may be much larger than the features.
  /// So only a part of the text is in memory at a time: at most one piece and one feature.
  public func write(_ features: some Sequence<ClusterFeature>, to write: (UnsafeRawBufferPointer) throws -> Void)
    rethrows
  {
    var bytes = OutputBytes(capacity: 2 * Self.pieceSize)
    open(&bytes)
    var isFirst = true
    for feature in features {
      append(feature, isFirst: isFirst, to: &bytes)
      isFirst = false
      if bytes.count >= Self.pieceSize {
        try bytes.withBytes(write)
        bytes.removeAll()
      }
    }
    close(&bytes)
    try bytes.withBytes(write)
  }

  private static let pieceSize = 1 << 16

  /// Begins a FeatureCollection. The caller must append the features, and then call `close`.
  @_spi(Server) public func open(_ bytes: inout OutputBytes) {
    bytes.append("{\"type\":\"FeatureCollection\",\"features\":[")
  }

  /// Begins a FeatureCollection that is one page of a longer list.
  @_spi(Server) public func open(_ bytes: inout OutputBytes, offset: Int, total: Int) {
    bytes.append("{\"total\":")
    bytes.append(total)
    bytes.append(",\"offset\":")
    bytes.append(offset)
    bytes.append(",\"type\":\"FeatureCollection\",\"features\":[")
  }

  /// Appends a Feature to a FeatureCollection, on a separate line.
  @_spi(Server) public func append(_ feature: ClusterFeature, isFirst: Bool, to bytes: inout OutputBytes) {
    if isFirst { bytes.append("\n") } else { bytes.append(",\n") }
    append(feature, to: &bytes)
  }

  /// Writes Features in pieces, with one Feature per line (GeoJSONL, newline-delimited GeoJSON).
  package func writeLines(
    _ features: some Sequence<ClusterFeature>, to write: (UnsafeRawBufferPointer) throws -> Void
  ) rethrows {
    var bytes = OutputBytes(capacity: 2 * Self.pieceSize)
    for feature in features {
      append(feature, to: &bytes)
      bytes.append("\n")
      if bytes.count >= Self.pieceSize {
        try bytes.withBytes(write)
        bytes.removeAll()
      }
    }
    try bytes.withBytes(write)
  }

  @_spi(Server) public func close(_ bytes: inout OutputBytes) { bytes.append("\n]}\n") }

  /// Appends a Feature.
  @_spi(Server) public func append(_ feature: ClusterFeature, to bytes: inout OutputBytes) {
    bytes.append("{\"type\":\"Feature\"")
    // Map clients store the state of a feature by its id, so an answer must not contain an id twice. The ids of
    // clusters and of single points all differ, except for points that share one position. These points all have the
    // id of their cluster, so they are written without an id. Ids of the input may be anything, so they are written as
    // properties.
    if !feature.sharesID {
      bytes.append(",\"id\":")
      bytes.append(feature.properties.id)
    }
    format.append(feature.bounds, to: &bytes)
    bytes.append(",\"geometry\":")
    append(geometryOf: feature, to: &bytes)
    bytes.append(",\"properties\":{")
    feature.properties.forEach { property, value in
      // `cluster` is the first property of every feature.
      if property != .cluster { bytes.append(byte: UInt8(ascii: ",")) }
      bytes.append(byte: UInt8(ascii: "\""))
      bytes.append(text: property.rawValue)
      bytes.append("\":")
      append(value, to: &bytes)
    }
    append(aggregates: feature.aggregates, to: &bytes)
    var columns = feature.columns
    if let id = feature.featureID { columns.append(("id", id)) }
    append(columns: columns, after: feature.aggregates.map(\.name), to: &bytes)
    bytes.append("}}")
  }

  /// Appends the geometry of a feature. An outline of three or more corners becomes a Polygon. An outline of two
  /// corners becomes a LineString. Any other feature becomes a Point.
  private func append(geometryOf feature: ClusterFeature, to bytes: inout OutputBytes) {
    let corners = feature.outline
    guard corners.count >= 2 else {
      bytes.append("{\"type\":\"Point\",\"coordinates\":[")
      format.append(feature.coordinate.longitude, feature.coordinate.latitude, to: &bytes)
      return bytes.append("]}")
    }
    if corners.count == 2 {
      bytes.append("{\"type\":\"LineString\",\"coordinates\":")
      append(corners: corners, to: &bytes)
      return bytes.append("}")
    }
    bytes.append("{\"type\":\"Polygon\",\"coordinates\":[")
    append(corners: corners + corners.prefix(1), to: &bytes)
    bytes.append("]}")
  }

  @inline(__always) private func append(_ value: ClusterProperty.Value, to bytes: inout OutputBytes) {
    switch value {
    case .flag(let flag): bytes.append(json: flag)
    case .number(let number): bytes.append(number)
    case .decimal(let number): bytes.append(json: number)
    case .text(let text): bytes.append(json: text)
    case .abbreviated(let count): append(abbreviated: count, to: &bytes)
    case .ellipse(let ellipse): append(ellipse, to: &bytes)
    case .lengths(let major, let minor):
      bytes.append(byte: UInt8(ascii: "["))
      append(major, to: &bytes)
      bytes.append(byte: UInt8(ascii: ","))
      append(minor, to: &bytes)
      bytes.append(byte: UInt8(ascii: "]"))
    case .corners(let corners): append(positions: corners, to: &bytes)
    case .numbers(let numbers): append(numbers: numbers, to: &bytes)
    }
  }

  /// Appends a whole number and one decimal. The decimal is left out if it is 0.
  private func append(_ whole: Int, tenth: Int, to bytes: inout OutputBytes) {
    bytes.append(whole)
    guard tenth > 0 else { return }
    bytes.append(byte: UInt8(ascii: "."))
    bytes.append(tenth)
  }

  private func append(abbreviated count: Int, to bytes: inout OutputBytes) {
    let parts = BadgeText.parts(of: count)
    bytes.append(byte: UInt8(ascii: "\""))
    append(parts.whole, tenth: parts.tenths, to: &bytes)
    if let suffix = parts.suffix { bytes.append(byte: suffix) }
    bytes.append(byte: UInt8(ascii: "\""))
  }

  /// Appends the lengths of the half axes, in whole units of the plane (pixels at zoom 24). Then appends the direction
  /// in degrees, with at most one decimal.
  private func append(_ ellipse: Ellipse, to bytes: inout OutputBytes) {
    bytes.append(byte: UInt8(ascii: "["))
    bytes.append(UInt64(ellipse.semiMajor.rounded()))
    bytes.append(byte: UInt8(ascii: ","))
    bytes.append(UInt64(ellipse.semiMinor.rounded()))
    bytes.append(byte: UInt8(ascii: ","))
    let tenths = ellipse.tenthsOfDegrees
    if tenths < 0 { bytes.append(byte: UInt8(ascii: "-")) }
    append(abs(tenths) / 10, tenth: abs(tenths) % 10, to: &bytes)
    bytes.append(byte: UInt8(ascii: "]"))
  }

  /// Appends a length. On the sphere, it is rounded to a decimeter.
  private func append(_ length: Double, to bytes: inout OutputBytes) {
    if isPlanar { return format.append(length, to: &bytes) }
    let tenths = Int((length * 10).rounded())
    append(tenths / 10, tenth: tenths % 10, to: &bytes)
  }

  /// Appends the corners of a shape. Longitudes are written so that neighboring corners are at most half a turn apart.
  /// If the shape crosses the antimeridian, some of its longitudes are beyond 180 degrees, as maps expect.
  private func append(corners: [Coordinate], to bytes: inout OutputBytes) {
    var corners = corners
    for number in corners.indices.dropFirst() where !isPlanar {
      let turns = ((corners[number - 1].longitude - corners[number].longitude) / 360).rounded()
      corners[number].longitude += 360 * turns
    }
    append(positions: corners, to: &bytes)
  }

  private func append(positions: [Coordinate], to bytes: inout OutputBytes) {
    bytes.append("[")
    for (number, position) in positions.enumerated() {
      if number > 0 { bytes.append(byte: UInt8(ascii: ",")) }
      bytes.append(byte: UInt8(ascii: "["))
      format.append(position.longitude, position.latitude, to: &bytes)
      bytes.append(byte: UInt8(ascii: "]"))
    }
    bytes.append(byte: UInt8(ascii: "]"))
  }

  private func append(numbers: [Int], to bytes: inout OutputBytes) {
    bytes.append(byte: UInt8(ascii: "["))
    for (place, number) in numbers.enumerated() {
      if place > 0 { bytes.append(byte: UInt8(ascii: ",")) }
      bytes.append(number)
    }
    bytes.append(byte: UInt8(ascii: "]"))
  }

  /// Appends aggregates. Counts of values are written as an object. The members of the object are named after the
  /// values, and keep the order of the counts.
  private func append(aggregates: [(name: String, value: AggregateValue)], to bytes: inout OutputBytes) {
    for (name, value) in aggregates {
      bytes.append(byte: UInt8(ascii: ","))
      bytes.append(json: name)
      bytes.append(byte: UInt8(ascii: ":"))
      switch value {
      case .number(let number): bytes.append(json: .number("\(number)"))
      case .value(let value): bytes.append(json: value)
      case .counts(let counts): bytes.append(counts: counts)
      }
    }
  }

  private func append(
    columns: [(name: String, value: AttributeValue)], after names: [String], to bytes: inout OutputBytes
  ) {
    guard !columns.isEmpty else { return }
    FeatureProperties.forEachColumn(columns, after: names) { name, value in
      bytes.append(byte: UInt8(ascii: ","))
      bytes.append(json: name)
      bytes.append(byte: UInt8(ascii: ":"))
      bytes.append(json: hasSafeIntegers && value.isUnsafeInteger ? .string(value.name) : value)
    }
  }
}

extension AttributeValue {
  /// Whether the value is a whole number above 2^53 or below -2^53.
  fileprivate var isUnsafeInteger: Bool {
    // Numbers with up to 15 digits are below 2^53.
    guard case .number(let literal) = self, literal.utf8.count > 15,
      literal.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-") })
    else { return false }
    return Int64(literal).map { $0.magnitude > 1 << 53 } ?? true
  }
}

extension OutputBytes {
  /// Appends counts of values as an object. The members of the object are named after the values, and keep the order
  /// of the counts.
  fileprivate mutating func append(counts: [AggregateValue.ValueCount]) {
    append(byte: UInt8(ascii: "{"))
    for (number, count) in counts.enumerated() {
      // There may be millions of values, so this loop checks for cancellation. The text of a cancelled answer is
      // discarded.
      if number & 0xFFF == 0xFFF, (try? Cancellation.check()) == nil { break }
      if number > 0 { append(byte: UInt8(ascii: ",")) }
      append(json: count.value.name)
      append(byte: UInt8(ascii: ":"))
      append(count.count)
    }
    append(byte: UInt8(ascii: "}"))
  }
}

extension AggregateValue {
  /// The value as the text of a table cell; nil for null. Counts of values are written as JSON.
  package var cell: String? {
    switch self {
    case .number(let number): return "\(number)"
    case .value(.null): return nil
    case .value(let value): return value.name
    case .counts(let counts):
      var bytes = OutputBytes()
      bytes.append(counts: counts)
      return bytes.text
    }
  }
}

/// Names of the properties of features, in all formats.
@_spi(Server) public enum FeatureProperties {
  /// Returns a unique name for each aggregate. If a name is already taken, underscores are appended to the name.
  public static func names(of aggregates: [Aggregate]) -> [String] {
    var (names, taken) = ([String](), own)
    for aggregate in aggregates { names.append(taken.insert(unique: aggregate.propertyName)) }
    return names
  }

  /// Visits the columns of a point, which are written after the properties of its cluster. If the name of a column is
  /// already the name of a property or of an earlier column, underscores are appended to the name. So no value hides
  /// another value.
  ///
  /// - Parameters:
  ///   - columns: Columns of the point.
  ///   - names: Names of the aggregates. A column with one of these names gets underscores, too.
  ///   - work: Called with the name and the value of each column.
  /// - Complexity: O(columns)
  public static func forEachColumn(
    _ columns: [(name: String, value: AttributeValue)], after names: [String] = [],
    _ work: (_ name: String, _ value: AttributeValue) -> Void
  ) {
    // If there are few names, each name is compared with all others, which is faster than creating a set.
    if columns.count <= 8, names.isEmpty, areDistinct(columns) { return columns.forEach { work($0.name, $0.value) } }
    var taken = own.union(names)
    // For each name, the number of underscores that were appended for the last column with this name. Without these
    // numbers, the time would be quadratic for a damaged index in which a thousand columns share one name.
    var lines: [String: Int] = [:]
    for column in columns {
      var name = column.name
      while !taken.insert(name).inserted {
        lines[column.name, default: 0] += 1
        name = column.name + String(repeating: "_", count: lines[column.name]!)
      }
      work(name, column.value)
    }
  }

  private static func areDistinct(_ columns: [(name: String, value: AttributeValue)]) -> Bool {
    columns.enumerated().allSatisfy { number, column in
      !own.contains(column.name) && !columns[..<number].contains { $0.name == column.name }
    }
  }

  /// Names of all properties of clusters. No aggregate and no column gets one of these names.
  static let own = Set(ClusterProperty.allCases.map(\.rawValue))
}

extension Set<String> {
  /// Adds a name. Underscores are appended until the name is unique. Returns the unique name.
  fileprivate mutating func insert(unique name: String) -> String {
    var name = name
    while !insert(name).inserted { name += "_" }
    return name
  }
}

extension Ellipse {
  /// Direction of the longer axis, clockwise from east, in tenths of degrees. The direction is more than -90 degrees
  /// and at most 90 degrees.
  package var tenthsOfDegrees: Int {
    let tenths = Int((atan2(axisY, axisX) * (1800 / .pi)).rounded())
    // An axis at -90 degrees and an axis at 90 degrees have equal directions.
    return tenths <= -900 ? tenths + 1800 : tenths
  }
}

extension AttributeValue {
  /// The value as plain text; nil for null.
  package var plainText: String? {
    switch self {
    case .string(let text), .number(let text), .json(let text): text
    case .bool(let value): "\(value)"
    case .null: nil
    }
  }

  /// The value as a member name in a JSON object.
  package var name: String { plainText ?? "null" }
}
