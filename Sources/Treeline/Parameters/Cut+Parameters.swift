extension Cut {
  /// Of a query that says nothing.
  public static let standard = Cut.limit(100)

  /// Of all parameters that a cut is read from.
  public static let parameterNames =
    ["limit", "order"] + byPixels.map(\.name) + ["continuing", "min-points", "alone-from-zoom"]

  /// The cuts by pixels, each by the name of its parameter.
  private static var byPixels: [(name: String, criterion: (Double) -> Criterion)] {
    [("detail", Criterion.detail), ("spacing", Criterion.spacing)]
  }
}

extension Cut: Parameterized {
  /// The cut as parameters, in a fixed order: what a command line, a URL and JSON have.
  public var parameters: [(name: String, value: ParameterValue)] {
    if case .limit(let order, let isContinuing) = criterion {
      return [("limit", .integer(limit)), ("order", .text(order.rawValue))]
        + (isContinuing ? [("continuing", .flag(true))] : [])
    }
    var parameters = pixels.map { [(name: $0.name, value: ParameterValue.number($0.count))] } ?? []
    if limit != .max { parameters.append(("limit", .integer(limit))) }
    if unclustered.leastMembers > 2 { parameters.append(("min-points", .integer(unclustered.leastMembers))) }
    if unclustered.fromZoom < .infinity { parameters.append(("alone-from-zoom", .number(unclustered.fromZoom))) }
    return parameters
  }

  /// Reads a cut; one that says nothing is `standard`.
  public init(_ parameters: inout QueryParameters) { self.init(&parameters, prefix: "") }

  /// Reads one of several cuts: a limit, and how it is cut, with a prefix before their names in place of those
  /// without.
  public init(_ parameters: inout QueryParameters, prefix: String) {
    let names = ["order"] + Self.byPixels.map(\.name)
    let own = !prefix.isEmpty && names.contains { parameters.has(prefix + $0) } ? prefix : ""
    let limitKey = parameters.has(prefix + "limit") ? prefix + "limit" : "limit"
    let limit = parameters.integer(limitKey, in: parameters.bounds.limits)
    let isContinuing = parameters.flag("continuing")
    let given = Self.byPixels.filter { parameters.has(own + $0.name) }
    guard let (name, criterion) = given.first else {
      let order = parameters.choice(own + "order", of: ExpansionOrder.self) ?? .breadthFirst
      parameters.refuseUnclustered()
      self = .limit(limit ?? Self.standard.limit, order, isContinuing: isContinuing)
      return
    }
    for other in given.dropFirst() {
      parameters.refuse(
        own + other.name, expected: "either a \(name) or a \(other.name)", found: parameters.text(own + other.name),
        sentence: "{\(own)\(name)} and {\(own)\(other.name)} exclude each other; choose one.")
    }
    let pixels = parameters.number(
      own + name, in: 0...Double.greatestFiniteMagnitude, expected: "a number of pixels, 0 or more")
    if parameters.has(own + "order") {
      parameters.refuse(
        own + "order", expected: "no order with a detail or a spacing", found: parameters.text(own + "order"),
        sentence: "{\(own)order} goes with a limit alone; "
          + "{\(own)\(name)} splits evenly, within a limit too, and knows no order.")
    }
    if isContinuing {
      parameters.refuse(
        "continuing", expected: "a limit alone beside it; a detail and a spacing stay as they are", found: "true",
        sentence: "{continuing} goes with a limit; a detail and a spacing stay as they are.")
    }
    self.init(criterion(pixels ?? 0), limit: limit ?? .max, unclustered: UnclusteredPoints(&parameters))
  }
}

extension QueryParameters {
  /// Notes that a limit alone has no unclustered points.
  fileprivate mutating func refuseUnclustered() {
    for name in ["min-points", "alone-from-zoom"] where has(name) {
      refuse(
        name, expected: "a detail or a spacing beside it, as a limit alone leaves no room", found: text(name),
        sentence: "{min-points} and {alone-from-zoom} go with {detail} or {spacing}; a limit alone leaves no room.")
    }
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
