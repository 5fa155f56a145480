import Treeline
@_spi(Server) import TreelineComparison

/// What a request looks at: a part of the plane, and at what scale if there is one.
struct View {
  /// nil where it is off a plain plane's square, and nothing is in view.
  let window: PlaneWindow?
  let zoom: Double?
  /// As it was asked for; nil for everything.
  let box: BoundingBox?

  static let zooms = 0.0...32.0
  static let sides = 1.0...16_384.0

  /// - Parameters:
  ///   - prefix: How the names of the parameters begin.
  ///   - defaultZoom: That of another view, where this one says none.
  init(
    _ parameters: inout QueryParameters, of tree: ClusterTree, prefix: String = "", defaultZoom: Double? = nil
  ) {
    let sides = "a number of pixels from 1 to 16384"
    let zoom = parameters.number(prefix + "zoom", in: Self.zooms, expected: "a number from 0 to 32")
    let width = parameters.number(prefix + "width", in: Self.sides, expected: sides)
    let height = parameters.number(prefix + "height", in: Self.sides, expected: sides)
    let edges = parameters.numbers(
      prefix + "bbox", count: 4, expected: "four numbers, west,south,east,north, such as 2.2,48.8,2.5,48.9")
    let center = parameters.numbers(
      prefix + "center", count: 2, expected: "two numbers, longitude,latitude, such as 2.35,48.85")
    self.init(
      &parameters, of: tree, prefix,
      box: edges.map { BoundingBox(west: $0[0], south: $0[1], east: $0[2], north: $0[3]) },
      center: center.map { Coordinate(longitude: $0[0], latitude: $0[1]) },
      // A box of so many pixels has a zoom of its own.
      zoom: zoom ?? (edges != nil && width != nil ? nil : defaultZoom),
      size: width.flatMap { width in height.map { (width, $0) } })
  }

  private init(
    _ parameters: inout QueryParameters, of tree: ClusterTree, _ prefix: String, box: BoundingBox?,
    center: Coordinate?, zoom: Double?, size: (width: Double, height: Double)?
  ) {
    let name = prefix + (parameters.has(prefix + "center") ? "center" : "bbox")
    for (side, other) in [("width", "height"), ("height", "width")]
    where parameters.has(prefix + side) && !parameters.has(prefix + other) {
      parameters.refuse(
        prefix + other, expected: "a number of pixels, as there is a \(prefix)\(side)", found: nil)
    }
    if parameters.has(prefix + "center") {
      if parameters.has(prefix + "bbox") {
        parameters.refuse(name, expected: "either a bbox or a center", found: "both")
      }
      for side in ["zoom", "width"] where !parameters.has(prefix + side) && (side != "zoom" || zoom == nil) {
        parameters.refuse(prefix + side, expected: "a number, as there is a \(prefix)center", found: nil)
      }
    } else if parameters.has(prefix + "width"), !parameters.has(prefix + "bbox") {
      parameters.refuse(
        prefix + "bbox", expected: "a bbox or a center, as there is a \(prefix)width", found: nil)
    }
    if let center, tree.plane.projection == .webMercator, !(-90...90 ~= center.latitude) {
      parameters.refuse(
        name, expected: "a latitude from -90 to 90", found: parameters.value(prefix + "center"))
    }
    var seen = box
    if let center, let zoom, let size, box == nil {
      seen =
        Viewport(center: center, zoom: zoom, width: size.width, height: size.height, on: tree.plane).box
    }
    self.box = seen
    var (window, scale): (PlaneWindow?, Double?) = (.everything, zoom)
    if let seen {
      do {
        window = try tree.plane.window(showing: seen)
        if zoom == nil, let size, window != nil {
          let size = try PictureSize(width: size.width, height: size.height)
          scale = try ComparisonView(seen, fitting: size, on: tree.plane).zoom
        }
      } catch {
        parameters.refuse(name, expected: Self.expectation(of: error), found: parameters.value(name))
      }
    }
    (self.window, self.zoom) = (window, scale)
  }

  /// Errors of boxes read "expected …, found …".
  private static func expectation(of error: any Error) -> String {
    var text = "\(error)"[...]
    if text.hasPrefix("expected ") { text = text.dropFirst("expected ".count) }
    if let range = text.firstRange(of: ", found ") { text = text[..<range.lowerBound] }
    return String(text)
  }
}
