import ArgumentParser
import Treeline

/// How finely the tree is cut.
struct CutOptions: ParsableArguments {
  static let defaultLimit = 100

  @Option(
    help: ArgumentHelp(
      "Which cluster is split next, as long as there is room within the limit: breadth-first, widest-first, or steepest-first. (default: breadth-first)",
      valueName: "order"))
  var order: ExpansionOrder?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Split clusters until the points of each lie this close to their mean, in pixels at the zoom, whatever the box; where a limit has no room for them all, by the least greater detail.",
      valueName: "px"))
  var detail: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Split clusters as far as any two shown stay this many pixels apart at the zoom, whatever the box; where a limit has no room for them all, by the least greater spacing.",
      valueName: "px"))
  var spacing: Double?

  @Option(
    help: ArgumentHelp(
      "Show clusters of fewer points than this as their points, by --detail or --spacing.",
      valueName: "m"))
  var minPoints: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Show every position by itself from this zoom on, by --detail or --spacing; where a limit has room for all in view.",
      valueName: "z"))
  var aloneFromZoom: Double?

  /// What is wrong with them, given whether there is a zoom.
  ///
  /// - Parameter prefix: what the names of the options begin with that order, detail and spacing came by.
  func validate(hasZoom: Bool, zoomOption: String, prefix: String = "--") throws {
    if detail != nil && spacing != nil {
      throw ValidationError("'--detail' and '--spacing' exclude each other; choose one.")
    }
    guard
      let (name, pixels) = detail.map({ ("\(prefix)detail", $0) })
        ?? spacing.map({ ("\(prefix)spacing", $0) })
    else {
      if minPoints != nil || aloneFromZoom != nil {
        throw ValidationError(
          "'--min-points' and '--alone-from-zoom' go with '--detail' or '--spacing'; a limit alone leaves no room."
        )
      }
      return
    }
    if let minPoints, minPoints < 2 {
      throw ValidationError("'--min-points' must be 2 or more, found \(minPoints).")
    }
    if let aloneFromZoom, !(0...32 ~= aloneFromZoom) {
      throw ValidationError("'--alone-from-zoom' must be from 0 to 32, found \(aloneFromZoom).")
    }
    guard pixels.isFinite && pixels >= 0 else {
      throw ValidationError("'\(name)' must be a number of pixels, 0 or more, found \(pixels).")
    }
    guard hasZoom else { throw ValidationError("'\(name)' needs '\(zoomOption)': it is in pixels.") }
    if order != nil {
      throw ValidationError(
        "'\(prefix)order' goes with a limit alone; '\(name)' splits evenly, within a limit too, and knows no order."
      )
    }
  }

  /// Whether they ask by pixels.
  var isScale: Bool { detail != nil || spacing != nil }

  /// The same, cut in another way if one is given.
  func replacing(order: ExpansionOrder?, detail: Double?, spacing: Double?) -> Self {
    if order == nil && detail == nil && spacing == nil { return self }
    var other = self
    (other.order, other.detail, other.spacing) = (order, detail, spacing)
    return other
  }

  /// - Parameter previous: what an answer up to a limit continues; nil asks for a fresh one.
  func clusters(
    of tree: ClusterTree, in window: PlaneWindow, zoom: Double?, limit: Int?, after previous: Clusters? = nil
  ) throws -> Clusters {
    let alone = PointsAlone(leastMembers: minPoints ?? 2, fromZoom: aloneFromZoom ?? .infinity)
    if let detail {
      return try tree.clusters(in: window, zoom: zoom!, detail: detail, limit: limit ?? .max, alone: alone)
    }
    if let spacing {
      return try tree.clusters(in: window, zoom: zoom!, spacing: spacing, limit: limit ?? .max, alone: alone)
    }
    let (limit, order) = (limit ?? Self.defaultLimit, order ?? .breadthFirst)
    if let previous { return try tree.clusters(in: window, limit: limit, continuing: previous, order: order) }
    return try tree.clusters(in: window, limit: limit, order: order)
  }
}

extension ExpansionOrder: ExpressibleByArgument {}
