import ArgumentParser
@_spi(Server) import Treeline
import TreelineBuilder

/// The option that selects points with a filter.
struct FilterOption<Prefix: OptionPrefix>: ParsableArguments {
  @Option(
    name: Prefix.name("filter"),
    help: Prefix.help(
      "filter",
      "Count only the points that pass a condition in CQL2, such as \"kind = 'hotel' AND price < 120\", \"opened > DATE('2024-05-01')\" or \"S_INTERSECTS(geometry, BBOX(5, 45, 11, 48))\". If the input is points, the condition can use every column. If the input is an index, the condition can use the columns that were kept with --columns.",
      valueName: "condition")) var filter: String?

  func validate() throws {
    do { _ = try parsed() } catch { throw ValidationError("'--\(Prefix.prefix)filter': \(error)") }
  }

  /// Returns the filter; nil if there is none. An empty filter of one view means that this view has no filter, even if
  /// `--filter` gives a filter for both views.
  func parsed() throws -> Filter? {
    guard let filter, !filter.isEmpty || Prefix.prefix.isEmpty else { return nil }
    return try Filter(filter)
  }
}

/// The options for a filter of points and for the aggregates that are printed for each cluster.
struct FilterOptions: ParsableArguments {
  @OptionGroup var filter: FilterOption<NoPrefix>

  @Option(
    help: .init(
      "Aggregates to print as properties of each cluster, such as 'sum(population), top(kind, 3), mean(price, weight: rooms)'. The functions are \(Aggregate.functionNames.listed("and")).",
      valueName: "list")) var aggregate: String?

  func validate() throws {
    do { _ = try aggregate.map { try Aggregate.list($0) } } catch { throw ValidationError("'--aggregate': \(error)") }
  }

  var isGiven: Bool { filter.filter != nil || aggregate != nil }

  func parsed() throws -> (filter: Filter?, aggregates: [Aggregate]) {
    (try filter.parsed(), try aggregate.map { try Aggregate.list($0) } ?? [])
  }
}
