import Foundation
import Testing
import Treeline
import TreelineFormats

@Suite struct FeatureWritingTests {
  /// Every character below 128, alone and between others, against another writer's reader.
  @Test func literalsAreReadAsTheyWereWritten() throws {
    for byte in UInt8(0)..<128 {
      let character = String(UnicodeScalar(byte))
      for string in [character, "é\(character)\(character)z", "\u{1F600}" + character] {
        var text = "["
        text.appendJSON(string)
        text += "]"
        let read = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String]
        #expect(read == [string], "\(byte)")
      }
    }
  }

  /// A damaged index may have a thousand columns of one name, which once took as many steps squared for each feature.
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

  /// An answer may be far larger than what it is made of.
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

  private static func written(_ features: [ClusterFeature]) -> [String] {
    var pieces: [String] = []
    FeatureCollectionWriter(plane: .webMercator()).write(features) { pieces.append($0) }
    return pieces
  }

  private static func feature(columns: [(name: String, value: AttributeValue)]) -> ClusterFeature {
    let place = Coordinate(longitude: 1, latitude: 2)
    return ClusterFeature(
      id: 1, pointCount: 1, coordinate: place,
      bounds: BoundingBox(west: 1, south: 2, east: 1, north: 2), index: 0, columns: columns)
  }
}
