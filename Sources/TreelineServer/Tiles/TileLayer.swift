import Treeline
import TreelineFormats

/// The layer of a vector tile (Mapbox Vector Tile Specification 2.1), feature by feature: points with the properties
/// that they have in GeoJSON, but for the box.
///
/// Keys and values stand in it once, and features name them by their indices.
struct TileLayer {
  private let name: String
  private let extent: Int
  private var features = ProtobufBytes()
  private var keys = Self.clusterKeys
  private var values: [ProtobufBytes] = []
  private var valueIndices: [TileValue: UInt32] = [:]
  /// The values of a number of points: itself, and as it is written on a badge where there is one.
  private var countIndices: [Int: (count: UInt32, abbreviated: UInt32)] = [:]
  private var columnIndices: [String: UInt32] = [:]

  /// The indices of the keys that clusters have.
  private enum Key: UInt32 {
    case cluster, id, count, abbreviatedCount, stack, index
  }

  private static let clusterKeys = [
    "cluster", "cluster_id", "point_count", "point_count_abbreviated", "stack", "index",
  ]

  /// The numbers of fields in the specification's vector_tile.proto.
  private enum Field {
    static let layer: UInt64 = 3

    // Of a layer:
    static let name: UInt64 = 1
    static let feature: UInt64 = 2
    static let key: UInt64 = 3
    static let value: UInt64 = 4
    static let extent: UInt64 = 5
    static let version: UInt64 = 15

    // Of a feature:
    static let id: UInt64 = 1
    static let tags: UInt64 = 2
    static let type: UInt64 = 3
    static let geometry: UInt64 = 4
  }

  init(name: String, extent: Int) {
    self.name = name
    self.extent = extent
  }

  mutating func append(_ cluster: Cluster, of tree: ClusterTree, at position: (x: Int, y: Int)) {
    let isCluster = cluster.pointCount > 1
    let count = indices(ofCount: cluster.pointCount)
    var tags: [UInt32] = []
    tags.reserveCapacity(12)
    tags += [Key.cluster.rawValue, index(of: .bool(isCluster))]
    // No two features share an id, so it is not looked up.
    tags += [Key.id.rawValue, add(.uint(cluster.id.rawValue))]
    tags += [Key.count.rawValue, count.count]
    if isCluster { tags += [Key.abbreviatedCount.rawValue, count.abbreviated] }
    if cluster.isStack { tags += [Key.stack.rawValue, index(of: .bool(true))] }
    if let row = cluster.index {
      tags += [Key.index.rawValue, index(of: .uint(UInt64(row)))]
      FeatureProperties.forEachColumn(tree.attributes(at: cluster.range.lowerBound)) { name, attribute in
        if let value = TileValue(attribute) { tags += [index(ofColumn: name), index(of: value)] }
      }
    }
    var feature = ProtobufBytes()
    feature.append(cluster.id.rawValue, to: Field.id)
    feature.append(packed: tags, to: Field.tags)
    let point: UInt64 = 1
    feature.append(point, to: Field.type)
    // One command, to move by so much from the tile's corner.
    feature.append(
      packed: [1 << 3 | 1, Self.zigzag(position.x), Self.zigzag(position.y)], to: Field.geometry)
    features.append(feature.bytes, to: Field.feature)
  }

  /// A tile of this layer; nothing at all where it has no feature.
  var bytes: [UInt8] {
    if features.bytes.isEmpty { return [] }
    var head = ProtobufBytes()
    head.append(name.utf8, to: Field.name)
    var rest = ProtobufBytes()
    for key in keys { rest.append(key.utf8, to: Field.key) }
    for value in values { rest.append(value.bytes, to: Field.value) }
    rest.append(UInt64(extent), to: Field.extent)
    rest.append(2, to: Field.version)
    var tile = ProtobufBytes()
    tile.append(head.bytes + features.bytes + rest.bytes, to: Field.layer)
    return tile.bytes
  }

  /// Columns are never called as the keys of clusters are.
  private mutating func index(ofColumn name: String) -> UInt32 {
    if let index = columnIndices[name] { return index }
    let index = UInt32(keys.count)
    keys.append(name)
    columnIndices[name] = index
    return index
  }

  private mutating func indices(ofCount count: Int) -> (count: UInt32, abbreviated: UInt32) {
    if let indices = countIndices[count] { return indices }
    let number = index(of: .uint(UInt64(count)))
    let indices = (number, count > 1 ? index(of: .string(BadgeText.abbreviated(count))) : number)
    countIndices[count] = indices
    return indices
  }

  private mutating func index(of value: TileValue) -> UInt32 {
    if let index = valueIndices[value] { return index }
    let index = add(value)
    valueIndices[value] = index
    return index
  }

  private mutating func add(_ value: TileValue) -> UInt32 {
    values.append(value.message)
    return UInt32(values.count - 1)
  }

  private static func zigzag(_ number: Int) -> UInt32 {
    UInt32(bitPattern: Int32(number) << 1 ^ Int32(number) >> 31)
  }
}

/// What a property of a feature may be.
private enum TileValue: Hashable {
  case string(String)
  case bool(Bool)
  case uint(UInt64)
  case int(Int64)
  case double(Double)

  /// nil for null, which a tile has no value for; what is nested is told as JSON.
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

  /// By the field that the specification has for each type.
  var message: ProtobufBytes {
    var message = ProtobufBytes()
    switch self {
    case .string(let text): message.append(text.utf8, to: 1)
    case .double(let number): message.append(double: number, to: 3)
    case .int(let number): message.append(UInt64(bitPattern: number), to: 4)
    case .uint(let number): message.append(number, to: 5)
    case .bool(let bool): message.append(bool ? 1 : 0, to: 7)
    }
    return message
  }
}
