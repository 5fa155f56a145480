import SwiftProtobuf
import Treeline
@_spi(Server) import TreelineFormats

/// The layer of a vector tile, feature by feature: points with their properties in GeoJSON, but for the box, and the
/// area that the points of a cluster cover.
struct TileLayer {
  private var layer = VectorTile.Layer()
  /// The index of each value that several features may have. As messages they would be slow to compare.
  private var values: [TileValue: UInt32] = [:]

  /// The indices of the keys that clusters have.
  private enum Key: UInt32 { case cluster, id, count, abbreviatedCount, stack, index, area, badge }

  /// The keys that clusters have, in that order, each with its type in TileJSON.
  static let fields: KeyValuePairs = [
    "cluster": "Boolean", "cluster_id": "Number", "point_count": "Number", "point_count_abbreviated": "String",
    "stack": "Boolean", "index": "Number", "area_km2": "Number", "badge_px": "Number",
  ]

  init(name: String, extent: Int) {
    layer.version = 2
    layer.name = name
    layer.extent = UInt32(extent)
    layer.keys = Self.fields.map(\.key)
  }

  mutating func append(_ cluster: Cluster, of tree: ClusterTree, for cut: Cut, at position: (x: Int, y: Int)) {
    var feature = VectorTile.Feature()
    feature.id = cluster.id.rawValue
    feature.type = 1  // A point.
    // A single move, from the tile's corner.
    feature.geometry = [1 << 3 | 1, Self.zigzag(position.x), Self.zigzag(position.y)]
    let isCluster = cluster.pointCount > 1
    var tags: [UInt32] = []
    tags.reserveCapacity(16)
    tags += [Key.cluster.rawValue, value(.bool(isCluster))]
    // No two features share an id.
    tags += [Key.id.rawValue, add(.uint(cluster.id.rawValue))]
    tags += [Key.count.rawValue, value(.uint(UInt64(cluster.pointCount)))]
    if isCluster {
      tags += [Key.abbreviatedCount.rawValue, value(.string(BadgeText.abbreviated(cluster.pointCount)))]
    }
    if let area = tree.plane.coveredArea(of: cluster) {
      tags += [Key.area.rawValue, add(.double(area))]
    }
    if let diameter = tree.badgeDiameter(of: cluster, for: cut) {
      tags += [Key.badge.rawValue, value(.double(diameter))]
    }
    if cluster.isStack { tags += [Key.stack.rawValue, value(.bool(true))] }
    if let row = cluster.row {
      tags += [Key.index.rawValue, value(.uint(UInt64(row)))]
      FeatureProperties.forEachColumn(tree.attributes(of: cluster)) { name, attribute in
        if let value = TileValue(attribute) { tags += [key(ofColumn: name), self.value(value)] }
      }
    }
    feature.tags = tags
    layer.features.append(feature)
  }

  /// A tile of this layer; nothing at all where it has no feature.
  var bytes: [UInt8] {
    get throws {
      if layer.features.isEmpty { return [] }
      var tile = VectorTile()
      tile.layers = [layer]
      return try tile.serializedBytes()
    }
  }

  /// No column has the name of a key of clusters.
  private mutating func key(ofColumn name: String) -> UInt32 {
    if let index = layer.keys.firstIndex(of: name) { return UInt32(index) }
    layer.keys.append(name)
    return UInt32(layer.keys.count - 1)
  }

  private mutating func value(_ value: TileValue) -> UInt32 {
    if let index = values[value] { return index }
    let index = add(value)
    values[value] = index
    return index
  }

  private mutating func add(_ value: TileValue) -> UInt32 {
    layer.values.append(value.message)
    return UInt32(layer.values.count - 1)
  }

  private static func zigzag(_ number: Int) -> UInt32 { UInt32(bitPattern: Int32(number) << 1 ^ Int32(number) >> 31) }
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

  var message: VectorTile.Value {
    var message = VectorTile.Value()
    switch self {
    case .string(let text): message.stringValue = text
    case .bool(let bool): message.boolValue = bool
    case .uint(let number): message.uintValue = number
    case .int(let number): message.intValue = number
    case .double(let number): message.doubleValue = number
    }
    return message
  }
}
