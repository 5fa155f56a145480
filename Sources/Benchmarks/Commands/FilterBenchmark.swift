import ArgumentParser
import Foundation
import PointSets
import Treeline
import TreelineBuilder

/// Times filters, queries under filters, and aggregates. Four columns are generated for the points. Two of these
/// columns contain the same prices.
struct FilterBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "filter", abstract: "Times filters, queries under filters, and aggregates of answers.")

  @Argument(help: "The points.") var points: PointFile

  @Option(help: "Maximum number of clusters of every answer.") var limit = 100

  @Option(help: "Number of repeats of each query.") var repeats = 21

  func run() throws {
    let coordinates = try points.read()
    let tree = try ClusterTree(coordinates).adding(columns: [
      IndexColumn(name: "price", kind: .number, value: Self.price).prepared(for: .percentiles, .distinct),
      IndexColumn(name: "plain price", kind: .number, value: Self.price),
      IndexColumn(name: "kind", kind: .category, value: Self.kind),
      IndexColumn(name: "opened", instant: { Instant(seconds: Int64(Self.hash($0, 3) % (40 * 365 * 86_400))) }),
    ])
    let filter = Self.filter
    let views = [Viewport].around(coordinates, perZoom: 5, seed: 5)
    let queries = [Query(.limit(limit), in: .everything)] + views.map { Query(.limit(limit), in: $0) }

    let filtering = try milliseconds { blackHole(try tree.filtered(by: filter).filteredPointCount) }
    let filtered = try tree.filtered(by: filter)
    let preparation = try seconds { for cluster in try filtered.clusters(queries[0]) { blackHole(cluster.x) } } * 1e3
    let clusters = try filtered.clusters(queries[0])
    let all = try tree.clusters(queries[0])
    let simple: [Aggregate] = [.sum("price"), .mean("price"), .counts("kind")]
    let ordered: [Aggregate] = [.median("price"), .top(3, of: "kind"), .distinct("price")]
    let scanned: [Aggregate] = [.median("plain price"), .top(3, of: "kind"), .distinct("plain price")]
    func firstTimes(_ clusters: Clusters) throws -> [Double] {
      try [[.sum("price")], [.counts("kind")]].map { aggregates in
        try seconds { blackHole(try clusters.values(of: aggregates).count) } * 1e3
      }
    }
    let (firstOfAll, firstOfPassing) = (try firstTimes(all), try firstTimes(clusters))
    let matrices = tree.columns[0]
    try printJSON([
      "filtered_first_us": try firstMicroseconds(of: tree.filtered(by: filter), queries),
      "unfiltered_first_us": try firstMicroseconds(of: tree, queries),
      "window_step_ms": try windowStepMilliseconds(of: tree),
      "histogram_ms": try histogramMilliseconds(of: tree),
      "filtered_histogram_ms": try histogramMilliseconds(of: filtered),
      "points": coordinates.count, "passing": filtered.filteredPointCount,
      // In milliseconds: the time to create a filter with two conditions, and the time to prepare its first answer.
      "filter_ms": filtering, "first_answer_ms": preparation,
      // Times of answers, in microseconds per view: with and without the filter, and in both cases with and without
      // reading coordinates.
      "filtered_us": try microseconds(queries) { blackHole(try filtered.clusters($0).count) },
      "unfiltered_us": try microseconds(queries) { blackHole(try tree.clusters($0).count) },
      "filtered_with_coordinates_us": try microseconds(queries) {
        for cluster in try filtered.clusters($0) { blackHole(cluster.coordinate) }
      },
      "unfiltered_with_coordinates_us": try microseconds(queries) {
        for cluster in try tree.clusters($0) { blackHole(cluster.coordinate) }
      },
      // Times of aggregates over all points. The first sum and the first counts are in milliseconds. Later sums and
      // counts are in microseconds.
      "aggregates_first_ms": firstOfAll, "filtered_aggregates_first_ms": firstOfPassing,
      "aggregates_us": try milliseconds { blackHole(try all.values(of: simple).count) } * 1e3,
      "filtered_aggregates_us": try milliseconds { blackHole(try clusters.values(of: simple).count) } * 1e3,
      "order_statistics_us": try milliseconds { blackHole(try all.values(of: ordered).count) } * 1e3,
      // Without a section for order statistics, an order statistic reads the value of every point. An order statistic
      // may read at most `maximumRowsRead` points in this way.
      "scanned_order_statistics_us": coordinates.count > Aggregate.maximumRowsRead
        ? -1 : try seconds { blackHole(try all.values(of: scanned).count) } * 1e6,
      // Sizes of sections, in bytes per point. First come the columns with numbers, categories and times. Then come
      // the two sections that prepare a column of numbers for aggregates.
      "column_bytes": tree.columns.dropFirst().map { Double($0.section!.count) / Double(coordinates.count) },
      "ranks_bytes": Double(matrices.ranks!.section.count) / Double(coordinates.count),
      "links_bytes": Double(matrices.links!.section.count) / Double(coordinates.count),
    ])
  }

  /// Returns the time of the first query of each view. No results of the filter are stored for the nodes yet, and the
  /// data is not in the machine's cache.
  private func firstMicroseconds(of tree: ClusterTree, _ queries: [Query]) throws -> [Double] {
    try queries.map { query in try seconds { blackHole(try tree.clusters(query).count) } * 1e6 }
  }

  /// Moves a window over the values of the column `opened`. The window is one of two conditions of a filter. It covers
  /// a fifth of the column's range. In each step 1 % of the points enter the window, and 1 % leave it. Returns the
  /// time of the first step, which sorts the column, and the median time of the other steps.
  private func windowStepMilliseconds(of tree: ClusterTree) throws -> [Double] {
    let span = 40 * 365 * 86_400.0
    func filter(_ step: Int) -> Filter {
      let start = Int64(span * Double(step) / 100)
      return .where("kind", in: ["kind 1", "kind 5", "kind 7"])
        && .where("opened", in: Instant(seconds: start)..<Instant(seconds: start + Int64(span / 5)))
    }
    var shown = try tree.filtered(by: filter(0))
    for cluster in try shown.clusters(.limit(limit), in: .everything) { blackHole(cluster.x) }
    var times: [Double] = []
    for step in 1...40 {
      times.append(try seconds { shown = try tree.filtered(by: filter(step), reusing: shown) } * 1e3)
    }
    require(
      try shown.filteredPointCount == tree.filtered(by: filter(40)).filteredPointCount,
      "a moved window counts other points than a new filter")
    return [times[0], median(Array(times.dropFirst()))]
  }

  /// Returns the times of two histograms with 60 bins, over the prices and over the opening times of all points. The
  /// extent of the values is computed beforehand.
  private func histogramMilliseconds(of tree: ClusterTree) throws -> [Double] {
    try ["price", "opened"].map { name in
      blackHole(try tree.histogram(of: name, bins: 60))
      return try milliseconds { blackHole(try tree.histogram(of: name, bins: 60).counts) }
    }
  }

  /// A filter that selects three of the ten kinds and half of the prices.
  static let filter: Filter = .where("kind", in: ["kind 1", "kind 5", "kind 7"]) && .where("price", .isLess, 5000)

  /// Returns a price with two decimals. Prices, kinds and times do not depend on the positions of points.
  @Sendable static func price(_ row: Int) -> AttributeValue {
    let cents = hash(row, 1) % 1_000_000
    return .number("\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)")
  }

  /// Returns one of ten texts.
  @Sendable static func kind(_ row: Int) -> AttributeValue { .string("kind \(hash(row, 2) % 10)") }

  private static func hash(_ row: Int, _ salt: UInt64) -> UInt64 {
    var random = SplitMix64(seed: UInt64(row) &* 0x9E37_79B9 &+ salt)
    return random.next()
  }

  private func milliseconds(_ work: () throws -> Void) rethrows -> Double {
    median(try (0..<repeats).map { _ in try seconds(work) }) * 1e3
  }

  private func microseconds(_ queries: [Query], _ work: (Query) throws -> Void) rethrows -> [Double] {
    try queries.map { query in median(try (0..<repeats).map { _ in try seconds { try work(query) } }) * 1e6 }
  }
}
