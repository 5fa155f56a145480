import Treeline

/// How finely a request has the tree cut, as `treeline query` does.
struct Cut {
  let limit: Int
  let order: ExpansionOrder
  /// In pixels; at most one of the two.
  let detail: Double?
  let spacing: Double?
  let alone: PointsAlone

  /// Of all that it reads.
  static let names = ["limit", "order", "detail", "spacing", "min-points", "alone-from-zoom"]

  static let defaultLimit = 100
  static let largestLimit = 10_000

  /// Whether the answer may be as long as ten that clients commonly ask for.
  var isExpensive: Bool { detail == nil && spacing == nil && limit > 1000 }

  /// - Parameter hasScale: whether there is a zoom, by which pixels mean something.
  init(_ parameters: inout QueryParameters, of tree: ClusterTree, hasScale: Bool) {
    parameters.refuse(["cell"], expected: "a method=grid beside it")
    let askedLimit = parameters.integer("limit", in: 1...Self.largestLimit)
    order = parameters.choice("order", of: ExpansionOrder.self) ?? .breadthFirst
    detail = Self.pixels("detail", &parameters, hasScale)
    spacing = Self.pixels("spacing", &parameters, hasScale)
    let isByPixels = parameters.has("detail") || parameters.has("spacing")
    limit = askedLimit ?? (isByPixels ? Self.largestLimit : Self.defaultLimit)
    if parameters.has("detail") && parameters.has("spacing") {
      parameters.refuse("spacing", expected: "either a detail or a spacing", found: "both")
    }
    if isByPixels && parameters.has("order") {
      parameters.refuse(
        "order", expected: "no order with a detail or a spacing", found: parameters.value("order"))
    }
    if spacing != nil && !tree.hasSeparations {
      parameters.refuse(
        "spacing", expected: "no spacing of an index without separations", found: parameters.value("spacing"))
    }
    alone = Self.alone(&parameters, isByPixels: isByPixels)
  }

  /// Which points stand alone, for whatever is cut by pixels.
  static func alone(_ parameters: inout QueryParameters, isByPixels: Bool) -> PointsAlone {
    let leastMembers = parameters.integer("min-points", in: 2...Int(Int32.max))
    let zoom = parameters.number("alone-from-zoom", in: View.zooms, expected: "a number from 0 to 32")
    if !isByPixels {
      for name in ["min-points", "alone-from-zoom"] where parameters.has(name) {
        parameters.refuse(
          name, expected: "a detail or a spacing beside it, as a limit alone leaves no room",
          found: parameters.value(name))
      }
    }
    return PointsAlone(leastMembers: leastMembers ?? 2, fromZoom: zoom ?? .infinity)
  }

  static func pixels(_ name: String, _ parameters: inout QueryParameters, _ hasScale: Bool = true) -> Double?
  {
    let pixels = parameters.number(
      name, in: 0...Double.greatestFiniteMagnitude, expected: "a number of pixels, 0 or more")
    if pixels != nil && !hasScale {
      parameters.refuse("zoom", expected: "a zoom, as \(name) is in pixels", found: nil)
    }
    return pixels
  }

  /// - Parameters:
  ///   - limit: instead of the cut's own.
  ///   - previous: what an answer up to a limit continues; nil asks for a fresh one.
  func clusters(
    of tree: ClusterTree, in view: View, limit: Int? = nil, after previous: Clusters? = nil
  ) throws -> Clusters {
    let limit = limit ?? self.limit
    guard let window = view.window else { return tree.noClusters }
    if let detail, let zoom = view.zoom {
      return try tree.clusters(in: window, zoom: zoom, detail: detail, limit: limit, alone: alone)
    }
    if let spacing, let zoom = view.zoom {
      return try tree.clusters(in: window, zoom: zoom, spacing: spacing, limit: limit, alone: alone)
    }
    if let previous { return try tree.clusters(in: window, limit: limit, continuing: previous, order: order) }
    return try tree.clusters(in: window, limit: limit, order: order)
  }
}
