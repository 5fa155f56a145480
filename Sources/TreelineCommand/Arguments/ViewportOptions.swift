import ArgumentParser
@_spi(Server) import Treeline

/// The options of a viewport.
struct ViewportOptions<Prefix: OptionPrefix>: ParsableArguments {
  @Option(
    name: Prefix.name("bbox"), parsing: .unconditional,
    help: Prefix.help(
      "bbox", "The box to show. If west is greater than east, the box crosses the antimeridian. (default: all)",
      valueName: "w,s,e,n"))
  var bbox: String?

  @Option(
    name: Prefix.name("center"), parsing: .unconditional,
    help: Prefix.help(
      "center", "The center of the screen, instead of --bbox; needs --zoom, --width and --height.",
      valueName: "lon,lat")) var center: String?

  @Option(
    name: Prefix.name("tile"), parsing: .unconditional,
    help: Prefix.help("tile", "The map tile to show, instead of --bbox and --zoom.", valueName: "z,x,y")) var tile:
    String?

  @Option(
    name: Prefix.name("zoom"), parsing: .unconditional,
    help: Prefix.help("zoom", "The zoom. The world is 256 px times 2^zoom wide.", valueName: "z")) var zoom: String?

  @Option(
    name: Prefix.name("width"), parsing: .unconditional,
    help: Prefix.help(
      "width", "The screen's width in pixels. With --bbox, the zoom is chosen so that the box fits.", valueName: "px")
  )
  var width: String?

  @Option(
    name: Prefix.name("height"), parsing: .unconditional,
    help: Prefix.help("height", "The screen's height in pixels.", valueName: "px")) var height: String?

  @Option(
    name: Prefix.name("tile-size"), parsing: .unconditional,
    help: Prefix.help(
      "tile-size", "The tile size that --zoom refers to: 256, or 512 as in MapLibre. (default: 256)", valueName: "px"))
  var tileSize: String?

  @Option(
    name: Prefix.name("margin"), parsing: .unconditional,
    help: Prefix.help("margin", "Pixels by which the box or screen is extended on each side.", valueName: "px")
  )
  var margin: String?

  var parameters: [Parameter] {
    Prefix.parameters([
      ("bbox", bbox), ("center", center), ("tile", tile), ("zoom", zoom), ("width", width), ("height", height),
      ("tile-size", tileSize), ("margin", margin),
    ])
  }
}

extension Viewport {
  /// Returns the viewport on the plane of a tree; nil if no part of the plane is in view.
  func located<Prefix: OptionPrefix>(on tree: ClusterTree, _: Prefix.Type) throws -> PlaneViewport? {
    do { return try located(on: tree.plane) } catch {
      throw Failure.usage("--\(Prefix.prefix)\(areaParameter): \(error)")
    }
  }
}
