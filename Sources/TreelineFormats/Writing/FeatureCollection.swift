import Treeline

/// Writes clusters as GeoJSON (RFC 7946) with the property names of supercluster, which map clients know.
public struct FeatureCollectionWriter {
  let format: CoordinateFormat

  public init(plane: Plane) {
    format = CoordinateFormat(of: plane)
  }

  /// Writes a FeatureCollection of Points, one feature a line, in pieces: an answer may be far larger than what it is
  /// made of, and no more than one feature is held beyond a piece.
  public func write(_ features: some Sequence<ClusterFeature>, to write: (String) throws -> Void) rethrows {
    var text = "{\"type\":\"FeatureCollection\",\"features\":["
    var isFirst = true
    for feature in features {
      text += isFirst ? "\n" : ",\n"
      isFirst = false
      append(feature, to: &text)
      if text.utf8.count >= Self.pieceSize {
        try write(text)
        text = ""
      }
    }
    try write(text + "\n]}\n")
  }

  private static let pieceSize = 1 << 16

  /// One Feature.
  public func append(_ feature: ClusterFeature, to text: inout String) {
    text += "{\"type\":\"Feature\","
    if let id = feature.featureID {
      text += "\"id\":"
      text.appendJSON(id)
      text += ","
    }
    text += "\"bbox\":["
    append([feature.bounds.west, feature.bounds.south, feature.bounds.east, feature.bounds.north], to: &text)
    text += "],\"geometry\":{\"type\":\"Point\",\"coordinates\":["
    append([feature.coordinate.longitude, feature.coordinate.latitude], to: &text)
    text += "]},\"properties\":{\"cluster\":\(feature.pointCount > 1)"
    text += ",\"cluster_id\":\(feature.id),\"point_count\":\(feature.pointCount)"
    if let index = feature.shownIndex { text += ",\"shown_index\":\(index)" }
    if let index = feature.index { text += ",\"index\":\(index)" }
    if let members = feature.members {
      text += ",\"members\":[" + members.map(String.init).joined(separator: ",") + "]"
    }
    append(columns: feature.columns, to: &text)
    text += "}}"
  }

  private func append(_ numbers: [Double], to text: inout String) {
    for (index, number) in numbers.enumerated() {
      if index > 0 { text += "," }
      format.append(number, to: &text)
    }
  }

  /// Columns follow the properties above; one that shares a name with them, or with a column before it, gets a low line
  /// at its end, so that no value hides another.
  private func append(columns: [(name: String, value: AttributeValue)], to text: inout String) {
    var taken = Self.ownProperties
    // How many low lines the last column of a name has: a damaged index may have a thousand of one.
    var lines: [String: Int] = [:]
    for column in columns {
      var name = column.name
      while !taken.insert(name).inserted {
        lines[column.name, default: 0] += 1
        name = column.name + String(repeating: "_", count: lines[column.name]!)
      }
      text += ","
      text.appendJSON(name)
      text += ":"
      text.appendJSON(column.value)
    }
  }

  private static let ownProperties: Set<String> = [
    "cluster", "cluster_id", "point_count", "shown_index", "index", "members",
  ]
}
