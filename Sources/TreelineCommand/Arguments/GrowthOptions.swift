import ArgumentParser
@_spi(Server) import Treeline
import TreelineBuilder

/// The options for the growth of a tree. The growth is the way in which a tree is built. Every subcommand that builds
/// a tree has these options.
struct GrowthOptions: ParsableArguments {
  @Option(
    name: .customLong("for"),
    help: .init(
      "The queries for which the tree is built: 'limit' for '--limit' and '--detail', 'spacing' for '--spacing', 'badges' for '--badges'. Every tree answers '--limit' and '--detail'. (default: badges with '--badges' or '--badge-gap', spacing with '--spacing', otherwise limit)",
      valueName: "queries")) var purpose: BuildPurpose.Name?

  @Option(
    help: .init(
      "Where nodes are split: \(SplitRule.summaries). (default: \(SplitRule.standard))",
      valueName: "rule"), transform: SplitRule.init(argument:)) var split: SplitRule?

  @Option(
    help: .init(
      "For experts: how the tree grows. Without this option, '--for' decides. 'split' divides all points into smaller and smaller clusters. 'merge' always merges the two closest clusters. 'badges' always merges the two clusters whose badges touch first when the map zooms out. 'scatter' always merges the two clusters whose union spreads least, which suits '--limit'.",
      valueName: "way")) var grow: GrowthName?

  @Option(
    parsing: .unconditional,
    help: .init(
      "The gap between badges in pixels, at most 128, for a tree built for badges. (default: 0)", valueName: "px"))
  var badgeGap: Double?

  @Option(
    help: .init(
      "The position of each cluster: 'mean' is the mean of its points; 'member' is one of its points, so that, for example, a cluster of harbors is never in the sea. 'member' needs '--for spacing' or '--for badges'. (default: mean)",
      valueName: "where")) var anchor: ClusterAnchor?

  /// Refuses options that are invalid for every cut.
  func validate() throws {
    var parameters = QueryParameters(request.parameters)
    _ = BuildOptions(&parameters, for: .spacing)
    try parameters.check()
  }

  var request: GrowthRequest {
    GrowthRequest(
      parameters: NoPrefix.parameters([
        ("for", purpose?.rawValue), ("grow", grow?.rawValue), ("split", split?.description),
        ("badge-gap", badgeGap.map(ParameterValue.text)), ("anchor", anchor?.rawValue),
      ]))
  }
}

/// A requested growth of a tree, with its options.
struct GrowthRequest {
  /// The options that were given. `BuildOptions` reads them.
  var parameters: [Parameter] = []

  /// Whether any of the given options affects how the tree grows. The option `anchor` does not.
  var isGiven: Bool { parameters.contains { $0.name != "anchor" } }

  /// Returns options for building a tree that supports the cuts, unless the request names another growth.
  func options(for cuts: [Cut] = [], threads: Int? = nil) throws -> BuildOptions {
    var parameters = QueryParameters(parameters + NoPrefix.parameters([("threads", threads.map { "\($0)" })]))
    let options = BuildOptions(&parameters, for: .init(of: cuts))
    if let fault = parameters.faults.first { throw Failure.usage(fault.message { "'--\($0)'" }) }
    return options
  }
}

extension GrowthRequest {
  /// Creates a request for the given growth.
  init(_ growth: Growth) {
    let name = GrowthName.allCases.first { $0.growth(splitBy: growth.splitRule) == growth }
    parameters = NoPrefix.parameters([("grow", name?.rawValue), ("split", growth.splitRule?.description)])
  }
}

extension BuildPurpose.Name: ExpressibleByArgument {}

extension ClusterAnchor: ExpressibleByArgument {}

extension GrowthName: ExpressibleByArgument {}

extension SplitRule {
  fileprivate init(argument: String) throws {
    guard let rule = SplitRule(argument) else {
      throw ValidationError("expected \(Self.expectation)")
    }
    self = rule
  }
}
