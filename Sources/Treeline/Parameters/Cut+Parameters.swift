extension Cut {
  /// Of a query that says nothing.
  public static let standard = Cut.limit(100)

  /// Of all parameters that a cut is read from.
  public static let parameterNames = [
    "limit", "order", "detail", "spacing", "continuing", "min-points", "alone-from-zoom",
  ]
}

extension Cut: Parameterized {
  /// The cut as parameters, in a fixed order: what a command line, a URL and JSON have.
  public var parameters: [(name: String, value: ParameterValue)] {
    var parameters: [(name: String, value: ParameterValue)] = []
    switch criterion {
    case .limit(let order, let isContinuing):
      parameters = [("limit", .integer(limit)), ("order", .text(order.rawValue))]
      if isContinuing { parameters.append(("continuing", .flag(true))) }
    case .detail(let pixels): parameters = [("detail", .number(pixels))]
    case .spacing(let pixels): parameters = [("spacing", .number(pixels))]
    }
    guard isByPixels else { return parameters }
    if limit != .max { parameters.append(("limit", .integer(limit))) }
    if unclustered.leastMembers > 2 { parameters.append(("min-points", .integer(unclustered.leastMembers))) }
    if unclustered.fromZoom < .infinity { parameters.append(("alone-from-zoom", .number(unclustered.fromZoom))) }
    return parameters
  }

  /// Reads a cut; one that says nothing is `standard`.
  public init(_ parameters: inout QueryParameters) { self.init(&parameters, prefix: "") }

  /// Reads one of several cuts: a limit, and how it is cut, with a prefix before their names in place of those
  /// without.
  public init(_ parameters: inout QueryParameters, prefix: String, standard: Cut = .standard) {
    func limit() -> Int? {
      let key = parameters.has(prefix + "limit") ? prefix + "limit" : "limit"
      return parameters.integer(key, in: parameters.bounds.limits)
    }
    let isOwn = !prefix.isEmpty && ["order", "detail", "spacing"].contains { parameters.has(prefix + $0) }
    let (order, detail, spacing) =
      isOwn ? (prefix + "order", prefix + "detail", prefix + "spacing") : ("order", "detail", "spacing")

    if parameters.has(detail) && parameters.has(spacing) {
      parameters.refuse(
        spacing, expected: "either a detail or a spacing", found: "both",
        sentence: "{detail} and {spacing} exclude each other; choose one.")
    }
    let criteria: [(name: String, criterion: (Double) -> Criterion)] = [
      (detail, Criterion.detail), (spacing, Criterion.spacing),
    ]
    for (name, criterion) in criteria where parameters.has(name) {
      let pixels = parameters.number(
        name, in: 0...Double.greatestFiniteMagnitude, expected: "a number of pixels, 0 or more")
      if parameters.has(order) {
        parameters.refuse(
          order, expected: "no order with a detail or a spacing", found: parameters.text(order),
          sentence: "{\(order)} goes with a limit alone; "
            + "{\(name)} splits evenly, within a limit too, and knows no order.")
      }
      if parameters.flag("continuing") {
        parameters.refuse(
          "continuing", expected: "a limit alone beside it; a detail and a spacing stay as they are", found: "true",
          sentence: "{continuing} goes with a limit; a detail and a spacing stay as they are.")
      }
      self.init(criterion(pixels ?? 0), limit: limit() ?? .max, unclustered: UnclusteredPoints(&parameters))
      // Both are read, so that neither is taken for a misspelling.
      for other in [detail, spacing] { _ = parameters.text(other) }
      return
    }
    for name in ["min-points", "alone-from-zoom"] where parameters.has(name) {
      parameters.refuse(
        name, expected: "a detail or a spacing beside it, as a limit alone leaves no room",
        found: parameters.text(name),
        sentence: "{min-points} and {alone-from-zoom} go with {detail} or {spacing}; " + "a limit alone leaves no room."
      )
    }
    let isContinuing = parameters.flag("continuing")
    self = .limit(
      limit() ?? standard.limit, parameters.choice(order, of: ExpansionOrder.self) ?? .breadthFirst,
      isContinuing: isContinuing)
  }
}

extension UnclusteredPoints {
  fileprivate init(_ parameters: inout QueryParameters) {
    let zooms = parameters.bounds.zooms
    let zoom = parameters.number(
      "alone-from-zoom", in: zooms,
      expected: "from \(ParameterValue.number(zooms.lowerBound)) to \(ParameterValue.number(zooms.upperBound))")
    self.init(leastMembers: parameters.integer("min-points", in: 2 ... .max) ?? 2, fromZoom: zoom ?? .infinity)
  }
}
