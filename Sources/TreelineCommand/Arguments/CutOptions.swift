import ArgumentParser
@_spi(Server) import Treeline

/// All options for a cut.
struct CutOptions<Prefix: OptionPrefix>: ParsableArguments {
  @OptionGroup var limits: LimitOptions<Prefix>

  @OptionGroup var pixels: PixelCutOptions<Prefix>

  var parameters: [Parameter] { limits.parameters + pixels.parameters }
}

/// The options of a cut by a limit.
struct LimitOptions<Prefix: OptionPrefix>: ParsableArguments {
  @Option(
    name: Prefix.name("limit"), parsing: .unconditional,
    help: Prefix.help(
      "limit", "Maximum number of clusters. (default: \(Cut.standard.limit), or none with \(pixelOptions))",
      valueName: "k"))
  var limit: String?

  @Option(
    name: Prefix.name("order"),
    help: Prefix.help(
      "order",
      "The order in which clusters are split until the limit is reached: \(ExpansionOrder.list). (default: \(ExpansionOrder.breadthFirst.rawValue))",
      valueName: "order"), completion: .list(ExpansionOrder.allCases.map(\.rawValue))) var order: String?

  var parameters: [Parameter] { Prefix.parameters([("limit", limit), ("order", order)]) }
}

/// The options of a cut by pixels.
struct PixelCutOptions<Prefix: OptionPrefix>: ParsableArguments {
  @Option(
    name: Prefix.name("detail"), parsing: .unconditional,
    help: Prefix.help(
      "detail",
      "Split each cluster until the root mean square distance of its points to their mean is at most this many pixels. The clusters depend on the zoom, but not on the part of the map in view. If the limit allows fewer clusters, a larger distance is used.",
      valueName: "px")) var detail: String?

  @Option(
    name: Prefix.name("spacing"), parsing: .unconditional,
    help: Prefix.help(
      "spacing",
      "Split clusters as long as all clusters stay at least this many pixels apart. The clusters depend on the zoom, but not on the part of the map in view. If the limit allows fewer clusters, a larger spacing is used. Needs points, or an index built with '--for spacing'.",
      valueName: "px")) var spacing: String?

  @Option(
    name: Prefix.name("badges"), parsing: .unconditional,
    help: Prefix.help(
      "badges",
      "Split clusters as long as no two badges touch. The value, usually 1, scales the diameters of badges. The clusters depend on the zoom, but not on the part of the map in view. In the output, 'badge_px' is the diameter of a badge. Needs points, or an index built with '--for badges'.",
      valueName: "scale")) var badges: String?

  @Option(
    name: Prefix.name("min-points"), parsing: .unconditional,
    help: Prefix.help(
      "min-points", "Show points separately if their cluster has fewer points than this. Needs --detail or --spacing.",
      valueName: "m"))
  var minPoints: String?

  @Option(
    name: Prefix.name("alone-from-zoom"), parsing: .unconditional,
    help: Prefix.help(
      "alone-from-zoom",
      "From this zoom on, show each position separately. Needs --detail or --spacing. If a limit allows fewer clusters than positions, this option has no effect.",
      valueName: "z")) var aloneFromZoom: String?

  var parameters: [Parameter] {
    Prefix.parameters([
      ("detail", detail), ("spacing", spacing), ("badges", badges), ("min-points", minPoints),
      ("alone-from-zoom", aloneFromZoom),
    ])
  }
}

/// The options that choose a cut by pixels, as help texts list them: `--detail, --spacing or --badges`.
let pixelOptions = PixelCriterion.list { "--\($0)" }

extension ExpansionOrder {
  /// Names of all orders, as help texts list them: `breadth-first, widest-first or steepest-first`.
  fileprivate static var list: String {
    allCases.dropLast().map { $0.rawValue + ", " }.joined() + "or " + allCases.last!.rawValue
  }
}
