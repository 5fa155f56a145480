import Treeline

/// Writes clusters as GeoJSON (RFC 7946) with the property names of supercluster, which map clients know.
public struct FeatureCollectionWriter {
  let format: CoordinateFormat

  public init(plane: Plane) {
    format = CoordinateFormat(of: plane)
  }

  /// A FeatureCollection of Points, one feature a line.
  public func text(_ features: [ClusterFeature]) -> String {
    var text = "{\"type\":\"FeatureCollection\",\"features\":["
    for (index, feature) in features.enumerated() {
      text += index == 0 ? "\n" : ",\n"
      append(feature, to: &text)
    }
    text += "\n]}\n"
    return text
  }

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
    for column in columns {
      var name = column.name
      while !taken.insert(name).inserted { name += "_" }
      text += ","
      text.appendJSON(name)
      text += ":"
      text.appendJSON(column.value)
    }
  }

  private static let ownProperties: Set<String> = [
    "cluster", "cluster_id", "point_count", "index", "members",
  ]
}
