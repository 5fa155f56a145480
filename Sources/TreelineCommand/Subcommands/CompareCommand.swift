import ArgumentParser
import Foundation
@_spi(Server) import Treeline
@_spi(Server) import TreelineComparison
import TreelineFormats

struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Compares a grid with other ways to cluster points.",
    discussion: """
      Without --bbox, several views are chosen: a view of all points, and views of denser and denser parts. The same \
      data gives the same views. The measures are printed as a table. --output draws all views in one HTML file, \
      which needs no network. --journey adds a flight through the data, as a film strip of the changes on the screen.

      Methods: 'grid', one cluster for each occupied cell; \(TreeCut.summaries). A suffix selects the tree: '/' and a \
      split rule, as in 'widest-first/least-scatter', or \
      \(MergeMetric.allCases.map { "'/\(Growth.merging(by: $0))'" }.listed()) for a tree grown by merging. Without a suffix, a method uses the tree of the index or, for points, a tree that is split at the \
      mean; for points, 'spacing' uses a tree merged by distance. 'badges' always uses a tree grown for badges.
      """)

  @OptionGroup var source: InputOptions

  @Option(
    parsing: .unconditional,
    help: .init("The only view to compare. (default: several views, chosen from the data)", valueName: "w,s,e,n"))
  var bbox: String?

  @Option(
    parsing: .unconditional,
    help: .init("The zoom of --bbox. (default: the largest zoom at which the box fits into --size)", valueName: "z"))
  var zoom: String?

  @Option(
    parsing: .unconditional,
    help: .init("The size of the screen in pixels. (default: 1024x768)", valueName: "wxh"),
    transform: Viewport.Size.init(argument:)) var size = Viewport.Size.standard

  @Option(parsing: .unconditional, help: .init("The side of the grid's cells in pixels.", valueName: "px"))
  var cell = 64.0

  @Option(
    parsing: .unconditional,
    help: .init(
      "The maximum number of clusters, for methods with a limit. (default: as many as the grid has)", valueName: "k"))
  var limit: String?

  @Option(
    help: .init(
      "The methods to compare, in this order; 'all' means the grid and every cut: for an index, the cuts of its tree; for points, the cuts of each split rule, and spacing and badges. (default: \(MethodNames.standard); for an index, only the methods of this list that its tree supports)",
      valueName: "name,name"), transform: MethodNames.init(argument:)) var methods: MethodNames?

  @Option(
    help: .init(
      "A program that clusters by k-means, for comparison: scripts/measure/kmeans, or a program with the same input and output.",
      valueName: "program")) var kmeans: String?

  @Flag(
    help:
      "Also compare the methods on a flight that zooms into a dense place, pans to all sides on the way, and zooms out again."
  ) var journey = false

  @Option(
    help: .init(
      "Also compare the methods on a flight through the views in a file. Each line is a view: west,south,east,north,zoom.",
      valueName: "file")) var journeyFile: String?

  @Option(name: [.short, .long], help: .init("Write the report as an HTML file.", valueName: "file"))
  var output: String?

  @Option(help: .init("A sentence to show below the report, such as a credit for the data.", valueName: "text"))
  var credit: [String] = []

  @Option(
    help: .init(
      "Write the measures as JSON to this file; with '-', print JSON instead of the table.", valueName: "file"))
  var json: String?

  @OptionGroup var notes: NoteOptions

  func validate() throws {
    try checkPagePath(output, "--output")
    if json != "-" { try checkOutputPath(json, "--json") }
    try checkPlainPath(json, "--json")
    _ = try clusterLimit()
    if !(cell.isFinite && 1...16_384 ~= cell) {
      throw ValidationError("'--cell' must be a number of pixels from 1 to 16384, found \(ParameterValue.text(cell)).")
    }
    if journey && journeyFile != nil {
      throw ValidationError("'--journey' and '--journey-file' exclude each other; choose one.")
    }
    if zoom != nil && bbox == nil {
      throw ValidationError("'--zoom' needs '--bbox', because without '--bbox' each view has its own zoom.")
    }
    _ = try viewport()
  }

  private func clusterLimit() throws -> Int? {
    try limit.map { try QueryParameters.integer($0, ofOption: "limit", in: 1 ... .max) }
  }

  /// Returns the view to compare; nil if views are chosen automatically.
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
      // Reading may take minutes, so the output files are opened before the input is read.
      let page = try output.map { try ReportFile($0, beginning: ComparisonReport.htmlBeginning) }
      let measures = try jsonPath.map { try ReportFile($0, beginning: "") }
      var options = ComparisonOptions(
        viewport: try viewport(), size: size, cellSize: .pixels(cell), limit: try clusterLimit())
      if journey { options.journey = .flight }
      if let journeyFile { options.journey = .views(try JourneyFile.views(path: journeyFile)) }
      if let kmeans { options.kMeans = KMeansProgram(path: kmeans).labels(of:count:) }
      let compared = try ComparedMethods(methods, of: input, cellSize: options.cellSize, kMeans: options.kMeans)
      let report: ComparisonReport
      do {
        report = try ComparisonReport(of: compared.methods, over: compared.tree, and: compared.grid, options: options)
      } catch let error as QueryError {
        guard case .limitBelowGroups(_, let needed) = error else { throw error }
        throw Failure.usage("\(input.name): \(error); give '--limit \(needed)' or more")
      }
      if options.journey != nil && !report.hasJourney {
        Notes.print("treelinemap: left out the journey, which needs points at two or more positions")
      }
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
  /// Parses a size in whole pixels, such as `1024x768`.
  fileprivate init(argument: String) throws {
    let sides = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    guard sides.count == 2, sides.allSatisfy((16...16_384).contains) else {
      throw ValidationError("expected two numbers from 16 to 16384, as in 1024x768")
    }
    self.init(width: Double(sides[0]), height: Double(sides[1]))
  }
}
