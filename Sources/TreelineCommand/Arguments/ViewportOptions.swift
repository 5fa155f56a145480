import ArgumentParser
import Treeline

/// What is looked at.
struct ViewportOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "What to look at; west greater than east crosses the antimeridian. (default: all)", valueName: "w,s,e,n"),
    transform: BoundingBox.init(argument:)) var bbox: BoundingBox?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Look at what a screen shows around a position, instead of --bbox: with --zoom, --width and --height.",
      valueName: "lon,lat")) var center: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Look at a map tile, instead of --bbox and --zoom.", valueName: "z,x,y")) var tile: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The zoom, at which the world is 256 px times 2^zoom wide.", valueName: "z")) var zoom: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The screen's width in pixels, which gives a --bbox the zoom at which it fits.", valueName: "px")
  ) var width: Double?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The screen's height in pixels.", valueName: "px")) var height: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Of which tiles --zoom is: 256, or 512 as MapLibre counts. (default: 256)", valueName: "px"))
  var tileSize: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How far around that to look, too, in pixels at the zoom.", valueName: "px")) var margin: Double?

  var parameters: [Parameter?] {
    [
      Parameter("bbox", bbox), Parameter("center", center), Parameter("zoom", zoom), Parameter("width", width),
      Parameter("height", height), Parameter("tile-size", tileSize), Parameter("tile", tile),
      Parameter("margin", margin),
    ]
  }
}

extension Viewport {
  /// The part of a tree's plane that is looked at; nil where it shows nothing of it.
  ///
  /// - Parameter option: What a box comes by.
  func window(on tree: ClusterTree, option: String) throws -> PlaneWindow? {
    do { return try window(on: tree.plane) } catch {
      throw Failure.usage("\(option): \(error)")
    }
  }
}

extension BoundingBox {
  /// Reads `west,south,east,north`.
  init(argument: String) throws {
    let edges = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0.filter { $0 != " " }) }
    guard edges.count == 4, let west = edges[0], let south = edges[1], let east = edges[2], let north = edges[3] else {
      throw ValidationError("expected four numbers, west,south,east,north")
    }
    self.init(west: west, south: south, east: east, north: north)
  }
}
