import Testing

@testable import TreelineFormats

/// Checks that the outcome of reading does not depend on the size of the chunks in which an input arrives.
@Suite struct ChunkBoundaryExhaustiveTests {
  static let inputs: [String] = [
    "\u{FEFF}name,lon,lat\r\n\"a, \"\"b\"\"\r\nc\",1.5,-2\r\n\r\n\r\"\",\"3\",é4\r\nd,+5.25e0,6\n\"\"\"\",7,8",
    "1\t2\n3\t4\r5\t6\r\n\n",
    "# a, \"b\r\n\r\nsep=|\r\n#n|lon|lat\r\n1|2|3\n#|4|5", "#a,b\n\n\"1\",2\n3,4\n",
    "lon,lat\n1,2\n\"3,4\n", "lon;lat\n1;2\n95;95\n1;2;3\n\"1\"x;2\n",
    "lon;lat;a\r\n2,35;48,85;1,5\r\n\"-2,5\";91,5;\r\n48.85;2,35;x", "2,35;48,85\r3;4\r\n",
    "name,geom\n\"a\nb\",\"POINT (2.35 48.85)\"\r\nc,SRID=4326;POINT Z(1 2 3)\nd,point empty\ne,SRID=3857;POINT(1 2)\n"
      + "f,\"LINESTRING (1 2,3 4)\"\ng,0101000020E6100000\nh,POINT (95 1)\ni,POINT (1 95)",
    "{\"a\":[1,-2.5e+3,true],\r\n\"features\" : [\r\n{\"type\":\"Feature\",\"id\":-1.5e2,"
      + "\"geometry\":{\"type\":\"Point\",\"coordinates\":[1.25, -3]},\"properties\":{\"\\u00e9\":\"\\\"é\"}}\r,"
      + "\r\n null ] ,\"type\":\"FeatureCollection\"}\r\n",
    "\u{1E}{\"type\":\"Feature\",\"geometry\":null}\r\n\u{1E}{\"type\":\"Feature\",\"geometry\":{\"coordinates\":[1,2],"
      + "\"type\":\"Point\"},\"properties\":{\"a\":{}},\"id\":\"\\u00e9}\"}\r\n\r\n\r{\"type\":\"Feature\","
      + "\"geometry\":{\"type\":\"Po\\u0069nt\",\"coordinates\":[1,2]}}",
    "{\"type\":\"Feature\"}\r\n\r{\"type\":\"Feature\"}\n{\"a\":\"\\u12",
    "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\"} {",
    "n,location\r\n\r\n1,\"(48.5, 2.5)\"\r2,\"48°51'0\"\"N 2°21'W\"\n3,4 95\n", "gps\n48.5, 2.5\r\n\"4\n5\"\n",
    "lat|lon|v\n48°30'N|-2 30 0|1.234,5\n48°30'|2°30'O|+5\n",
    "lon\tlat\ta\r\n1\t2\t\"b\r\n\"3\"\t4\t\"\"\"c\"\"\"\n5\t6\t\"d\"e\n\"7\t8\"\t\"\n9\t1\t\"\"",
    "{\"type\":\"FeatureCollection\",\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:3857\"}},\"features\":[]}",
    "{\"type\":\"Feature\"}\r\n{\"type\":NaN}\r\n{\"crs\":{\"properties\":{\"name\":\"EPSG:31370\"}},\"type\":\"Feature\","
      + "\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]}}\n{\"a",
    "{\"a\":NaN}\r\n\r\n{'b'}\n{\"type\":\"Feature\",\"geometry\":{\n{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\","
      + "\"coordinates\":[1,2]}}\n",
    "{\"type\":\"FeatureCollection\",\"features\":[\r\n{\"a\":NaN},\r\n{\"b\":NaN}\r\n , {\"type\":\"Feature\",\"geometry\":"
      + "{\"type\":\"Point\",\"coordinates\":[1,2]}}\n,{NaN}\n] }",
    "{\"geometryType\":\"esriGeometryPoint\",\"spatialReference\":{\"wkid\":4326},\"features\":[{\"attributes\":{\"n\":1},"
      + "\"geometry\":{\"x\":1.5,\"y\":2}},\n{\"geometry\":{\"x\":1},\"attributes\":null}],\"exceededTransferLimit\":true}",
    "{\"features\":[{\"attributes\":{},\"geometry\":{\"x\":1,\"y\":2}}],\"spatialReference\":{\"wkid\":3857}}",
  ]

  @Test(arguments: inputs) func everyChunkSize(_ text: String) {
    let bytes = Array(text.utf8)
    for options in [
      ReadingOptions(skipsInvalid: true, keepsColumns: true), ReadingOptions(),
      ReadingOptions(skipsInvalid: true, keepsColumns: true, decimal: .comma),
    ] {
      let expected = outcome(bytes, options)
      for chunk in 1...bytes.count {
        #expect(outcome(bytes, options, limits: ReadingLimits(chunk: chunk)) == expected, "chunk \(chunk)")
      }
    }
  }

  /// Truncates an input at every byte. Checks that the outcome is the same as a whole and in chunks.
  @Test(arguments: inputs) func everyPrefix(_ text: String) {
    let bytes = Array(text.utf8)
    let options = ReadingOptions(skipsInvalid: true, keepsColumns: true)
    for count in 0...bytes.count {
      let prefix = Array(bytes[..<count])
      let expected = outcome(prefix, options)
      for chunk in [1, 2, 3, 7] {
        #expect(outcome(prefix, options, limits: ReadingLimits(chunk: chunk)) == expected, "\(count), chunk \(chunk)")
      }
    }
  }
}
