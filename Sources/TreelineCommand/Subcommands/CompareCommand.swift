import ArgumentParser
import Foundation
import Treeline
@_spi(Server) import TreelineComparison
import TreelineFormats

struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Compares a grid with ways to cut the tree.",
    discussion: """
      Without --bbox, several views are chosen: the whole data and denser and denser parts, the same every time. The \
      measures are printed as a table; --output draws the pictures of each view into one HTML file that needs no \
      network. --journey adds what changes on the screen on a flight through the data, as a film strip.

      Methods: 'grid', one cluster for each occupied cell; \(TreeCut.summaries). With '/' and a rule, of a tree whose \
      nodes are split so: 'widest-first/least-scatter'; with '/merge:distance', '/merge:badges' or '/merge:scatter', of \
      one that is grown by merging; without, of one split at the mean, as the article does, or of the one that an index \
      holds. 'badges' is always of one grown for badges.
      """)

  @OptionGroup var source: InputOptions

  @Option(
    parsing: .unconditional,
    help: .init("The one view to compare. (default: several, chosen by the data)", valueName: "w,s,e,n")) var bbox:
    String?

  @Option(
    parsing: .unconditional,
    help: .init("The zoom of --bbox. (default: the largest at which it fits into --size)", valueName: "z"))
  var zoom: String?

  @Option(
    help: .init("The size of the screen in pixels. (default: 1024x768)", valueName: "wxh"),
    transform: Viewport.Size.init(argument:)) var size = Viewport.Size.standard

  @Option(help: .init("The side of the grid's cells in pixels.", valueName: "px")) var cell = 64.0

  @Option(help: .init("The most clusters of the tree. (default: as many as the grid has)", valueName: "k"))
  var limit: Int?

  @Option(
    help: .init(
      "What to compare, in this order; 'all' is all of them, or with an index all that it supports. (default: \(MethodNames.standard), or of an index the same of its rule, the last where it has separations)",
      valueName: "name,name"), transform: MethodNames.init(argument:)) var methods: MethodNames?

  @Option(
    help: .init(
      "A program that clusters by k-means, as a yardstick: scripts/measure/kmeans, or another with the same input and output.",
      valueName: "program")) var kmeans: String?

  @Flag(help: "Add a flight: in to a dense place, to all sides on the way, and out again.") var journey = false

  @Option(
    help: .init("Add a flight through the views of a file: west,south,east,north,zoom in each line.", valueName: "file")
  ) var journeyFile: String?

  @Option(name: [.short, .long], help: .init("Write the report as an HTML file.", valueName: "file"))
  var output: String?

  @Option(help: .init("A sentence to show below the report, as licences require.", valueName: "text"))
  var credit: [String] = []

  @Option(help: .init("Write the measures as JSON; '-' is standard output, in place of the table.", valueName: "file"))
  var json: String?

  @OptionGroup var notes: NoteOptions

  func validate() throws {
    try checkOutputPath(output, "--output")
    if json != "-" { try checkOutputPath(json, "--json") }
    if let limit, limit < 1 { throw ValidationError("'--limit' must be 1 or more, found \(limit).") }
    if !(cell.isFinite && 1...16_384 ~= cell) {
      throw ValidationError("'--cell' must be a number of pixels from 1 to 16384, found \(cell).")
    }
    if journey && journeyFile != nil {
      throw ValidationError("'--journey' and '--journey-file' exclude each other; choose one.")
    }
    if zoom != nil && bbox == nil {
      throw ValidationError("'--zoom' goes with '--bbox': views are chosen with theirs.")
    }
    _ = try viewport()
  }

  /// nil for chosen ones.
  private func viewport() throws -> Viewport? {
    guard let bbox else { return nil }
    let scale = zoom.map { [("zoom", $0)] } ?? [("width", "\(size.width)"), ("height", "\(size.height)")]
    var parameters = QueryParameters([("bbox", bbox)] + scale)
    let viewport = Viewport(&parameters)
    try parameters.check()
    return viewport
  }

  func run() throws {
    try reportingFailures {
      let input = source.input
      let jsonPath = json == "-" ? nil : json
      try input.checkOutputs([output, jsonPath])
      // Reading may take minutes, so places to write to are taken first.
      let page = try output.map { try ReportFile($0, beginning: ComparisonReport.htmlBeginning) }
      let measures = try jsonPath.map { try ReportFile($0, beginning: "") }
      var options = ComparisonOptions(viewport: try viewport(), size: size, cellSize: .pixels(cell), limit: limit)
      if journey { options.journey = .flight }
      if let journeyFile { options.journey = .views(try JourneyFile.views(path: journeyFile)) }
      if let kmeans { options.kMeans = KMeansProgram(path: kmeans).labels(of:count:) }
      let compared = try ComparedMethods(methods, of: input, cellSize: options.cellSize, kMeans: options.kMeans)
      let report = try ComparisonReport(of: compared.methods, over: compared.tree, and: compared.grid, options: options)
      try page?.write(html(report, of: input))
      try measures?.write(report.json)
      try writeToStandardOutput(json == "-" ? report.json : report.text)
    }
  }

  private func html(_ report: ComparisonReport, of input: Input) throws -> String {
    let name = input.path == "-" ? input.name : URL(fileURLWithPath: input.path).lastPathComponent
    return report.html(
      title: name, land: try Land.rings(for: report.shownBoxes), credits: credit + ["Land: Natural Earth."])
  }
}

extension Viewport.Size {
  /// Reads whole numbers of pixels, written `1024x768`.
  fileprivate init(argument: String) throws {
    let sides = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    guard sides.count == 2, sides.allSatisfy((16...16_384).contains) else {
      throw ValidationError("expected two numbers from 16 to 16384, as in 1024x768")
    }
    self.init(width: Double(sides[0]), height: Double(sides[1]))
  }
}
