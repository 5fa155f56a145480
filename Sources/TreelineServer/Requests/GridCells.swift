import GridBaseline
import Treeline

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
