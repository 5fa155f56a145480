import ArgumentParser
import Treeline

/// The options of a cut that has its limit elsewhere. They are read as all parameters of a query are: see
/// `Cut.init(_:)`.
struct CutOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Which cluster is split next, as long as there is room within the limit: breadth-first, widest-first, or steepest-first. (default: breadth-first)",
      valueName: "order")) var order: ExpansionOrder?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Split clusters until the points of each lie this close to their mean, in pixels at the zoom, whatever the box; where a limit has no room for them all, by the least greater detail.",
      valueName: "px")) var detail: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Split clusters as far as any two shown stay this many pixels apart at the zoom, whatever the box; where a limit has no room for them all, by the least greater spacing.",
      valueName: "px")) var spacing: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Show clusters of fewer points than this as their points, by --detail or --spacing.", valueName: "m"))
  var minPoints: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Show every position by itself from this zoom on, by --detail or --spacing; where a limit has room for all in view.",
      valueName: "z")) var aloneFromZoom: Double?

  var parameters: [Parameter?] { unclustered + byLimitOrPixels }

  var byLimitOrPixels: [Parameter?] {
    [Parameter("order", order?.rawValue), Parameter("detail", detail), Parameter("spacing", spacing)]
  }

  var unclustered: [Parameter?] { [Parameter("min-points", minPoints), Parameter("alone-from-zoom", aloneFromZoom)] }
}

extension ExpansionOrder: ExpressibleByArgument {}

/// A parameter of a query that came as an option.
struct Parameter {
  let name: String
  let value: String

  /// - Returns: nil where the option was not given.
  init?(_ name: String, _ value: (some CustomStringConvertible)?) {
    guard let value else { return nil }
    (self.name, self.value) = (name, value.description)
  }
}

extension QueryParameters {
  init(_ parameters: [Parameter?]) { self.init(parameters.compactMap { $0 }.map { ($0.name, $0.value) }) }

  /// - Throws: `ValidationError` of what was found to be wrong first.
  func check() throws { if let fault = faults.first { throw ValidationError(fault.message { "'--\($0)'" }) } }
}
