import ArgumentParser
import Foundation
@_spi(Server) import Treeline
import TreelineBuilder
import TreelineTiles

struct TilesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tiles", abstract: "Writes vector tiles of clusters: PMTiles or MBTiles.",
    discussion: """
      Each tile has the layer 'clusters' with the points and properties of the server's tiles, and each cluster is in \
      exactly one tile, so counts add up at every zoom. A single point has its columns: those of an index, or all \
      columns of the points. Without a cut, tiles show badges if the index was built for \
      badges. Otherwise they show clusters \(ParameterValue.text(PixelCriterion.spacing.standard)) px apart or, if the \
      index was not built for spacing, a detail of \(ParameterValue.text(PixelCriterion.detail.standard)) px. A limit is \
      refused, because it would apply to each tile separately, and neighboring tiles would show clusters of different \
      sizes. The same index, under the same name, gives the same bytes. The file appears when it is complete, and \
      replaces an older file of the same name.
      """)

  @OptionGroup var source: InputOptions

  @Option(name: .shortAndLong, help: .init("The file to write, *.pmtiles or *.mbtiles.", valueName: "file"))
  var output: String

  @Option(
    parsing: .unconditional,
    help: .init("The zooms of the tiles, from 0 to \(TilePyramid.greatestZoom).", valueName: "first-last"))
  var zooms = "0-14"

  @OptionGroup var cut: PixelCutOptions<NoPrefix>

  /// Options for a cut that has a limit. These options are always refused, with a helpful message. The help does not
  /// list them.
  @Option(parsing: .unconditional, help: .hidden) var limit: String?

  @Option(help: .hidden) var order: String?

  @OptionGroup var selection: FilterOptions

  @OptionGroup var splitting: GrowthOptions

  @Option(
    parsing: .unconditional,
    help: .init("The width in pixels at which maps show a tile: 512, as in MapLibre, or 256.", valueName: "px"))
  var tileSize = 512

  @OptionGroup var work: ThreadOptions

  @OptionGroup var notes: NoteOptions

  func validate() throws {
    try checkOutputPath(output, "--output")
    guard format != nil else {
      throw ValidationError("'--output' must end with .pmtiles or .mbtiles, found '\(output)'.")
    }
    guard zoomRange != nil else {
      throw ValidationError(
        "'--zooms' must be a first and a last zoom from 0 to \(TilePyramid.greatestZoom), such as 0-14, "
          + "found '\(zooms)'.")
    }
    guard Viewport.TileSize(rawValue: tileSize) != nil else {
      throw ValidationError("'--tile-size' must be 256 or 512, found \(tileSize).")
    }
    if limit != nil {
      throw ValidationError(
        "'--limit' cannot be used with tiles, because it would apply to each tile separately; "
          + "give one of \(pixelOptions).")
    }
    if order != nil { throw ValidationError("'--order' needs a limit, which tiles do not have.") }
    for (name, value) in [("min-points", cut.minPoints), ("alone-from-zoom", cut.aloneFromZoom)]
    where value != nil && cut.detail == nil && cut.spacing == nil {
      throw ValidationError("'--\(name)' needs '--detail' or '--spacing'; give one.")
    }
    _ = try givenCut
  }

  private enum Format: String { case pmtiles, mbtiles }

  private var format: Format? { Format(rawValue: (output as NSString).pathExtension.lowercased()) }

  private var zoomRange: ClosedRange<Int>? {
    let numbers = zooms.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard 1...2 ~= numbers.count, let first = numbers[0], let last = numbers[numbers.count - 1],
      0 <= first, first <= last, last <= TilePyramid.greatestZoom
    else { return nil }
    return first...last
  }

  /// The cut that the options describe; nil if no option describes a cut.
  private var givenCut: Cut? {
    get throws {
      if cut.parameters.isEmpty { return nil }
      var parameters = QueryParameters(cut.parameters)
      let cut = Cut(&parameters)
      try parameters.check()
      return cut.isByPixels ? cut : nil
    }
  }

  func run() throws {
    try reportingFailures {
      let input = source.input
      do { try write(input) } catch let error as TileError { throw Failure.badData("\(input.name): \(error)") }
    }
  }

  private func write(_ input: Input) throws {
    try input.checkOutputs([output])
    let (filter, aggregates) = try selection.parsed()
    let given = try givenCut
    let points = try Points(input, keepsColumns: true, splitting.request, for: given.map { [$0] } ?? [])
      .addingAllColumns(of: input.name)
      .selecting(filter, for: aggregates, of: input.name)
    let tree = points.tree
    let pyramid = try TilePyramid(
      of: tree, given ?? .standardByPixels(of: tree), aggregates: aggregates, zooms: zoomRange!,
      tileSize: Viewport.TileSize(rawValue: tileSize)!)
    let name = (input.name as NSString).lastPathComponent as NSString
    let plain = name.pathExtension == "gz" ? name.deletingPathExtension as NSString : name
    let description = TileDescription(of: pyramid, name: plain.deletingPathExtension)
    let threads = work.threads ?? ProcessInfo.processInfo.activeProcessorCount
    let progress = ProgressBar()
    let total = Double(tree.filteredPointCount)
    let file = try AtomicFile(path: output, beginning: format == .mbtiles ? Array("SQLite format 3\0".utf8) : [])
    Interruption.removes(file.partialPath)
    var archive: any TileArchive =
      switch format! {
      case .pmtiles: PMTiles { bytes, offset in try bytes.withUnsafeBytes { try file.write($0, at: offset) } }
      case .mbtiles: try MBTiles(file: file.partialPath, path: output)
      }
    var (tileCount, byteCount) = (0, 0)
    try pyramid.forEachTile(threads: threads) { done in
      progress.show("Writing tiles", done: Double(done) / Double(pyramid.zooms.count), of: total, unit: "points")
    } _: { tile in
      try archive.append(tile)
      tileCount += 1
      byteCount += tile.bytes.count
    }
    try archive.finish(description)
    try file.finish()
    progress.clear()
    if tileCount == 0 {
      Notes.print(
        "treelinemap: \(input.name): there are no points to show\(filter == nil ? "" : "; no point passes the filter")")
    }
    Notes.print(
      "treelinemap: wrote \(tileCount) \(tileCount == 1 ? "tile" : "tiles") to \(output): "
        + "\(Quantity(amount: Double(byteCount), unit: "B")) in total, zooms "
        + "\(pyramid.zooms.lowerBound) to \(pyramid.zooms.upperBound)")
  }
}
