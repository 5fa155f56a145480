import ArgumentParser
import Foundation
import PointSets
import TestSupport
import Testing

@testable import TreelineCommand

/// Checks that the tool ends with an answer or an error for any options and any inputs. A trap would end the tests.
@Suite struct HostileOptionTests {
  private static let values = [
    "", " ", "0", "-0", "1", "-1", "2", "0.5", "3", "17", "255", "256", "1024", "2147483647", "2147483648",
    "4294967296",
    "9007199254740992", "9223372036854775807", "-9223372036854775808", "18446744073709551615", "99999999999999999999",
    "1e308", "-1e308", "1e-320", "1e400", "nan", "-nan", "inf", "-inf", "infinity", "\u{0}", "\u{E9}", "a,b", ",",
    "all",
    "true", "mean", "member", "merge", "badges", "scatter", "split", "gamma:1.5", "gamma:nan", "gamma:1e308", "256px",
    "0,0", "1,2", "nan,nan", "inf,-inf", "0,0,0", "24,16777215,16777215", "32,0,0", "-1,-1,-1",
    "9223372036854775807,0,0", "0,9223372036854775807,0", "1,2,3,4", "-180,-90,180,90", "180,90,-180,-90",
    "nan,nan,nan,nan", "1e308,1e308,1e308,1e308", "-1e308,-1e308,1e308,1e308", "170,-10,-170,10", "0,0,0,0",
    "n", "v", "k", "t", "n,n", "n:number", "n:text,k:category+distinct", "t:time", "v:number+percentiles", "n:boolean",
    "n:time-ms", "k:", ":", "1", "2", "3", "99999999999999999999", "lon", "lat", "1GB", "1B", "0B", "1e30GB", "nanGB",
    "count", "sum(n)", "median(v)", "percentile(v, 101)", "percentile(v, nan)", "top(k, 9223372036854775807)",
    "top(k, 0)", "counts(t)", "mean(n, weight: v)", "distinct(k),distinct(k)", "n > 1e308", "n = -9223372036854775808",
    "v < 1e400", "k LIKE '%'", "t > DATE('9999-12-31')", "t > DATE('0000-00-00')", "k IN ()", "NOT NOT NOT n = 1",
    "S_INTERSECTS(geometry, BBOX(1e308, nan, 1, 1))", "n BETWEEN 9223372036854775807 AND 1", "k = 1",
  ]

  private static let cuts = ["limit", "order", "detail", "spacing", "badges", "min-points", "alone-from-zoom"]
  private static let views = ["bbox", "center", "tile", "zoom", "width", "height", "tile-size", "margin"]
  private static let reading = ["longitude", "latitude", "x", "y", "wkt", "decimal"]
  private static let growing = ["grow", "split", "anchor", "badge-gap"]
  private static let commands: [(words: [String], options: [String], flags: [String])] = [
    (
      ["query"], cuts + views + reading + growing + ["method", "cell", "format", "position", "filter", "aggregate"],
      ["ellipses", "members", "hulls", "keep-visible", "skip-invalid"]
    ),
    (
      ["build"],
      reading + growing
        + [
          "threads", "memory", "attributes", "columns", "columns", "row", "group-by", "never-cluster", "title", "unit",
        ],
      ["skip-invalid", "force", "allow-loss"]
    ),
    (
      ["transition"],
      cuts + [
        "from-bbox", "to-bbox", "from-zoom", "to-zoom", "from-limit", "to-limit", "to-tile", "filter", "to-filter",
      ],
      ["continuing"]
    ),
    (["cluster"], cuts + ["show", "offset", "filter", "tile-size"], []),
  ]

  private static let csv = """
    lon,lat,n,v,k,t
    1,2,5,1.5,a,2024-05-01
    1,2,-7,,b,1969-12-31T23:59:59Z
    179.9,-85.2,9007199254740993,2.25,a,
    -180,90,0,1e300,"c, d",0001-01-01

    """

  private static let features = [
    #"{"type":"Feature","id":7,"properties":{"n":1,"v":-2.5e3,"k":"a"},"geometry":{"type":"Point","coordinates":[1,2]}}"#,
    #"{"type":"Feature","properties":{"n":null,"k":{"b":[1]}},"geometry":{"type":"Point","coordinates":[-3,4,5]}}"#,
  ].joined(separator: "\n")

  @Test func noTrap() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let calls = Trials.count(600, atLeast: 100, seed: seed)
    var random = SplitMix64(seed: seed)
    let folder = try TemporaryFolder()
    let none = open("/dev/null", O_WRONLY)
    (StandardStreams.output, StandardStreams.errors) = (none, none)
    defer {
      (StandardStreams.output, StandardStreams.errors) = (STDOUT_FILENO, STDERR_FILENO)
      close(none)
    }
    let points = try folder.write(Self.csv, to: "points.csv")
    let index = folder.path("points.treeline")
    #expect(run(["build", points, "-o", index, "--columns", "all", "--quiet"]))
    var answered = 0
    for call in 0..<calls {
      let input =
        switch random.index(below: 5) {
        case 0: index
        case 1: points
        case 2: try folder.write(damaged(Self.features, &random), to: "damaged.geojsonl")
        default: try folder.write(damaged(Self.csv, &random), to: "damaged.csv")
        }
      let words = command(on: input, folder, &random)
      if ProcessInfo.processInfo.environment["TREELINE_HOSTILE_LOG"] != nil { print(call, words) }
      if run(words) { answered += 1 }
    }
    print("noTrap: \(answered) of \(calls) answered")
    #expect(answered > 0)
  }

  private func run(_ words: [String]) -> Bool {
    do {
      var command = try TreelineCommand.parseAsRoot(words)
      try command.run()
      return true
    } catch { return false }
  }

  private func command(on input: String, _ folder: TemporaryFolder, _ random: inout SplitMix64) -> [String] {
    let (words, options, flags) = Self.commands[random.index(below: Self.commands.count)]
    var all = words + [input]
    if words == ["cluster"] { all.append(Self.values[random.index(below: 22)]) }
    if words != ["cluster"] { all += ["-o", folder.path("out")] }
    for _ in 0..<random.index(below: 4) {
      all += ["--\(options[random.index(below: options.count)])=\(Self.values[random.index(below: Self.values.count)])"]
    }
    if !flags.isEmpty, random.index(below: 3) == 0 { all.append("--\(flags[random.index(below: flags.count)])") }
    return all + ["--quiet"]
  }

  private func damaged(_ text: String, _ random: inout SplitMix64) -> [UInt8] {
    let letters = Array("\"\\,;\t\n{}[]:0-+.eEnN \u{1E}".utf8) + [0, 0xFF, 0xC3]
    var bytes = Array(text.utf8)
    for _ in 0..<random.index(below: 4) {
      let place = random.index(below: bytes.count)
      switch random.index(below: 3) {
      case 0: bytes.remove(at: place)
      case 1: bytes.insert(letters[random.index(below: letters.count)], at: place)
      default: bytes[place] = letters[random.index(below: letters.count)]
      }
    }
    return bytes
  }
}
