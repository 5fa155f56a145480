import Foundation
import PointSets
import TestSupport
import Testing
import Treeline
import TreelineVerification

/// Checks that an index with all columns gives the same answer, byte for byte, as the points themselves.
@Suite struct SameAnswerTests {
  private func expectSameAnswer(_ points: String, as name: String, attributes: [String], _ comment: Comment? = nil)
    throws
  {
    let folder = try TemporaryFolder()
    let (path, index) = (try folder.write(Array(points.utf8), to: name), folder.path("index"))
    let built = try Tool.run("build", path, "-o", index, "--attributes", attributes.joined(separator: ","))
    #expect(built.code == 0, "\(built.errors)")
    #expect(try ClusterTree.problems(ofIndex: index) == [])
    for limit in ["3", "1000"] {
      let expected = try Tool.run("query", path, "--limit", limit)
      let found = try Tool.run("query", index, "--limit", limit)
      #expect(expected.code == 0 && found.code == 0)
      #expect(found.output == expected.output, comment)
    }
  }

  private func collection(_ properties: [String]) -> String {
    let features = properties.enumerated().map { number, properties in
      "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(number % 7),\(number)]},"
        + "\"properties\":\(properties)}"
    }
    return "{\"type\":\"FeatureCollection\",\"features\":[\n" + features.joined(separator: ",\n") + "\n]}\n"
  }

  @Test func propertiesThatSomeFeaturesLack() throws {
    try expectSameAnswer(
      collection([
        #"{"name":"a","height":1}"#, #"{"name":"b"}"#, #"{"height":2}"#, #"{"height":null}"#, "{}", "null",
        #"{"name":null,"height":3.5,"tags":{"a":[1, 2]}}"#, #"{"tags":true}"#,
      ]), as: "points.geojson", attributes: ["name", "height", "tags"])
  }

  /// The columns first appear in an order with `c` before `b`. Only all features together show that `b` comes before
  /// `c`.
  @Test func orderThatOnlyAllFeaturesTogetherTell() throws {
    for attributes in [["a", "b", "c", "d"], ["d", "c", "b", "a"], ["b", "d", "a", "c"]] {
      try expectSameAnswer(
        collection([#"{"a":1,"c":1}"#, #"{"c":2,"d":2}"#, #"{"b":3,"c":3}"#, #"{"a":4,"b":4}"#, #"{"d":5}"#]),
        as: "points.geojson", attributes: attributes, "asked for as \(attributes)")
    }
  }

  /// Checks that an index with some of the columns gives the same answer as an input without the other columns.
  @Test func columnsThatAreNotKept() throws {
    let folder = try TemporaryFolder()
    func path(_ name: String, _ properties: [String]) throws -> String {
      try folder.write(Array(collection(properties).utf8), to: name)
    }
    let all = try path(
      "all.geojson",
      [#"{"x":1,"a":1,"y":1,"c":1}"#, #"{"b":2,"y":2,"c":2,"x_":0}"#, #"{"a":3,"y":3,"b":3}"#, #"{"y":4}"#])
    let some = try path("some.geojson", [#"{"a":1,"c":1}"#, #"{"b":2,"c":2}"#, #"{"a":3,"b":3}"#, "{}"])
    #expect(try Tool.run("build", all, "-o", folder.path("index"), "--attributes", "c,b,a").code == 0)
    let expected = try Tool.run("query", some)
    #expect(expected.code == 0)
    #expect(try Tool.run("query", folder.path("index")).output == expected.output)
  }

  @Test func emptyCells() throws {
    try expectSameAnswer(
      "name,longitude,latitude,height,note\n" + "a,1,1,10,\n" + ",2,2,,x\n" + ",3,3,,\n" + "d,4,4, 1.0 ,\"\"\n"
        + "\" \",5,5,-0,NaN\n", as: "points.csv", attributes: ["note", "name", "height"])
  }

  @Test func cellsThatAreAllEmpty() throws {
    try expectSameAnswer(
      "longitude,latitude,,height\n1,1,,\n2,2,,\n", as: "points.csv", attributes: ["height", "column 3"])
  }

  /// Tests features with random members from a list, in the order of the list, and with values of all kinds.
  @Test(arguments: Trials.seeds(20)) func randomProperties(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let names = ["n", "é", "e\u{301}x", "cluster", "index", "a b", "\\u0041", "x_", "x"]
    let order = random.shuffled(names)
    let values = ["1", "-7.25", "1.50", "-0", "\"\"", "\"ü\"", "null", "true", "[1, {\"b\": 2}]", "1e400", "{}"]
    let features = (0..<30).map { _ in
      let members = order.filter { _ in random.index(below: 3) > 0 }.map { name in
        // Some columns contain only numbers.
        "\"\(name)\":" + values[random.index(below: name == "n" || name == "x" ? 2 : values.count)]
      }
      return "{" + members.joined(separator: ",") + "}"
    }
    try expectSameAnswer(
      collection(features), as: "points.geojson", attributes: random.shuffled(names).map { $0 == "\\u0041" ? "A" : $0 },
      "seed \(seed)")
  }

  /// If features contradict each other, columns are in the order in which the build options name them. Columns that a
  /// feature lacks are still left out of that feature.
  @Test func ordersThatContradictEachOther() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      Array(collection([#"{"a":1,"b":1,"c":1}"#, #"{"b":2,"a":2}"#, #"{"c":3}"#]).utf8), to: "points.geojson")
    for (asked, first) in [("c,b,a", #""c":1,"b":1,"a":1"#), ("a,b,c", #""a":1,"b":1,"c":1"#)] {
      #expect(try Tool.run("build", path, "-o", folder.path("index"), "--attributes", asked).code == 0)
      let answer = try Tool.run("query", folder.path("index")).output
      #expect(answer.contains(first) && answer.contains("\"index\":2,\"c\":3}"), "\(answer)")
    }
  }
}
