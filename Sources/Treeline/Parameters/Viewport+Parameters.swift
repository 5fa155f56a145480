extension Viewport: Parameterized {
  /// The viewport as parameters, in a fixed order: what a command line, a URL and JSON have.
  public var parameters: [(name: String, value: ParameterValue)] {
    var parameters: [(name: String, value: ParameterValue)] = []
    switch area {
    case .everything: break
    case .box(let box): parameters.append(("bbox", .numbers([box.west, box.south, box.east, box.north])))
    case .center(let center): parameters.append(("center", .numbers([center.longitude, center.latitude])))
    case .tile(let tile): parameters.append(("tile", .numbers([Double(tile.zoom), Double(tile.x), Double(tile.y)])))
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
  ///
  /// - Parameters:
  ///   - parameters: What is read is marked as read, and what is wrong is noted.
  ///   - prefix: Before each name.
  ///   - defaultZoom: That of another viewport, of 256 px tiles, where this one says none. A box on a screen of a
  ///     given size has a zoom of its own.
  public init(_ parameters: inout QueryParameters, prefix: String, defaultZoom: Double? = nil) {
    let bounds = parameters.bounds
    let tileSize = parameters.tileSize(prefix + "tile-size") ?? .pixels256
    let ownZoom = parameters.number(prefix + "zoom", in: bounds.zooms)
    let width = parameters.number(prefix + "width", in: bounds.sides, unit: "a number of pixels ")
    let height = parameters.number(prefix + "height", in: bounds.sides, unit: "a number of pixels ")
    let margin = parameters.number(prefix + "margin", in: 0...bounds.sides.upperBound) ?? 0
    let area = parameters.area(prefix)
    let hasSizedBox = parameters.has(prefix + "bbox") && width != nil
    let zoom = ownZoom ?? (hasSizedBox ? nil : defaultZoom.map { $0 - tileSize.zoomOffset })
    parameters.checkSize(prefix, hasZoom: zoom != nil)
    let size = width.flatMap { width in height.map { Size(width: width, height: $0) } }
    if case .tile(let tile) = area {
      self.init(tile: tile, tileSize: tileSize, margin: margin)
    } else {
      self.init(area, zoom: zoom, size: size, tileSize: tileSize, margin: margin)
    }
    if margin > 0 && !hasScale {
      parameters.refuse(
        prefix + "zoom", expected: "a zoom, as a margin is in pixels", found: nil,
        sentence: "{\(prefix)margin} needs {\(prefix)zoom}: it is in pixels.")
    }
  }
}

extension QueryParameters {
  /// The tile size that a parameter gives: 256 or 512.
  public mutating func tileSize(_ key: String) -> Viewport.TileSize? {
    guard let text = text(key) else { return nil }
    if let size = Int(text).flatMap(Viewport.TileSize.init(rawValue:)) { return size }
    refuse(key, expected: "256 or 512", found: text)
    return nil
  }

  fileprivate mutating func number(_ key: String, in range: ClosedRange<Double>, unit: String = "") -> Double? {
    let (low, high) = (ParameterValue.number(range.lowerBound), ParameterValue.number(range.upperBound))
    return number(key, in: range, expected: "\(unit)from \(low) to \(high)")
  }

  fileprivate mutating func area(_ prefix: String) -> Viewport.Area {
    let box = numbers(
      prefix + "bbox", count: 4, expected: "four numbers, west,south,east,north, such as 2.2,48.8,2.5,48.9")
    let center = numbers(prefix + "center", count: 2, expected: "two numbers, longitude,latitude, such as 2.35,48.85")
    for other in ["bbox", "center", "zoom"] where has(prefix + "tile") && has(prefix + other) {
      refuse(
        prefix + other, expected: "no \(prefix)tile beside it", found: value(prefix + other),
        sentence: "{\(prefix)tile} and {\(prefix)\(other)} exclude each other; choose one.")
    }
    if let tile = numbers(prefix + "tile", count: 3, expected: "three numbers, zoom,x,y") {
      let numbers = tile.compactMap { Int(exactly: $0) }
      if numbers.count == 3, let tile = MapTile(zoom: numbers[0], x: numbers[1], y: numbers[2]) { return .tile(tile) }
      refuse(
        prefix + "tile", expected: "a zoom from 0 to \(MapTile.greatestZoom), a column and a row of it",
        found: value(prefix + "tile"))
    }
    if let center { return .center(Coordinate(longitude: center[0], latitude: center[1])) }
    if let box { return .box(BoundingBox(west: box[0], south: box[1], east: box[2], north: box[3])) }
    return .everything
  }

  /// What goes with a size is there, and what a centre needs.
  fileprivate mutating func checkSize(_ prefix: String, hasZoom: Bool) {
    func has(_ name: String) -> Bool { self.has(prefix + name) }
    for (side, other) in [("width", "height"), ("height", "width")] where has(side) && !has(other) {
      refuse(prefix + other, expected: "a number of pixels, as there is a \(prefix)\(side)", found: nil)
    }
    if has("center") {
      if has("bbox") {
        refuse(
          prefix + "center", expected: "either a bbox or a center", found: "both",
          sentence: "{\(prefix)bbox} and {\(prefix)center} exclude each other; choose one.")
      }
      for side in ["zoom", "width"] where !has(side) && (side != "zoom" || !hasZoom) {
        refuse(prefix + side, expected: "a number, as there is a \(prefix)center", found: nil)
      }
    } else if has("width"), !has("bbox") {
      refuse(
        prefix + "bbox", expected: "a bbox or a center, as there is a \(prefix)width", found: nil,
        sentence: "{\(prefix)width} needs {\(prefix)bbox} or {\(prefix)center}.")
    }
  }
}
