/// Where the parts of a Feature lie in the scanned bytes; `nil` is absent. Of members that repeat, the last counts.
struct FeatureScan {
  var value: Range<Int> = 0..<0
  var id: Range<Int>?
  var type: Range<Int>?
  var geometry: Range<Int>?
  var geometryType: Range<Int>?
  var coordinates: Range<Int>?
  var properties: Range<Int>?
}

extension JSONScanner {
  /// One element of `features` or one record of a sequence: any value, though only a Feature has parts.
  mutating func scanFeature() throws(JSONStop) -> FeatureScan {
    var feature = FeatureScan()
    let start = position
    guard try peek("a Feature") == Byte.openBrace else {
      try skipValue(depth: 0)
      feature.value = start..<position
      return feature
    }
    try scanObject { (scanner: inout JSONScanner, name: JSONString) throws(JSONStop) in
      let start = scanner.position
      if name.matches("geometry", in: scanner.bytes) {
        try scanner.scanGeometry(into: &feature)
        feature.geometry = start..<scanner.position
        return
      }
      try scanner.skipValue(depth: 1)
      if name.matches("properties", in: scanner.bytes) {
        feature.properties = start..<scanner.position
      } else if name.matches("type", in: scanner.bytes) {
        feature.type = start..<scanner.position
      } else if name.matches("id", in: scanner.bytes) {
        feature.id = start..<scanner.position
      }
    }
    feature.value = start..<position
    return feature
  }

  private mutating func scanGeometry(into feature: inout FeatureScan) throws(JSONStop) {
    feature.geometryType = nil
    feature.coordinates = nil
    guard try peek("a geometry") == Byte.openBrace else { return try skipValue(depth: 1) }
    try scanObject { (scanner: inout JSONScanner, name: JSONString) throws(JSONStop) in
      let start = scanner.position
      try scanner.skipValue(depth: 2)
      if name.matches("coordinates", in: scanner.bytes) {
        feature.coordinates = start..<scanner.position
      } else if name.matches("type", in: scanner.bytes) {
        feature.geometryType = start..<scanner.position
      }
    }
  }
}
