import Foundation
import PointSets
import TestSupport
import Testing
import Treeline
import TreelineBuilder

@_spi(Server) @testable import TreelineFormats

@Suite struct FeatureWritingTests {
  /// Writes every character below 128, alone and between others, and reads it back with another library.
  @Test func literalsAreReadAsTheyWereWritten() throws {
    for byte in UInt8(0)..<128 {
      let character = String(UnicodeScalar(byte))
      for string in [character, "é\(character)\(character)z", "\u{1F600}" + character] {
        var bytes = OutputBytes()
        bytes.append("[")
        bytes.append(json: string)
        bytes.append("]")
        let read = try JSONSerialization.jsonObject(with: Data(bytes.text.utf8)) as? [String]
        #expect(read == [string], "\(byte)")
      }
    }
  }

  /// A damaged index may have a thousand columns with the same name. In an old version, the time to write a feature
  /// grew with the square of this number.
  @Test func columnsOfOneNameHideNothing() throws {
    let names = [String](repeating: "é", count: 1000) + ["é_", "index", "index", "index_"]
    let columns = names.enumerated().map { (name: $1, value: AttributeValue.number("\($0)")) }
    let text = Self.written([Self.feature(columns: columns)]).joined()
    let collection = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let features = try #require(collection["features"] as? [[String: Any]])
    let properties = try #require(features[0]["properties"] as? [String: Any])
    #expect(properties.count == names.count + 4)
    #expect(Set(properties.values.compactMap { $0 as? Int }).isSuperset(of: names.indices.dropFirst(2)))
  }

  /// An answer may be much larger than the data from which it is written. Checks that it is written in pieces.
  @Test func aLargeAnswerIsWrittenInPieces() {
    let value = AttributeValue.string(String(repeating: "x", count: 50_000))
    var made = 0
    let features = (0..<20).lazy.map { _ in
      made += 1
      return Self.feature(columns: [("text", value)])
    }
    var madeBefore: [Int] = []
    FeatureCollectionWriter(plane: .webMercator()).write(features) { _ in madeBefore.append(made) }
    #expect(madeBefore.count >= 10)
    #expect(zip(madeBefore, madeBefore.dropFirst()).allSatisfy { $1 - $0 <= 2 })
  }

  @Test func anEmptyAnswerIsACollection() {
    #expect(Self.written([]) == ["{\"type\":\"FeatureCollection\",\"features\":[\n]}\n"])
  }

  /// Compares the digits with those of the standard library.
  @Test(arguments: [0, 1, 9, 10, 99, 100, 12_345_678_901, Int.max, Int.min, -1, -10])
  func numbersAreWrittenDigitByDigit(_ number: Int) {
    // The initial capacity is 0, so that the buffer must grow.
    var bytes = OutputBytes(capacity: 0)
    for _ in 0..<20 { bytes.append(number) }
    #expect(bytes.text == String(repeating: "\(number)", count: 20))
  }

  /// Compares the digits of numbers of every length with those of the standard library.
  @Test func numbersOfEveryLengthAreWrittenDigitByDigit() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SplitMix64(seed: seed)
    for length in 0..<64 {
      for _ in 0..<Trials.count(200, seed: seed) {
        let number = generator.next() >> UInt64(length)
        var bytes = OutputBytes(capacity: 0)
        bytes.append(number)
        #expect(bytes.text == "\(number)", "seed \(seed)")
      }
    }
  }

  /// Checks planes of every size. The written number must read back as the rounded number, and must not end in zeros
  /// after a decimal point.
  @Test func coordinatesOfEveryPlaneReadAsTheyWere() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SplitMix64(seed: seed)
    for exponent in -5...12 {
      let side = [1, 2, 5][abs(exponent) % 3] * power(exponent)
      let format = CoordinateFormat(of: .planar(left: 0, top: 0, side: side))
      for _ in 0..<Trials.count(500, seed: seed) {
        let value = (generator.number(from: 0, to: 2) - 1) * side
        let text = format.string(value)
        #expect(Double(text) == format.rounded(value), "seed \(seed), side \(side)")
        #expect(!text.contains(".") || !text.hasSuffix("0") && !text.hasSuffix("."), "seed \(seed)")
      }
    }
  }

  private func power(_ exponent: Int) -> Double {
    exponent < 0 ? 1 / power(-exponent) : (0..<exponent).reduce(1) { power, _ in power * 10 }
  }

  /// Checks that coordinates have as many decimals as the plane resolves, without trailing zeros.
  @Test(arguments: [
    (0, "0"), (-0.0, "0"), (-0.000_000_01, "0"), (0.000_000_1, "0.0000001"), (-180, "-180"), (2.350_000_04, "2.35"),
    (2.350_000_06, "2.3500001"), (-0.5, "-0.5"), (48.123_456_789, "48.1234568"), (1e300, "1e+300"),
  ]) func coordinatesHaveSevenDecimals(_ value: Double, _ text: String) {
    #expect(CoordinateFormat(of: .webMercator()).string(value) == text)
  }

  /// Checks the ellipse of clusters. The longer axis points east, south-east or south. An axis that points up very
  /// steeply is reported as pointing down.
  @Test func clustersTellTheirSpread() throws {
    let tree = try ClusterTree(
      [(0, 0), (0, 0), (4, 0), (4, 4), (0, 9)].map { Coordinate(x: $0.0, y: $0.1) }, as: .planar)
    let root = try #require(tree.root)
    var bytes = OutputBytes()
    FeatureCollectionWriter(plane: tree.plane).append(ClusterFeature(root, of: tree, with: [.ellipses]), to: &bytes)
    let feature = try #require(JSONSerialization.jsonObject(with: Data(bytes.text.utf8)) as? [String: Any])
    let properties = try #require(feature["properties"] as? [String: Any])
    let ellipse = try #require(properties["ellipse"] as? [Double])
    #expect(ellipse[0] == root.ellipse.semiMajor.rounded() && ellipse[1] == root.ellipse.semiMinor.rounded())
    #expect(ellipse[2] > -90 && ellipse[2] <= 90)
    #expect(properties["point_count_abbreviated"] as? String == "5")
    #expect(properties["stack"] == nil)
  }

  /// Columns avoid the names of properties. Checks that the list of these names contains every property.
  @Test func columnsKeepClearOfEveryProperty() throws {
    var names: Set<String> = []
    for projection in [Plane.Projection.webMercator, .planar] {
      let tree = try ClusterTree([(0, 0), (4, 1)].map { Coordinate(x: $0.0, y: $0.1) }, as: projection)
      let root = try #require(tree.root)
      var feature = ClusterFeature(root, of: tree, with: [.ellipses])
      var properties = feature.properties
      (properties.isStack, properties.shownRow, properties.row, properties.members) = (true, 0, 0, [0, 1])
      (properties.hull, properties.badgeDiameter, properties.group) = (tree.convexHull(of: root), 44, "inns")
      (properties.viewPointCount, properties.treeRange) = (1, 0..<2)
      feature.properties = properties
      var bytes = OutputBytes()
      FeatureCollectionWriter(plane: tree.plane).append(feature, to: &bytes)
      let object = try #require(JSONSerialization.jsonObject(with: Data(bytes.text.utf8)) as? [String: Any])
      names.formUnion(try #require(object["properties"] as? [String: Any]).keys)
    }
    // Only vector tiles have areas.
    #expect(names.union(["area_km2", "area_px"]) == FeatureProperties.own)
  }

  @Test func unsafeIntegersOfColumnsAreStringsOnRequest() {
    let numbers = [
      "9007199254740992", "9007199254740993", "-9223372036854775808", "18446744073709551616", "1e300", "7",
      "0.12345678901234567",
    ]
    var feature = ClusterFeature(
      id: 1, pointCount: 1, coordinate: Coordinate(longitude: 1, latitude: 2),
      bounds: BoundingBox(west: 1, south: 2, east: 1, north: 2))
    feature.columns = numbers.map { ("n\($0)", .number($0)) }
    for (hasSafeIntegers, strings) in [(false, []), (true, numbers[1...3])] {
      var bytes = OutputBytes()
      let writer = FeatureCollectionWriter(plane: .webMercator(), hasSafeIntegers: hasSafeIntegers)
      writer.append(feature, to: &bytes)
      for number in numbers {
        let value = strings.contains(number) ? "\"\(number)\"" : number
        #expect(bytes.text.contains("\"n\(number)\":\(value)"))
      }
    }
  }

  private static func written(_ features: [ClusterFeature]) -> [String] {
    var pieces: [String] = []
    FeatureCollectionWriter(plane: .webMercator()).write(features) {
      pieces.append(String(decoding: $0, as: UTF8.self))
    }
    return pieces
  }

  private static func feature(columns: [(name: String, value: AttributeValue)]) -> ClusterFeature {
    let coordinate = Coordinate(longitude: 1, latitude: 2)
    return ClusterFeature(
      id: 1, pointCount: 1, coordinate: coordinate, bounds: BoundingBox(west: 1, south: 2, east: 1, north: 2), row: 0,
      columns: columns)
  }
}
