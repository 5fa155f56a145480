import SwiftProtobuf
import Treeline
import TreelineFormats

/// The layer of a vector tile, feature by feature: points with the properties that they have in GeoJSON, but for the box.
struct TileLayer {
  private var layer = VectorTile.Layer()
  private var keys: [String: UInt32] = [:]
  private var values: [VectorTile.Value: UInt32] = [:]

  init(name: String, extent: Int) {
    layer.version = 2
    layer.name = name
    layer.extent = UInt32(extent)
  }

  mutating func append(_ cluster: Cluster, of tree: ClusterTree, at position: (x: Int, y: Int)) {
    var feature = VectorTile.Feature()
    feature.id = cluster.id.rawValue
    feature.type = .point
    // Move to one place, given from the tile's corner.
    feature.geometry = [1 << 3 | 1, Self.zigzag(position.x), Self.zigzag(position.y)]
    var tags: [UInt32] = []
    tags.reserveCapacity(8)
    tags += [key("cluster"), value(.with { $0.boolValue = cluster.pointCount > 1 })]
    // No two features share an id.
    layer.values.append(.with { $0.uintValue = cluster.id.rawValue })
    tags += [key("cluster_id"), UInt32(layer.values.count - 1)]
    tags += [key("point_count"), value(.with { $0.uintValue = UInt64(cluster.pointCount) })]
    if cluster.pointCount > 1 {
      tags += [
        key("point_count_abbreviated"),
        value(.with { $0.stringValue = BadgeText.abbreviated(cluster.pointCount) }),
      ]
    }
    if cluster.isStack { tags += [key("stack"), value(.with { $0.boolValue = true })] }
    if let index = cluster.index {
      tags += [key("index"), value(.with { $0.uintValue = UInt64(index) })]
      FeatureProperties.forEachColumn(tree.attributes(at: cluster.range.lowerBound)) { name, attribute in
        if let value = VectorTile.Value(attribute) { tags += [key(name), self.value(value)] }
      }
    }
    feature.tags = tags
    layer.features.append(feature)
  }

  /// A tile of this layer; nothing at all where it has no feature.
  var bytes: [UInt8] {
    get throws {
      if layer.features.isEmpty { return [] }
      return try VectorTile.with { $0.layers = [layer] }.serializedBytes()
    }
  }

  private mutating func key(_ name: String) -> UInt32 {
    if let place = keys[name] { return place }
    let place = UInt32(layer.keys.count)
    layer.keys.append(name)
    keys[name] = place
    return place
  }

  private mutating func value(_ value: VectorTile.Value) -> UInt32 {
    if let place = values[value] { return place }
    let place = UInt32(layer.values.count)
    layer.values.append(value)
    values[value] = place
    return place
  }

  private static func zigzag(_ number: Int) -> UInt32 {
    UInt32(bitPattern: Int32(number) << 1 ^ Int32(number) >> 31)
  }
}

extension VectorTile.Value {
  /// nil for null, which a tile has no value for; what is nested is told as JSON.
  fileprivate init?(_ attribute: AttributeValue) {
    self.init()
    switch attribute {
    case .string(let text), .json(let text): stringValue = text
    case .bool(let bool): boolValue = bool
    case .number(let literal):
      if let number = Int64(literal) {
        intValue = number
      } else if let number = Double(literal), number.isFinite {
        doubleValue = number
      } else {
        stringValue = literal
      }
    case .null: return nil
    }
  }
}
