import ArgumentParser
import Foundation
import GridBaseline
import Treeline
import TreelineComparison
import TreelineFormats

struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Sets a grid and the tree side by side at the same number of clusters.",
    discussion: """
      Without --bbox, several views are chosen: the whole data and denser and denser parts, the same every time. The \
      measures are printed as a table; --output draws both pictures of each view into one HTML file that needs no \
      network.
      """)

  @OptionGroup var source: InputOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The one view to compare. (default: several, chosen by the data)", valueName: "w,s,e,n"),
    transform: BoundingBox.init(argument:))
  var bbox: BoundingBox?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The zoom of --bbox. (default: the largest at which it fits into --size)", valueName: "z"))
  var zoom: Double?

  @Option(
    help: ArgumentHelp("The size of the screen in pixels. (default: 1024x768)", valueName: "wxh"),
    transform: PixelSize.init(argument:))
  var size = PixelSize(width: 1024, height: 768)

  @Option(help: ArgumentHelp("The side of the grid's cells in pixels.", valueName: "px"))
  var cell = 64.0

  @Option(
    help: ArgumentHelp("The most clusters of the tree. (default: as many as the grid has)", valueName: "k"))
  var limit: Int?

  @Option(name: [.short, .long], help: ArgumentHelp("Write the report as an HTML file.", valueName: "file"))
  var output: String?

  @Option(help: ArgumentHelp("A sentence to show below the report, as licences ask for.", valueName: "text"))
  var credit: [String] = []

  @Option(
    help: ArgumentHelp(
      "Write the measures as JSON; '-' is standard output, in place of the table.", valueName: "file"))
  var json: String?

  func validate() throws {
    try checkOutputPath(output, "--output")
    if json != "-" { try checkOutputPath(json, "--json") }
    if let limit, limit < 1 { throw ValidationError("'--limit' must be 1 or more, found \(limit).") }
    if !(cell.isFinite && 1...16_384 ~= cell) {
      throw ValidationError("'--cell' must be a number of pixels from 1 to 16384, found \(cell).")
    }
    if let zoom, !(0...32 ~= zoom) { throw ValidationError("'--zoom' must be from 0 to 32, found \(zoom).") }
    if zoom != nil && bbox == nil {
      throw ValidationError("'--zoom' goes with '--bbox': views are chosen with theirs.")
    }
  }

  func run() throws {
    try reportingFailures {
      let input = source.input
      let jsonPath = json == "-" ? nil : json
      try input.checkOutputs([output, jsonPath])
      // Reading may take minutes, so places to write to are taken first.
      let page = try output.map { try ReportFile($0, beginning: ComparisonReport.htmlBeginning) }
      let measures = try jsonPath.map { try ReportFile($0, beginning: "") }
      let points = try Points(input, keepsColumns: false)
      let report = try ComparisonReport(
        of: points.tree, and: Grid(over: points.tree),
        options: ComparisonOptions(
          box: bbox, zoom: zoom, size: PictureSize(width: Double(size.width), height: Double(size.height)),
          cellSize: .pixels(cell), limit: limit))
      try page?.write(html(report, of: input))
      try measures?.write(report.json)
      try writeToStandardOutput(json == "-" ? report.json : report.text)
    }
  }

  private func html(_ report: ComparisonReport, of input: Input) throws -> String {
    let name = input.path == "-" ? input.name : URL(fileURLWithPath: input.path).lastPathComponent
    return report.html(
      ComparisonReport.Page(
        title: name, land: try Land.rings(for: report.views.map(\.view.box)),
        credits: credit + ["Land: Natural Earth."]))
  }
}
