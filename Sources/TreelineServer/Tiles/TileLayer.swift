import SwiftProtobuf
import Treeline
@_spi(Server) import TreelineFormats

/// The layer of a vector tile, feature by feature: points with their properties in GeoJSON, but for the box, and the
/// area that the points of a cluster cover.
struct TileLayer {
  private var layer = VectorTile.Layer()
  /// The index of each value that several features may have. As messages they would be slow to compare.
  private var values: [TileValue: UInt32] = [:]
  private let tree: ClusterTree
  private let cut: Cut
  private let aggregates: [String]
  /// The indices of the keys of counts, for each aggregate by value.
  private var countKeys: [[String: UInt32]]
  /// Names that no count may have.
  private var takenNames: Set<String>

  /// The indices of the keys that clusters have.
  private enum Key: UInt32 { case cluster, id, count, abbreviatedCount, stack, index, area, badge }

  /// The keys that clusters have, in that order, each with its type in TileJSON.
  static let fields: KeyValuePairs = [
    "cluster": "Boolean", "cluster_id": "Number", "point_count": "Number", "point_count_abbreviated": "String",
    "stack": "Boolean", "index": "Number", "area_km2": "Number", "badge_px": "Number",
  ]

  /// The key of a cluster's group, in an index of groups that never mix.
  static let group = "cluster_group"

  /// - Parameters:
  ///   - name: Of the layer.
  ///   - extent: How many units a tile is wide.
  ///   - tree: That clusters are of.
  ///   - cut: That they are of.
  ///   - aggregates: The names of what is told of their values.
  init(name: String, extent: Int, of tree: ClusterTree, for cut: Cut, aggregates: [String]) {
    (self.tree, self.cut, self.aggregates) = (tree, cut, aggregates)
    countKeys = Array(repeating: [:], count: aggregates.count)
    takenNames = aggregates.isEmpty ? [] : Set(tree.attributeNames + aggregates)
    layer.version = 2
    layer.name = name
    layer.extent = UInt32(extent)
    layer.keys = Self.fields.map(\.key)
  }

  mutating func append(_ cluster: Cluster, _ aggregateValues: [AggregateValue], at position: (x: Int, y: Int)) {
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
    // Last of the keys, so that tiles without groups have none of it.
    if let group = tree.group(of: cluster) { tags += [key(Self.group), value(.string(group))] }
    if cluster.isStack { tags += [Key.stack.rawValue, value(.bool(true))] }
    for (number, value) in aggregateValues.enumerated() { append(value, ofAggregate: number, to: &tags) }
    if let row = cluster.row {
      tags += [Key.index.rawValue, value(.uint(UInt64(row)))]
      FeatureProperties.forEachColumn(tree.attributes(of: cluster), after: aggregates) { name, attribute in
        if let value = TileValue(attribute) { tags += [key(name), self.value(value)] }
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

  /// Counts are flat, each with a key such as `top_kind.hotel`: expressions of map styles look at numbers.
  private mutating func append(_ value: AggregateValue, ofAggregate number: Int, to tags: inout [UInt32]) {
    switch value {
    case .number(let found): tags += [key(aggregates[number]), self.value(TileValue(found))]
    case .value(let found): if let value = TileValue(found) { tags += [key(aggregates[number]), self.value(value)] }
    case .counts(let counts):
      for count in counts {
        tags += [key(ofCount: count.value.name, aggregate: number), self.value(.uint(UInt64(count.count)))]
      }
    }
  }

  private mutating func key(ofCount value: String, aggregate number: Int) -> UInt32 {
    if let key = countKeys[number][value] { return key }
    var name = "\(aggregates[number]).\(value)"
    while !takenNames.insert(name).inserted { name += "_" }
    let key = key(name)
    countKeys[number][value] = key
    return key
  }

  /// No aggregate and no column has the name of a key of clusters.
  private mutating func key(_ name: String) -> UInt32 {
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

  /// A whole number as such, if it has one.
  init(_ number: AggregateNumber) { self = Self(.number("\(number)"))! }

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
