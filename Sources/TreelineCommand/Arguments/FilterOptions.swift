import ArgumentParser
import Treeline
import TreelineBuilder

/// Which points count.
struct FilterOption<Prefix: OptionPrefix>: ParsableArguments {
  @Option(
    name: Prefix.name("filter"),
    help: Prefix.help(
      "filter",
      "Count only the points that pass, in CQL2: \"kind = 'hotel' AND price < 120\", \"opened > DATE('2024-05-01')\", \"S_INTERSECTS(geometry, BBOX(5, 45, 11, 48))\". Columns are those of an index built with --columns, or those of the points.",
      valueName: "condition")) var filter: String?

  func validate() throws {
    do { _ = try parsed() } catch { throw ValidationError("'--\(Prefix.prefix)filter': \(error)") }
  }

  /// nil where there is none, or an empty one.
  func parsed() throws(FilterTextError) -> Filter? {
    guard let filter, !filter.isEmpty else { return nil }
    return try Filter(filter)
  }
}

/// Which points count, and what is told of their values.
struct FilterOptions: ParsableArguments {
  @OptionGroup var filter: FilterOption<NoPrefix>

  @Option(
    help: .init(
      "What to tell of each cluster's values, as properties: 'sum(population), top(kind, 3), mean(price, weight: rooms)'. The functions are \(Aggregate.functionNames.listed("and")).",
      valueName: "list")) var aggregate: String?

  func validate() throws {
    do { _ = try aggregate.map { try Aggregate.list($0) } } catch { throw ValidationError("'--aggregate': \(error)") }
  }

  var isGiven: Bool { filter.filter != nil || aggregate != nil }

  func parsed() throws -> (filter: Filter?, aggregates: [Aggregate]) {
    (try filter.parsed(), try aggregate.map { try Aggregate.list($0) } ?? [])
  }
}
