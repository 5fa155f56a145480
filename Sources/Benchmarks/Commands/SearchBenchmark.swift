import ArgumentParser
import PointSets
import Treeline
import TreelineBuilder

/// Measures the time to prepare a column for searches, and the time of searches for random beginnings of words.
struct SearchBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Times searches in names generated for the points.")

  @Argument(help: "The points.") var points: PointFile

  @Option(help: "Number of searches.") var searches = 1000

  @Option(help: "Maximum number of points of every answer.") var limit = 10

  func run() throws {
    let coordinates = try points.read()
    let bare = try ClusterTree(coordinates)
    let column = IndexColumn(name: "name", kind: .text) { .string(Self.name($0)) }
    var tree = bare
    let plain = try seconds { tree = try bare.adding(columns: [column]) }
    let prepared = try seconds { tree = try bare.adding(columns: [column.prepared(for: .search)]) }
    var random = SplitMix64(seed: 47)
    var times: [Double] = []
    var hitCount = 0
    for _ in 0..<searches {
      let name = Self.name(random.index(below: coordinates.count))
      // Chooses one of the two words of a name. The index lists both words, so both can be found by a search.
      let word = name.split(separator: " ")[random.index(below: 2)]
      let text = String(word.prefix(1 + random.index(below: word.count)))
      times.append(
        try seconds {
          let hits = try tree.search(text, limit: limit)
          require(!hits.isEmpty, "the search for '\(text)' found no point")
          hitCount += hits.count
        })
    }
    times.sort()
    try printJSON([
      "points": coordinates.count, "hits": hitCount,
      "bytes_per_point": Double(tree.columns[0].search!.section.count) / Double(coordinates.count),
      "column_s": plain, "prepared_column_s": prepared,
      "p50_us": times[times.count / 2] * 1e6, "p99_us": times[times.count * 99 / 100] * 1e6,
      "longest_us": times.last! * 1e6,
    ])
  }

  /// Returns a name: two words and a number. A word has two to four syllables, some of them with accents.
  private static func name(_ row: Int) -> String {
    var random = SplitMix64(seed: UInt64(row) &* 0x9E37_79B9 &+ 3)
    func word() -> String {
      (0..<2 + random.index(below: 3)).map { _ in syllables[random.index(below: syllables.count)] }.joined()
    }
    return "\(word()) \(word()) \(1 + random.index(below: 200))"
  }

  private static let syllables = [
    "ka", "rö", "lin", "são", "berg", "ton", "ville", "høj", "mar", "Ste", "qué", "wick", "dal", "ia", "ny", "ben",
  ]
}
