@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

/// Describes the layer of the vector tiles in the form that TileJSON 3.0.0, PMTiles and MBTiles use under
/// `vector_layers`.
@_spi(Server) public struct TileFields: Encodable {
  let id = TileLayer.name
  let description = "Clusters and single points"
  /// Type of the values of each property: Boolean, Number or String. The keys are the names of the properties.
  public let fields: [String: String]

  /// - Parameters:
  ///   - tree: The tree of the tiles.
  ///   - aggregates: The aggregates in the tiles.
  ///   - names: Names of the aggregates, in the same order.
  public init(of tree: ClusterTree, aggregates: [Aggregate], names: [String]) {
    let pairs = zip(names, aggregates).compactMap { name, aggregate in
      aggregate.resultType(in: tree).map { (name, $0.rawValue) }
    }
    var fields = Dictionary(pairs) { first, _ in first }
    let columns = tree.columns.map { (name: $0.name, value: AttributeValue.string($0.type.rawValue)) }
    FeatureProperties.forEachColumn(columns, after: names) { name, type in
      if case .string(let type) = type { fields[name] = type }
    }
    for (key, type) in TileLayer.fields where key != .badgeDiameter || tree.badgeCurve != nil {
      fields[key.rawValue] = type
    }
    if tree.isGrouped { fields[ClusterProperty.group.rawValue] = ClusterProperty.group.kind.rawValue }
    // Each count has a separate key, which ends with the counted value.
    let takenNames = Set(tree.columns.map(\.name) + names)
    for (name, aggregate) in zip(names, aggregates) {
      for value in Self.countedValues(of: aggregate, in: tree) {
        var key = "\(name).\(value)"
        while takenNames.contains(key) || fields[key] != nil { key += "_" }
        fields[key] = AttributeType.number.rawValue
      }
    }
    self.fields = fields
  }

  /// Greatest number of counted values that are listed for an aggregate.
  private static let mostCountedValues = 256

  /// Returns the names of the values that an aggregate counts. Returns no names for a column of numbers or times, and
  /// for a column with too many values.
  private static func countedValues(of aggregate: Aggregate, in tree: ClusterTree) -> [String] {
    // Only counts have no type of their own.
    guard aggregate.resultType(in: tree) == nil, let column = aggregate.column.flatMap({ tree.column($0) }),
      case .entries(let entries) = column.values, entries.dictionary.entryCount <= mostCountedValues
    else { return [] }
    return (0..<entries.dictionary.entryCount).compactMap { entries.dictionary.value(ofEntry: $0)?.plainText }
  }
}

/// The extent of an index in the form that maps need: a box and an initial view.
@_spi(Server) public struct TileExtent: Sendable {
  /// West, south, east and north, in degrees. These bounds cannot cross the antimeridian. If the box of the points
  /// crosses the antimeridian, the bounds span all longitudes.
  public let bounds: [Double]
  /// Longitude, latitude and zoom of a view that shows all points.
  public let center: [Double]

  public init(of tree: ClusterTree) {
    let format = CoordinateFormat(of: tree.plane)
    let bounds = tree.root?.bounds ?? .world
    let isAcross = bounds.west > bounds.east
    let middle = tree.root.map { tree.plane.coordinate(x: $0.rect.middleX, y: $0.rect.middleY) }
    self.bounds = [isAcross ? -180 : bounds.west, bounds.south, isAcross ? 180 : bounds.east, bounds.north].map(
      format.rounded)
    center =
      [middle?.longitude ?? 0, middle?.latitude ?? 0].map(format.rounded) + [Double(tree.root?.rect.zoomToFit ?? 0)]
  }
}

extension String {
  /// The text as HTML. Special characters are escaped, because an index may come from an untrusted source.
  @_spi(Server) public var escapedAsHTML: String {
    [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")].reduce(self) { $0.replacing($1.0, with: $1.1) }
  }
}

extension PlaneRect {
  fileprivate var middleX: Double { Double(minX) + Double(width) / 2 }
  fileprivate var middleY: Double { Double(minY) + Double(height) / 2 }

  /// Greatest whole zoom, up to 14, at which a tile is at least as large as the rectangle.
  fileprivate var zoomToFit: Int { min(max(width, height).leadingZeroBitCount, 14) }
}
