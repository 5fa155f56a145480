import GridBaseline
import Treeline

/// What a request looks at, and where that is on an index's plane.
struct ServedViewport {
  let viewport: Viewport
  /// nil where it is off a plain plane's square, and nothing is in view.
  private(set) var window: PlaneWindow?
  private(set) var zoom: Double?

  /// - Parameter defaultZoom: That of another viewport, where this one says none.
  init(_ parameters: inout QueryParameters, of tree: ClusterTree, prefix: String = "", defaultZoom: Double? = nil) {
    viewport = Viewport(&parameters, prefix: prefix, defaultZoom: defaultZoom)
    if !parameters.faults.isEmpty { return }
    let name = prefix + (["center", "tile"].first { parameters.has(prefix + $0) } ?? "bbox")
    if case .center(let center) = viewport.area, tree.plane.projection == .webMercator, !(-90...90 ~= center.latitude) {
      parameters.refuse(name, expected: "a latitude from -90 to 90", found: parameters.value(name))
    }
    do {
      window = try viewport.window(on: tree.plane)
      zoom = try viewport.zoom(on: tree.plane)
    } catch { parameters.refuse(name, expected: Self.expectation(of: error), found: parameters.value(name)) }
  }

  /// Errors of boxes read "expected …, found …".
  private static func expectation(of error: any Error) -> String {
    var text = "\(error)"[...]
    if text.hasPrefix("expected ") { text = text.dropFirst("expected ".count) }
    if let range = text.firstRange(of: ", found ") { text = text[..<range.lowerBound] }
    return String(text)
  }
}

extension Cut {
  /// Reads the cut of a request over an index.
  init(_ parameters: inout QueryParameters, of tree: ClusterTree) {
    parameters.refuse(["cell"], expected: "a method=grid beside it")
    self.init(&parameters)
    limit = min(limit, QueryParameters.largestLimit)
    if needsSeparations && !tree.hasSeparations {
      parameters.refuse(
        "spacing", expected: "no spacing of an index without separations", found: parameters.value("spacing"))
    }
  }

  /// Reads a detail or a spacing; nil where there is none, which is wrong if it `isNeeded`.
  init?(byPixels parameters: inout QueryParameters, of tree: ClusterTree, isNeeded: Bool) {
    parameters.refuse(["limit", "order", "continuing"], expected: "no such parameter")
    self.init(&parameters, of: tree)
    if isByPixels { return }
    if isNeeded { parameters.refuse("spacing", expected: "a detail or a spacing, in pixels", found: nil) }
    return nil
  }

  /// Whether the answer may be as long as ten that clients commonly ask for.
  var isExpensive: Bool { !isByPixels && limit > 1000 }
}

/// A question to the tree of an index, as a request asks it.
struct ServedQuery {
  let cut: Cut
  let view: ServedViewport

  /// - Parameter canContinue: Whether the route has a previous answer.
  init(_ parameters: inout QueryParameters, of tree: ClusterTree, canContinue: Bool = false) {
    if !canContinue { parameters.refuse(["continuing"], expected: "no such parameter") }
    view = ServedViewport(&parameters, of: tree)
    cut = Cut(&parameters, of: tree)
    parameters.requireScale(of: view.viewport, for: cut)
  }

  func clusters(of tree: ClusterTree, after previous: Clusters? = nil) throws -> Clusters {
    try tree.clusters(cut, in: view.viewport, after: previous)
  }
}

/// The cells in which a request has the grid laid.
struct GridCells {
  let size: CellSize

  /// Without a bound a small cell would make an answer of all points; an index of so few may be asked for all of them.
  static let most = 16_384

  init(_ parameters: inout QueryParameters, of tree: ClusterTree, in view: ServedViewport) {
    parameters.refuse(Cut.parameterNames, expected: "no method=grid beside it, which has cells of a size instead")
    let pixels = parameters.number(
      "cell", in: Double.leastNormalMagnitude...Double.greatestFiniteMagnitude, expected: "a number of pixels above 0")
    size = pixels.map(CellSize.pixels) ?? .published
    guard let zoom = view.zoom else {
      parameters.refuse("zoom", expected: "a zoom, as a cell is so many pixels wide", found: nil)
      return
    }
    guard tree.pointCount > Self.most, let window = view.window, let side = try? size.units(zoom: zoom) else { return }
    let columns = (Double(window.width) / Double(side)).rounded(.up) + 1
    let rows = (Double(window.maxY - window.minY) / Double(side)).rounded(.up) + 1
    if columns * rows > Double(Self.most) {
      parameters.refuse(
        "cell", expected: "at most \(Self.most) cells in view: wider ones, a lower zoom or a smaller box",
        found: parameters.value("cell"))
    }
  }

  func clusters(of index: ServedIndex, in view: ServedViewport) throws -> [GridCluster] {
    guard let window = view.window, let zoom = view.zoom else { return [] }
    return try index.grid.clusters(in: window, cellSize: size, zoom: zoom)
  }
}
