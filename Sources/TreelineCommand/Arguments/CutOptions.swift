import ArgumentParser
import Treeline

/// How finely the tree is cut.
struct CutOptions: ParsableArguments {
  static let defaultLimit = 100

  @Option(
    help: ArgumentHelp(
      "Which cluster is split next, as long as there is room within the limit: breadth-first, or widest-first. (default: breadth-first)",
      valueName: "order"))
  var order: ExpansionOrder?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Split clusters until the points of each lie this close to their mean, in pixels at the zoom, whatever the box; a limit then caps it.",
      valueName: "px"))
  var detail: Double?

  /// What is wrong with them, given whether there are a zoom and a limit.
  func validate(hasZoom: Bool, zoomOption: String) throws {
    guard let detail else { return }
    guard detail.isFinite && detail >= 0 else {
      throw ValidationError("'--detail' must be a number of pixels, 0 or more, found \(detail).")
    }
    guard hasZoom else { throw ValidationError("'--detail' needs '\(zoomOption)': it is in pixels.") }
    if order != nil { throw ValidationError("'--order' goes with a limit; '--detail' knows no order.") }
  }

  func clusters(
    of tree: ClusterTree, in window: PlaneWindow, zoom: Double?, limit: Int?
  ) throws -> Clusters {
    if let detail {
      return try tree.clusters(in: window, zoom: zoom!, detail: detail, limit: limit ?? .max)
    }
    return try tree.clusters(in: window, limit: limit ?? Self.defaultLimit, order: order ?? .breadthFirst)
  }
}

extension ExpansionOrder: ExpressibleByArgument {}
