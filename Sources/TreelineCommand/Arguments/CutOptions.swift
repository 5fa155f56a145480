import ArgumentParser
@_spi(Server) import Treeline

/// How a tree is cut.
struct CutOptions<Prefix: OptionPrefix>: ParsableArguments {
  @Option(
    name: Prefix.name("limit"), parsing: .unconditional,
    help: Prefix.help(
      "limit", "The most clusters. (default: \(Cut.standard.limit), or none with \(pixelOptions))", valueName: "k"))
  var limit: String?

  @Option(
    name: Prefix.name("order"),
    help: Prefix.help(
      "order",
      "Which cluster is split next, as long as there is room within the limit: \(ExpansionOrder.list). (default: \(ExpansionOrder.breadthFirst.rawValue))",
      valueName: "order"), completion: .list(ExpansionOrder.allCases.map(\.rawValue))) var order: String?

  @Option(
    name: Prefix.name("detail"), parsing: .unconditional,
    help: Prefix.help(
      "detail",
      "Split clusters until the points of each lie this close to their mean, in pixels at the zoom, whatever the box; where a limit has no room for them all, by the least greater detail.",
      valueName: "px")) var detail: String?

  @Option(
    name: Prefix.name("spacing"), parsing: .unconditional,
    help: Prefix.help(
      "spacing",
      "Split clusters as far as any two shown stay this many pixels apart at the zoom, whatever the box; where a limit has no room for them all, by the least greater spacing.",
      valueName: "px")) var spacing: String?

  @Option(
    name: Prefix.name("badges"), parsing: .unconditional,
    help: Prefix.help(
      "badges",
      "Split clusters as far as no two drawn badges touch at the zoom, whatever the box; each is drawn with the diameter 'badge_px', which is multiplied by this scale. It needs points, or an index built with '--grow badges'.",
      valueName: "scale")) var badges: String?

  @Option(
    name: Prefix.name("min-points"), parsing: .unconditional,
    help: Prefix.help(
      "min-points", "Show clusters of fewer points than this as their points, by --detail or --spacing.",
      valueName: "m"))
  var minPoints: String?

  @Option(
    name: Prefix.name("alone-from-zoom"), parsing: .unconditional,
    help: Prefix.help(
      "alone-from-zoom",
      "Show every position by itself from this zoom on, by --detail or --spacing; where a limit has room for all in view.",
      valueName: "z")) var aloneFromZoom: String?

  var parameters: [Parameter] {
    Prefix.parameters([
      ("limit", limit), ("order", order), ("detail", detail), ("spacing", spacing), ("badges", badges),
      ("min-points", minPoints), ("alone-from-zoom", aloneFromZoom),
    ])
  }
}

/// The options of cuts by pixels, for texts: `--detail or --spacing`.
let pixelOptions = PixelCriterion.list { "--\($0)" }

extension ExpansionOrder {
  /// For texts: `breadth-first, widest-first, or steepest-first`.
  fileprivate static var list: String {
    allCases.dropLast().map { $0.rawValue + ", " }.joined() + "or " + allCases.last!.rawValue
  }
}
