extension Viewport: Parameterized {
  /// The viewport as parameters, in a fixed order, for a command line, a URL or JSON.
  package var parameters: [(name: String, value: ParameterValue)] {
    var parameters: [(name: String, value: ParameterValue)] = []
    switch area {
    case .everything: break
    case .box(let box): parameters.append(("bbox", .numbers([box.west, box.south, box.east, box.north])))
    case .center(let center): parameters.append(("center", .numbers([center.longitude, center.latitude])))
    case .tile(let tile): parameters.append(("tile", .numbers([Double(tile.zoom), Double(tile.x), Double(tile.y)])))
    }
    if let zoom, areaParameter != "tile" { parameters.append(("zoom", .number(zoom))) }
    if let size { parameters += [("width", .number(size.width)), ("height", .number(size.height))] }
    if tileSize != .pixels256 { parameters.append(("tile-size", .integer(tileSize.rawValue))) }
    if margin != 0 { parameters.append(("margin", .number(margin))) }
    return parameters
  }

  /// The name of the parameter for the area. For the area `everything` it is `bbox`.
  @_spi(Server) public var areaParameter: String {
    switch area {
    case .everything, .box: "bbox"
    case .center: "center"
    case .tile: "tile"
    }
  }

  /// Reads a viewport. If none of its parameters is given, the viewport is `everything`.
  @_spi(Server) public init(_ parameters: inout QueryParameters) { self.init(&parameters, defaultZoom: nil) }

  /// Reads a viewport. If the parameters contain no zoom, `defaultZoom` is used.
  ///
  /// - Parameters:
  ///   - parameters: The parameters to read.
  ///   - defaultZoom: The zoom to use if the parameters contain no zoom, such as the zoom of another query; nil if
  ///     there is no such zoom. The zoom is given for a tile size of 256 px. It is not used if the viewport is a tile,
  ///     or a box with a size in pixels, because such a viewport implies a zoom.
  package init(_ parameters: inout QueryParameters, defaultZoom: Double?) {
    let bounds = parameters.bounds
    let givenTileSize = parameters.tileSize("tile-size")
    let tileSize = givenTileSize ?? .pixels256
    let ownZoom = parameters.number("zoom", in: bounds.zooms)
    let width = parameters.number("width", in: bounds.sides, unit: "a number of pixels ")
    let height = parameters.number("height", in: bounds.sides, unit: "a number of pixels ")
    let margin = parameters.number("margin", in: 0...bounds.sides.upperBound) ?? 0
    let area = parameters.area()
    let hasSizedBox = parameters.has("bbox") && width != nil
    let zoom = ownZoom ?? (hasSizedBox ? nil : defaultZoom.map { $0 - tileSize.zoomOffset })
    parameters.checkSize(hasZoom: zoom != nil)
    let size = width.flatMap { width in height.map { Size(width: width, height: $0) } }
    if case .tile(let tile) = area {
      self.init(tile: tile, tileSize: tileSize, margin: margin)
    } else {
      self.init(area, zoom: zoom, size: size, tileSize: tileSize, margin: margin)
    }
    if margin > 0 && !hasScale && !parameters.has("zoom") && !parameters.has("tile") {
      parameters.refuse(
        "zoom", expected: "a zoom, because a margin is in pixels", found: nil,
        sentence: "{margin} is in pixels and needs {zoom}.")
    }
    if self.zoom == nil && givenTileSize != nil && !parameters.has("zoom") && !parameters.has("tile") {
      parameters.refuse(
        "tile-size", expected: "a zoom as well, because a tile size applies only to a zoom",
        found: parameters.value("tile-size"),
        sentence: "{tile-size} needs {zoom} or {tile}, because a tile size applies only to a zoom.")
    }
  }
}

extension QueryParameters {
  /// Reads a tile size: 256 or 512.
  @_spi(Server) public mutating func tileSize(_ key: String) -> Viewport.TileSize? {
    guard let text = text(key) else { return nil }
    if let size = Int(text).flatMap(Viewport.TileSize.init(rawValue:)) { return size }
    refuse(key, expected: "256 or 512", found: text)
    return nil
  }

  fileprivate mutating func area() -> Viewport.Area {
    let box = numbers(
      "bbox", count: 4, expected: "four numbers (west,south,east,north), such as 2.2,48.8,2.5,48.9")
    let center = numbers("center", count: 2, expected: "two numbers (longitude,latitude), such as 2.35,48.85")
    for other in ["bbox", "center", "zoom", "width", "height"] where has("tile") && has(other) {
      refuse(
        other, expected: "no \(name("tile")) in the same query", found: value(other),
        sentence: "{tile} and {\(other)} exclude each other; choose one.")
    }
    if let tile = numbers("tile", count: 3, expected: "three numbers (zoom,x,y)") {
      let numbers = tile.compactMap { Int(exactly: $0) }
      if numbers.count == 3, let tile = MapTile(zoom: numbers[0], x: numbers[1], y: numbers[2]) { return .tile(tile) }
      refuse(
        "tile", expected: "a zoom from 0 to \(MapTile.greatestZoom), and a column and a row that exist at this zoom",
        found: value("tile"))
    }
    if let center { return .center(Coordinate(longitude: center[0], latitude: center[1])) }
    if let box { return .box(BoundingBox(west: box[0], south: box[1], east: box[2], north: box[3])) }
    return .everything
  }

  /// Checks that `width` and `height` are given together, and with a `bbox` or a `center`. Checks that a `center` is
  /// given without a `bbox`, and with a zoom and a size. If a `tile` is given, checks nothing.
  fileprivate mutating func checkSize(hasZoom: Bool) {
    if has("tile") { return }
    for (side, other) in [("width", "height"), ("height", "width")] where has(side) && !has(other) {
      refuse(
        other, expected: "a number of pixels, because \(name(side)) is given", found: nil,
        sentence: "{\(side)} needs {\(other)}.")
    }
    if has("center") {
      if has("bbox") {
        refuse(
          "center", expected: "either a bbox or a center", found: value("center"),
          sentence: "{bbox} and {center} exclude each other; choose one.")
      }
      let missing =
        (hasZoom || has("zoom") ? [] : ["zoom"]) + (has("width") || has("height") ? [] : ["width", "height"])
      for name in missing {
        refuse(
          name, expected: "a number, because \(self.name("center")) is given", found: nil,
          sentence: "{center} needs \(missing.map { "{\($0)}" }.listed("and")).")
      }
    } else if has("width"), !has("bbox") {
      refuse(
        "bbox", expected: "a bbox or a center, because \(name("width")) is given", found: nil,
        sentence: "{width} needs {bbox} or {center}.")
    }
  }
}
