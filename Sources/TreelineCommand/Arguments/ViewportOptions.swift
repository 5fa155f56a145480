import ArgumentParser
import Treeline

/// What is looked at.
struct ViewportOptions<Prefix: OptionPrefix>: ParsableArguments {
  @Option(
    name: Prefix.name("bbox"), parsing: .unconditional,
    help: Prefix.help(
      "bbox", "What to look at; west greater than east crosses the antimeridian. (default: all)", valueName: "w,s,e,n"))
  var bbox: String?

  @Option(
    name: Prefix.name("center"), parsing: .unconditional,
    help: Prefix.help(
      "center", "Look at what a screen shows around a position, instead of --bbox: with --zoom, --width and --height.",
      valueName: "lon,lat")) var center: String?

  @Option(
    name: Prefix.name("tile"), parsing: .unconditional,
    help: Prefix.help("tile", "Look at a map tile, instead of --bbox and --zoom.", valueName: "z,x,y")) var tile:
    String?

  @Option(
    name: Prefix.name("zoom"), parsing: .unconditional,
    help: Prefix.help("zoom", "The zoom, at which the world is 256 px times 2^zoom wide.", valueName: "z")) var zoom:
    String?

  @Option(
    name: Prefix.name("width"), parsing: .unconditional,
    help: Prefix.help(
      "width", "The screen's width in pixels, which gives a --bbox the zoom at which it fits.", valueName: "px"))
  var width: String?

  @Option(
    name: Prefix.name("height"), parsing: .unconditional,
    help: Prefix.help("height", "The screen's height in pixels.", valueName: "px")) var height: String?

  @Option(
    name: Prefix.name("tile-size"), parsing: .unconditional,
    help: Prefix.help(
      "tile-size", "Of which tiles --zoom is: 256, or 512 as MapLibre counts. (default: 256)", valueName: "px"))
  var tileSize: String?

  @Option(
    name: Prefix.name("margin"), parsing: .unconditional,
    help: Prefix.help("margin", "How far around that to look, too, in pixels at the zoom.", valueName: "px"))
  var margin: String?

  var parameters: [Parameter] {
    Prefix.parameters([
      ("bbox", bbox), ("center", center), ("tile", tile), ("zoom", zoom), ("width", width), ("height", height),
      ("tile-size", tileSize), ("margin", margin),
    ])
  }
}

extension Viewport {
  /// Where it is on a tree's plane; nil where it shows nothing of it.
  func located<Prefix: OptionPrefix>(on tree: ClusterTree, _: Prefix.Type) throws -> PlaneViewport? {
    do { return try located(on: tree.plane) } catch {
      throw Failure.usage("--\(Prefix.prefix)\(areaParameter): \(error)")
    }
  }
}
