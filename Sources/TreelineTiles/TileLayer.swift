@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

/// The layer of a vector tile, to which features are appended one by one. All features are points. They have the same
/// properties as in GeoJSON, except the bounding box. Clusters also have the area that their points cover: in square
/// kilometers, and in square pixels of a map on which the tile is 512 pixels wide.
@_spi(Server) public struct TileLayer {
  /// Greatest number of bytes of the encoded tile. If the tile becomes longer, `append` throws.
  private let limit: Int
  /// The encoded features, keys and values of the layer. Their sizes are known at any time, so encoding can stop as
  /// soon as the tile is too long.
  private var (features, keys, values) = (ProtobufBytes(), ProtobufBytes(), ProtobufBytes())
  /// Parts of the feature that is being appended. These objects are reused for all features, so that memory is
  /// allocated only once.
  private var (feature, tags, geometry) = (ProtobufBytes(), ProtobufBytes(), ProtobufBytes())
  /// Indices of all keys.
  private var keyIndices: [String: UInt32] = [:]
  /// Indices of the values that several features may share.
  private var valueIndices: [TileValue: UInt32] = [:]
  private var valueCount: UInt32 = 0
  private let tree: ClusterTree
  private let cut: Cut
  private let aggregates: [String]
  private let zoom: Int
  /// For each key: the index of its aggregate if the key is the usual name of a count, such as `top_kind.hotel`;
  /// otherwise nil.
  private var countedBy: [Int32?] = []
  /// Keys of the counts that do not have their usual names, because these names were already in use. There is one
  /// dictionary for each aggregate. The dictionary maps a counted value to the index of the key for its count.
  private var renamedKeys: [[String: UInt32]]
  /// Names that no count may have.
  private let takenNames: Set<String>

  /// Keys that clusters have in every tile, each with its type in TileJSON. The list does not contain the key for
  /// groups, so that tiles without groups do not have this key.
  static let fields: [(key: ClusterProperty, type: String)] =
    ClusterProperty.inEveryTile.map { ($0, $0.kind.rawValue) }

  /// For each property in `fields`, the index of its key.
  private static let fieldIndices: [ClusterProperty: UInt32] = Dictionary(
    uniqueKeysWithValues: fields.enumerated().map { ($1.key, UInt32($0)) })

  /// The tile is longer than its limit.
  public struct TooLong: Error {}

  /// Width of a tile, in units of its geometry.
  public static let extent = 4096

  /// Name of the layer.
  public static let name = "clusters"

  /// - Parameters:
  ///   - tree: Tree of the clusters.
  ///   - cut: Cut that selects the clusters.
  ///   - aggregates: Names of the aggregates.
  ///   - tile: Address of the tile.
  ///   - limit: Maximum length of the tile in bytes.
  public init(of tree: ClusterTree, for cut: Cut, aggregates: [String], tile: MapTile, limit: Int = .max) {
    (self.tree, self.cut, self.aggregates, zoom, self.limit) = (tree, cut, aggregates, tile.zoom, limit)
    renamedKeys = Array(repeating: [:], count: aggregates.count)
    takenNames = aggregates.isEmpty ? [] : Set(tree.columns.map(\.name) + aggregates)
    for field in Self.fields { _ = key(field.key.rawValue) }
  }

  /// Appends a cluster as a point.
  ///
  /// - Parameters:
  ///   - cluster: The cluster.
  ///   - aggregateValues: A value for each aggregate.
  ///   - position: Position of the cluster, in units east and south of the tile's northwestern corner. Numbers that
  ///     do not fit into 32 bits are clamped.
  /// - Throws: `TooLong`; `CancellationError` if the current work is cancelled.
  public mutating func append(_ cluster: Cluster, _ aggregateValues: [AggregateValue], at position: (x: Int, y: Int))
    throws
  {
    tags.removeAll()
    properties(of: cluster).forEach { property, value in
      guard let value = TileValue(value) else { return }
      // No two clusters have the same id, and few clusters have the same area. So these values are added without a
      // search for an equal value.
      let isUnique = property == .id || property == .area
      tag(key(property), isUnique ? add(value) : self.value(value))
    }
    for (number, value) in aggregateValues.enumerated() { try append(value, ofAggregate: number) }
    if cluster.row != nil {
      FeatureProperties.forEachColumn(tree.attributes(of: cluster), after: aggregates) { name, attribute in
        if let value = TileValue(attribute) { tag(key(name), self.value(value)) }
      }
    }
    feature.removeAll()
    feature.append(number: cluster.id.rawValue, as: 1)
    feature.append(tags.bytes, as: 2)
    feature.append(number: 1, as: 3)  // A point.
    // The geometry of a point consists of one command: a move from the corner of the tile to the point.
    geometry.removeAll()
    geometry.append(varint: 1 << 3 | 1)
    geometry.append(varint: Self.zigzag(position.x))
    geometry.append(varint: Self.zigzag(position.y))
    feature.append(geometry.bytes, as: 4)
    features.append(feature.bytes, as: 2)
    try check()
  }

  private func properties(of cluster: Cluster) -> ClusterProperties {
    var properties = ClusterProperties(
      id: cluster.id.rawValue, pointCount: cluster.pointCount, isStack: cluster.isStack, row: cluster.row)
    properties.badgeDiameter = tree.badgeDiameter(of: cluster, for: cut)
    properties.group = tree.group(of: cluster)
    if let area = tree.plane.coveredArea(of: cluster) {
      properties.area = .init(squareKilometers: area, squarePixels: Plane.coveredPixels(of: cluster, zoom: zoom))
    }
    return properties
  }

  private mutating func tag(_ key: UInt32, _ value: UInt32) {
    tags.append(varint: UInt64(key))
    tags.append(varint: UInt64(value))
  }

  private func check() throws {
    // The limit applies to the size of features, keys and values, plus a few bytes for the rest of the tile.
    if features.count + keys.count + values.count + 256 > limit { throw TooLong() }
    try Cancellation.check()
  }

  /// The encoded tile with this layer; empty if the layer has no features.
  public var bytes: [UInt8] {
    if features.count == 0 { return [] }
    var (layer, tile) = (ProtobufBytes(), ProtobufBytes())
    layer.append(Self.name.utf8, as: 1)
    for part in [features, keys, values] { layer.append(part) }
    layer.append(number: UInt64(Self.extent), as: 5)
    layer.append(number: 2, as: 15)
    tile.append(layer.bytes, as: 3)
    return tile.bytes
  }

  /// Appends the value of an aggregate. Each count becomes a separate property with a key such as `top_kind.hotel`,
  /// because expressions in map styles can use plain numbers only.
  private mutating func append(_ value: AggregateValue, ofAggregate number: Int) throws {
    switch value {
    case .number(let found): tag(key(aggregates[number]), self.value(TileValue(found)))
    case .value(let found): if let value = TileValue(found) { tag(key(aggregates[number]), self.value(value)) }
    case .counts(let counts):
      for (position, count) in counts.enumerated() {
        if position & 0xFF == 0xFF { try check() }
        tag(key(ofCount: count.value.name, aggregate: number), self.value(.uint(UInt64(count.count))))
      }
    }
  }

  /// Returns the index of a count's key. There may be a million counts, so this function must be fast: it finds most
  /// keys by a single table lookup.
  private mutating func key(ofCount value: String, aggregate number: Int) -> UInt32 {
    let usual = "\(aggregates[number]).\(value)"
    if let key = keyIndices[usual], countedBy[Int(key)] == Int32(number) { return key }
    if let key = renamedKeys[number][value] { return key }
    var name = usual
    while takenNames.contains(name) || keyIndices[name] != nil { name += "_" }
    let key = key(name)
    if name == usual { countedBy[Int(key)] = Int32(number) } else { renamedKeys[number][value] = key }
    return key
  }

  @inline(__always) private mutating func key(_ property: ClusterProperty) -> UInt32 {
    Self.fieldIndices[property] ?? key(property.rawValue)
  }

  /// Returns the index of a key. Aggregates and columns never have the same name as a fixed key of clusters.
  private mutating func key(_ name: String) -> UInt32 {
    if let index = keyIndices[name] { return index }
    let index = UInt32(keyIndices.count)
    keyIndices[name] = index
    countedBy.append(nil)
    keys.append(name.utf8, as: 3)
    return index
  }

  private mutating func value(_ value: TileValue) -> UInt32 {
    if let index = valueIndices[value] { return index }
    let index = add(value)
    valueIndices[value] = index
    return index
  }

  private mutating func add(_ value: TileValue) -> UInt32 {
    values.append(value.bytes, as: 4)
    valueCount += 1
    return valueCount - 1
  }

  private static func zigzag(_ number: Int) -> UInt64 {
    let number = Int32(clamping: number)
    return UInt64(UInt32(bitPattern: number << 1 ^ number >> 31))
  }
}

/// A possible value of a feature's property.
private enum TileValue: Hashable {
  case string(String)
  case bool(Bool)
  case uint(UInt64)
  case int(Int64)
  case double(Double)

  /// Makes the tile value of an attribute value; nil for null, which a tile cannot represent. Nested values become JSON
  /// text.
  init?(_ attribute: AttributeValue) {
    switch attribute {
    case .string(let text), .json(let text): self = .string(text)
    case .bool(let bool): self = .bool(bool)
    case .number(let literal):
      if let number = Int64(literal) {
        self = .int(number)
      } else if let number = Double(literal), number.isFinite {
        self = .double(number)
      } else {
        self = .string(literal)
      }
    case .null: return nil
    }
  }

  /// Makes the tile value of a cluster property; nil for a list, which a tile cannot represent.
  init?(_ value: ClusterProperty.Value) {
    switch value {
    case .flag(let flag): self = .bool(flag)
    case .number(let number): self = .uint(number)
    case .decimal(let number): self = .double(number)
    case .text(let text): self = .string(text)
    case .abbreviated(let count): self = .string(BadgeText.abbreviated(count))
    case .ellipse, .lengths, .corners, .numbers: return nil
    }
  }

  /// Makes the tile value of an aggregate's number. A whole number becomes an integer.
  init(_ number: AggregateNumber) { self = Self(.number("\(number)"))! }

  /// The value, encoded for the layer.
  var bytes: [UInt8] {
    var message = ProtobufBytes()
    switch self {
    case .string(let text): message.append(text.utf8, as: 1)
    case .double(let number): message.append(double: number, as: 3)
    // A negative number takes ten bytes, because the format requires this length for this field.
    case .int(let number): message.append(number: UInt64(bitPattern: number), as: 4)
    case .uint(let number): message.append(number: number, as: 5)
    case .bool(let bool): message.append(number: bool ? 1 : 0, as: 7)
    }
    return message.bytes
  }
}
