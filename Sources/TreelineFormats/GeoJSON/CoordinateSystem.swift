/// Reads the coordinate system that an input names. GeoJSON has the name in the member `crs`, although RFC 7946
/// removed this member. Esri's JSON has the name in the member `spatialReference`.
enum CoordinateSystem {
  static let expected = "longitudes and latitudes of WGS 84"
  static let remedy = "convert the coordinates with ogr2ogr -t_srs EPSG:4326"

  /// Names of systems in degrees: WGS 84, ETRS89 and NAD83. Their datums differ by less than a map can show. GeoJSON
  /// has the longitude first by convention, even if the system has the latitude first.
  private static let names: Set = ["CRS84", "CRS84H", "CRS83", "4326", "4979", "4258", "4269", "WGS84", "WGS 84"]

  static let esriRemedy = "request the data with outSR=4326, or as GeoJSON with f=geojson"

  /// Returns the system that a value of `spatialReference` names; nil if coordinates in this system are longitudes and
  /// latitudes. The syntax of the value has been checked.
  static func foreign(esri value: Bytes) -> String? {
    guard value.first == Byte.openBrace else { return value.first == UInt8(ascii: "n") ? nil : visible(value) }
    var ids: [String] = []
    var scanner = JSONScanner(value, isFinal: true)
    try? scanner.scanObject { (scanner: inout JSONScanner, member: JSONString) throws(JSONStop) in
      let start = scanner.position
      try scanner.skipValue(depth: 0)
      if ["wkid", "latestWkid"].contains(member.text(of: value)) {
        ids.append(String(decoding: value[start..<scanner.position], as: UTF8.self))
      }
    }
    guard let id = ids.first else { return visible(value) }
    return names.isDisjoint(with: ids) ? visible(id) : nil
  }

  /// Returns the system that a value of `crs` names; nil if coordinates in this system are longitudes and latitudes.
  /// The syntax of the value has been checked.
  static func foreign(_ value: Bytes) -> String? {
    // In all versions of GeoJSON, a crs is an object or a string.
    guard value.first == Byte.openBrace else { return value.first == Byte.quote ? visible(value) : nil }
    var name: String?
    var scanner = JSONScanner(value, isFinal: true)
    try? scanner.scanObject { (scanner: inout JSONScanner, member: JSONString) throws(JSONStop) in
      guard member.matches("properties", in: value), try scanner.peek("a value") == Byte.openBrace else {
        return try scanner.skipValue(depth: 0)
      }
      try scanner.scanObject { (scanner: inout JSONScanner, member: JSONString) throws(JSONStop) in
        let start = scanner.position
        try scanner.skipValue(depth: 0)
        guard ["name", "code", "href"].contains(member.text(of: value)) else { return }
        let isText = value[start] == Byte.quote
        name =
          isText
          ? JSONString(start: start + 1, end: scanner.position - 1, hasEscapes: true).text(of: value)
          : String(decoding: value[start..<scanner.position], as: UTF8.self)
      }
    }
    guard let name else { return visible(value) }
    let last = name.uppercased().split { ":/#=".contains($0) }.last.map(String.init) ?? ""
    return names.contains(last) ? nil : "\"\(visible(name))\""
  }
}
