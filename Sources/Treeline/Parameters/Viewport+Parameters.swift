extension Viewport: Parameterized {
  /// The viewport as parameters, in a fixed order: what a command line, a URL and JSON have.
  public var parameters: [(name: String, value: ParameterValue)] {
    var parameters: [(name: String, value: ParameterValue)] = []
    switch area {
    case .everything: break
    case .box(let box): parameters.append(("bbox", .numbers([box.west, box.south, box.east, box.north])))
    case .center(let center): parameters.append(("center", .numbers([center.longitude, center.latitude])))
    case .tile(let tile):
      parameters.append(("tile", .numbers([Double(tile.zoom), Double(tile.x), Double(tile.y)])))
    }
    if let zoom, !isTile { parameters.append(("zoom", .number(zoom))) }
    if let size { parameters += [("width", .number(size.width)), ("height", .number(size.height))] }
    if tileSize != .pixels256 { parameters.append(("tile-size", .integer(tileSize.rawValue))) }
    if margin != 0 { parameters.append(("margin", .number(margin))) }
    return parameters
  }

  private var isTile: Bool { if case .tile = area { true } else { false } }

  /// Reads a viewport; one that says nothing is `everything`.
  public init(_ parameters: inout QueryParameters) { self.init(&parameters, prefix: "") }

  /// Reads one of several viewports, with a prefix before the names of its parameters.
  public init(_ parameters: inout QueryParameters, prefix: String) {
    var reader = ViewportReader(parameters: parameters, prefix: prefix)
    self = reader.viewport()
    parameters = reader.parameters
  }
}

private struct ViewportReader {
  var parameters: QueryParameters
  let prefix: String

  mutating func viewport() -> Viewport {
    let zoom = number("zoom", in: parameters.bounds.zooms)
    let (width, height) = (side("width"), side("height"))
    let size = width.flatMap { width in height.map { Viewport.Size(width: width, height: $0) } }
    let tileSize = tileSize()
    let margin = number("margin", in: 0...parameters.bounds.sides.upperBound) ?? 0
    let area = area()
    check(area)
    return Viewport(area, zoom: zoom ?? tileZoom(area), size: size, tileSize: tileSize, margin: margin)
  }

  private mutating func area() -> Viewport.Area {
    let box = parameters.numbers(
      prefix + "bbox", count: 4, expected: "four numbers, west,south,east,north, such as 2.2,48.8,2.5,48.9")
    let center = parameters.numbers(
      prefix + "center", count: 2, expected: "two numbers, longitude,latitude, such as 2.35,48.85")
    let tile = parameters.numbers(prefix + "tile", count: 3, expected: "three numbers, zoom,x,y")
    if let tile {
      let numbers = tile.compactMap { Int(exactly: $0) }
      if numbers.count == 3, let tile = MapTile(zoom: numbers[0], x: numbers[1], y: numbers[2]) {
        return .tile(tile)
      }
      refuse("tile", expected: "the zoom, column and row of a tile, from 0 to 2^zoom - 1")
    }
    if let center { return .center(Coordinate(longitude: center[0], latitude: center[1])) }
    if let box { return .box(BoundingBox(west: box[0], south: box[1], east: box[2], north: box[3])) }
    return .everything
  }

  /// What belongs together is there, and what does not is not.
  private mutating func check(_ area: Viewport.Area) {
    for (side, other) in [("width", "height"), ("height", "width")] where has(side) && !has(other) {
      refuse(other, expected: "a number of pixels, as there is a \(prefix)\(side)")
    }
    if has("center") {
      if has("bbox") {
        parameters.refuse(
          prefix + "center", expected: "either a bbox or a center", found: "both",
          sentence: "{\(prefix)bbox} and {\(prefix)center} exclude each other; choose one.")
      }
      for side in ["zoom", "width"] where !has(side) {
        refuse(side, expected: "a number, as there is a \(prefix)center")
      }
    } else if has("width"), !has("bbox") {
      refuse("bbox", expected: "a bbox or a center, as there is a \(prefix)width")
    }
  }

  private func tileZoom(_ area: Viewport.Area) -> Double? {
    if case .tile(let tile) = area { Double(tile.zoom) } else { nil }
  }

  private mutating func tileSize() -> Viewport.TileSize {
    guard let text = parameters.text(prefix + "tile-size") else { return .pixels256 }
    if let size = Int(text).flatMap(Viewport.TileSize.init(rawValue:)) { return size }
    refuse("tile-size", expected: "256 or 512")
    return .pixels256
  }

  private mutating func side(_ name: String) -> Double? {
    number(name, in: parameters.bounds.sides, unit: "a number of pixels ")
  }

  private mutating func number(_ name: String, in range: ClosedRange<Double>, unit: String = "") -> Double? {
    let (low, high) = (ParameterValue.number(range.lowerBound), ParameterValue.number(range.upperBound))
    return parameters.number(prefix + name, in: range, expected: "\(unit)from \(low) to \(high)")
  }

  private func has(_ name: String) -> Bool { parameters.has(prefix + name) }

  private mutating func refuse(_ name: String, expected: String) {
    parameters.refuse(prefix + name, expected: expected, found: parameters.value(prefix + name))
  }
}
