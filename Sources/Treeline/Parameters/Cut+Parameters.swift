extension Cut {
  /// The cut that is used if a query specifies no cut.
  @_spi(Server) public static let standard = Cut.limit(100)

  /// Returns the default cut of a map. If the tree keeps badges or clusters apart, the cut also keeps them apart. For
  /// any other tree with groups, the cut has a detail, because a limit may be too low: each group in view needs at
  /// least one cluster. For all remaining trees, the cut has a limit.
  ///
  /// - Parameter viewport: The view of the map. Only a limit depends on the view: the limit is the number of squares
  ///   of 88 px that cover the view, at most 2,000. If there is no view, or if the view has no zoom, the limit is that
  ///   of `Cut.standard`.
  @_spi(Server) public static func standard(of tree: ClusterTree, in viewport: Viewport? = nil) -> Cut {
    if let criterion = tree.standardCriterion { return Cut(criterion, pixels: criterion.standard) }
    guard let squares = try? viewport?.located(on: tree.plane)?.area(inSquaresOf: 88), squares.isFinite else {
      return .standard
    }
    return .limit(Int(min(squares, 2000)))
  }

  /// Returns the default cut of requests that serve all viewports at once, such as requests for tiles. Such a request
  /// needs a cut without a limit. So if the default cut of a map has a limit, this cut has a detail instead.
  @_spi(Server) public static func standardByPixels(of tree: ClusterTree) -> Cut {
    let criterion = tree.standardCriterion ?? .detail
    return Cut(criterion, pixels: criterion.standard)
  }

  static let sharedParameters =
    [["limit"], ["order"] + PixelCriterion.allCases.map(\.rawValue)] + unclusteredNames.map { [$0] }

  /// The names of all parameters from which a cut is read.
  @_spi(Server) public static let parameterNames = sharedParameters.joined() + ["continuing"]

  /// The parameters of a cut with only a limit. Two kinds of request have no viewport of their own and accept none of
  /// these parameters: requests for tiles, and requests for the zoom at which a cluster splits.
  @_spi(Server) public static let limitParameters = ["limit", "order", "continuing"]

  /// A phrase that lists the criteria in pixels: `a detail, a spacing or badges`.
  @_spi(Server) public static let pixelCriteria = PixelCriterion.list()

  fileprivate static let unclusteredNames = ["min-points", "alone-from-zoom"]

  /// Returns a phrase that lists the criteria with which points can be shown unclustered: `a detail or a spacing`.
  fileprivate static func unclusteredCriteria(_ spelling: (_ name: String) -> String) -> String {
    PixelCriterion.allCases.filter(\.leavesRoomForUnclustered).map { spelling($0.rawValue) }.listed("or")
  }
}

extension Cut {
  /// The name and the value of the criterion in pixels; the limit if the cut has only a limit.
  @_spi(Server) public var mainParameter: (name: String, value: Double) {
    pixels.map { ($0.criterion.rawValue, $0.count) } ?? ("limit", Double(limit))
  }

  /// Returns the parameter to which an answer owes most of its clusters: its name, a phrase for the values that give
  /// fewer clusters, and its value.
  ///
  /// - Parameter zoom: The zoom of the answer; nil if the plane has no zooms.
  @_spi(Server) public func decisiveParameter(atZoom zoom: Double?) -> (name: String, expected: String, found: String) {
    if let zoom, unclustered.isAll(atZoom: zoom) {
      let least = ParameterValue.number(zoom)
      return ("alone-from-zoom", "a zoom above \(least)", "\(ParameterValue.number(unclustered.fromZoom))")
    }
    if unclustered.leastMembers > 2 { return ("min-points", "a smaller number", "\(unclustered.leastMembers)") }
    return (mainParameter.name, "a greater number", "\(ParameterValue.number(mainParameter.value))")
  }
}

extension Cut: Parameterized {
  /// The cut as parameters, in a fixed order, for a command line, a URL or JSON.
  package var parameters: [(name: String, value: ParameterValue)] {
    if case .limit(let order, let continuity) = criterion {
      return [("limit", .integer(limit)), ("order", .text(order.rawValue))]
        + (continuity == .continuing ? [("continuing", .flag(true))] : [])
    }
    var parameters = pixels.map { [(name: $0.criterion.rawValue, value: ParameterValue.number($0.count))] } ?? []
    if limit != .max { parameters.append(("limit", .integer(limit))) }
    if unclustered.leastMembers != 2 { parameters.append(("min-points", .integer(unclustered.leastMembers))) }
    if unclustered.fromZoom != .infinity { parameters.append(("alone-from-zoom", .number(unclustered.fromZoom))) }
    return parameters
  }

  /// Reads a cut. If none of its parameters is given, the cut is `standard`.
  package init(_ parameters: inout QueryParameters) { self.init(&parameters, default: .standard) }

  /// Reads a cut.
  ///
  /// - Parameters:
  ///   - parameters: The parameters to read.
  ///   - standard: The cut to use if neither an order nor a criterion in pixels is given.
  @_spi(Server) public init(_ parameters: inout QueryParameters, default standard: Cut) {
    let limit = parameters.integer("limit", in: parameters.bounds.limits)
    let isContinuing = parameters.flag("continuing")
    let given = PixelCriterion.allCases.filter { parameters.has($0.rawValue) }
    let criterion: Criterion
    if let first = given.first {
      for other in given.dropFirst() { parameters.refuse(first.rawValue, beside: other.rawValue) }
      let pixels = parameters.number(first.rawValue, in: parameters.bounds.pixels, unit: first.unit)
      criterion = .pixels(first, pixels ?? 0)
      parameters.refuseOrder(beside: first.rawValue)
    } else if standard.isByPixels && !parameters.has("order") {
      criterion = standard.criterion
    } else {
      let order = parameters.choice("order", of: ExpansionOrder.self) ?? .breadthFirst
      // A parameter that several queries share may be meant for another query, so it is not refused.
      parameters.refuseUnclustered { !$0.isShared($1) }
      self = .limit(limit ?? Self.standard.limit, order: order, continuity: isContinuing ? .continuing : .independent)
      return
    }
    if isContinuing {
      parameters.refuse(
        "continuing", expected: "a limit without \(PixelCriterion.list())",
        found: "true",
        sentence: "{continuing} works only with a limit: \(PixelCriterion.list()) would ignore the previous view.")
    }
    if case .pixels(let pixels, _) = criterion, !pixels.leavesRoomForUnclustered {
      parameters.refuseUnclustered(beside: pixels.rawValue)
    }
    self.init(criterion, limit: limit ?? .max, unclustered: UnclusteredPoints(&parameters))
  }
}

extension QueryParameters {
  /// Notes a fault for each parameter of `Cut.unclusteredNames` that was given and for which `isRefused` returns true.
  /// These parameters are for unclustered points. This function is called if the cut has only a limit.
  package mutating func refuseUnclustered(where isRefused: (Self, _ name: String) -> Bool = { _, _ in true }) {
    for name in Cut.unclusteredNames where has(name) && isRefused(self, name) {
      refuse(
        name,
        expected:
          "\(Cut.unclusteredCriteria { "a \($0)" }), because with a limit alone, unclustered points could exceed it",
        found: text(name),
        sentence: "{min-points} and {alone-from-zoom} need \(Cut.unclusteredCriteria { "{\($0)}" }); "
          + "with a limit alone, unclustered points could exceed the limit.")
    }
  }

  /// Notes a fault if a parameter for unclustered points is given together with badges. Badges need no such parameter:
  /// they leave points unclustered wherever there is room.
  fileprivate mutating func refuseUnclustered(beside name: String) {
    for option in Cut.unclusteredNames where has(option) && !isShared(option) {
      refuse(
        option, expected: "no \(option), because \(name) show points unclustered wherever there is room",
        found: text(option),
        sentence: "{\(option)} and {\(name)} exclude each other: badges already show points alone if there is room.")
    }
  }

  fileprivate mutating func refuse(_ name: String, beside other: String) {
    let (one, another) = (PixelCriterion.phrase(for: name), PixelCriterion.phrase(for: other))
    refuse(
      other, expected: "either \(one) or \(another)", found: text(other),
      sentence: "{\(name)} and {\(other)} exclude each other; choose one.")
  }

  fileprivate mutating func refuseOrder(beside name: String) {
    guard has("order") else { return }
    refuse(
      "order", expected: "no order with \(PixelCriterion.list())", found: text("order"),
      sentence: "{order} and {\(name)} exclude each other; an order applies only to a limit without {\(name)}.")
  }
}

extension UnclusteredPoints {
  fileprivate init(_ parameters: inout QueryParameters) {
    let zoom = parameters.number("alone-from-zoom", in: parameters.bounds.zooms)
    self.init(leastMembers: parameters.integer("min-points", in: 2 ... .max) ?? 2, fromZoom: zoom ?? .infinity)
  }
}
