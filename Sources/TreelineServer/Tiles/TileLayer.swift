import SwiftProtobuf
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

/// The layer of a vector tile, built feature by feature. Features are points with the properties that they have in
/// GeoJSON, except the bounding box; clusters also have the area that their points cover.
struct TileLayer {
  private let name: String
  private let extent: Int
  /// Encoded members of the layer, whose size is known while they are written, so that a long answer ends early.
  private var (features, keys, values) = (ProtobufBytes(), ProtobufBytes(), ProtobufBytes())
  /// Indices of keys, and of the values that several features may share.
  private var keyIndices: [String: UInt32] = [:]
  private var valueIndices: [TileValue: UInt32] = [:]
  private var valueCount: UInt32 = 0
  private let tree: ClusterTree
  private let cut: Cut
  private let aggregates: [String]
  /// For each key, the index of the aggregate whose count it names; nil for other keys, and for counts with another
  /// name than usual.
  private var countedBy: [Int32?] = []
  /// For each aggregate, the key indices of the counts whose usual names were taken, by value.
  private var renamedKeys: [[String: UInt32]]
  /// Names that no count may have.
  private let takenNames: Set<String>

  /// Indices of the keys that clusters have.
  private enum Key: UInt32 { case cluster, id, count, abbreviatedCount, stack, index, area, badge }

  /// Keys that clusters have, in the order of `Key`, each with its type in TileJSON.
  static let fields: KeyValuePairs = [
    "cluster": "Boolean", "cluster_id": "Number", "point_count": "Number", "point_count_abbreviated": "String",
    "stack": "Boolean", "index": "Number", "area_km2": "Number", "badge_px": "Number",
  ]

  /// Key of a cluster's group, in an index with groups that never mix.
  static let group = "cluster_group"

  /// - Parameters:
  ///   - name: Name of the layer.
  ///   - extent: Width of a tile, in units.
  ///   - tree: Tree of the clusters.
  ///   - cut: Cut that selects the clusters.
  ///   - aggregates: Names of the aggregates.
  init(name: String, extent: Int, of tree: ClusterTree, for cut: Cut, aggregates: [String]) {
    (self.name, self.extent, self.tree, self.cut, self.aggregates) = (name, extent, tree, cut, aggregates)
    renamedKeys = Array(repeating: [:], count: aggregates.count)
    takenNames = aggregates.isEmpty ? [] : Set(tree.attributeNames + aggregates)
    for field in Self.fields { _ = key(field.key) }
  }

  /// - Throws: `Problem.answerTooLong`, `CancellationError`
  mutating func append(_ cluster: Cluster, _ aggregateValues: [AggregateValue], at position: (x: Int, y: Int)) throws {
    var feature = VectorTile.Feature()
    feature.id = cluster.id.rawValue
    feature.type = 1  // A point.
    // A single move from the corner of the tile.
    feature.geometry = [1 << 3 | 1, Self.zigzag(position.x), Self.zigzag(position.y)]
    let isCluster = cluster.pointCount > 1
    var tags: [UInt32] = []
    tags.reserveCapacity(16)
    tags += [Key.cluster.rawValue, value(.bool(isCluster))]
    // The id is unique, so looking for an equal value is useless.
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
    // Added behind the fixed keys, so that tiles without groups do not have this key.
    if let group = tree.group(of: cluster) { tags += [key(Self.group), value(.string(group))] }
    if cluster.isStack { tags += [Key.stack.rawValue, value(.bool(true))] }
    for (number, value) in aggregateValues.enumerated() { try append(value, ofAggregate: number, to: &tags) }
    if let row = cluster.row {
      tags += [Key.index.rawValue, value(.uint(UInt64(row)))]
      FeatureProperties.forEachColumn(tree.attributes(of: cluster), after: aggregates) { name, attribute in
        if let value = TileValue(attribute) { tags += [key(name), self.value(value)] }
      }
    }
    feature.tags = tags
    features.append(try feature.serializedBytes() as [UInt8], as: 2)
    try check()
  }

  private func check() throws {
    // Features, keys and values, plus a few bytes for the rest.
    if features.count + keys.count + values.count + 256 > Problem.longestAnswer { throw Problem.answerTooLong }
    try Cancellation.check()
  }

  /// The encoded tile with this layer; empty if the layer has no features.
  var bytes: [UInt8] {
    if features.count == 0 { return [] }
    var (layer, tile) = (ProtobufBytes(), ProtobufBytes())
    layer.append(name.utf8, as: 1)
    for part in [features, keys, values] { layer.append(part) }
    layer.append(number: extent, as: 5)
    layer.append(number: 2, as: 15)
    tile.append(layer.bytes, as: 3)
    return tile.bytes
  }

  /// Appends the value of an aggregate. Counts become flat properties, each with a key such as `top_kind.hotel`,
  /// because expressions of map styles use plain numbers.
  private mutating func append(_ value: AggregateValue, ofAggregate number: Int, to tags: inout [UInt32]) throws {
    switch value {
    case .number(let found): tags += [key(aggregates[number]), self.value(TileValue(found))]
    case .value(let found): if let value = TileValue(found) { tags += [key(aggregates[number]), self.value(value)] }
    case .counts(let counts):
      for (position, count) in counts.enumerated() {
        if position & 0xFF == 0xFF { try check() }
        tags += [key(ofCount: count.value.name, aggregate: number), self.value(.uint(UInt64(count.count)))]
      }
    }
  }

  /// Returns the index of a count's key. There may be a million counts, so the usual case needs one table lookup.
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

  /// Returns the index of a key. No aggregate and no column has the name of a key of clusters.
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

  private static func zigzag(_ number: Int) -> UInt32 { UInt32(bitPattern: Int32(number) << 1 ^ Int32(number) >> 31) }
}

/// A possible value of a feature's property.
private enum TileValue: Hashable {
  case string(String)
  case bool(Bool)
  case uint(UInt64)
  case int(Int64)
  case double(Double)

  /// Fails for null, which a tile cannot represent. Nested values become JSON text.
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

  /// Stores a whole number as an integer.
  init(_ number: AggregateNumber) { self = Self(.number("\(number)"))! }

  /// The value, encoded for the layer.
  var bytes: [UInt8] {
    var message = VectorTile.Value()
    switch self {
    case .string(let text): message.stringValue = text
    case .bool(let bool): message.boolValue = bool
    case .uint(let number): message.uintValue = number
    case .int(let number): message.intValue = number
    case .double(let number): message.doubleValue = number
    }
    return try! message.serializedBytes()  // The message has no required members, and encoding cannot fail.
  }
}

/// Encoded members of a Protocol Buffers message, one after another.
private struct ProtobufBytes {
  private(set) var bytes: [UInt8] = []
  var count: Int { bytes.count }

  mutating func append(_ other: ProtobufBytes) { bytes += other.bytes }

  /// Appends a string or an encoded message.
  mutating func append(_ content: some Collection<UInt8>, as field: Int) {
    append(varint: field << 3 | 2)
    append(varint: content.count)
    bytes += content
  }

  mutating func append(number: Int, as field: Int) {
    append(varint: field << 3)
    append(varint: number)
  }

  private mutating func append(varint number: Int) {
    var rest = UInt64(number)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
