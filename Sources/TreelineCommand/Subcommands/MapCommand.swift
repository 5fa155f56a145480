import ArgumentParser
import Foundation
import Treeline
import TreelineBuilder
import TreelinePages

struct MapCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "map", abstract: "Writes a map of points as one HTML file, which a browser opens from disk.",
    discussion: """
      The file contains the map, the points and all their columns, so it needs neither a server nor a network. On the \
      map you can filter points, color them by a column, and show the sum of a column. The input is an index, or \
      points with any option of 'build', such as '--columns name,price:number'. Groups and the options about the file of \
      an index (--force, --allow-loss and --resume) are refused. Without options, badges never touch, and all \
      columns are kept.
      """)

  @Argument(help: .init("An index, or points as \(inputHelp)", valueName: "points")) var path: String

  @Option(name: .shortAndLong, help: .init("The file to write, *.html.", valueName: "file")) var output: String

  @Option(help: .init("The title of the map. (default: the title of the index, or the file's name)", valueName: "text"))
  var title: String?

  @Option(
    help: .init(
      """
      The map below the badges: the address of a MapLibre style, or of tiles such as https://host/{z}/{x}/{y}.png. \
      The page loads this map from the network. (default: land, lakes and borders in the page itself)
      """, valueName: "address"))
  var basemap: String?

  @OptionGroup var notes: NoteOptions

  @Argument(parsing: .allUnrecognized, help: .init("Options of 'build'.", valueName: "options"))
  var options: [String] = []

  func validate() throws {
    try checkInputPath(path)
    try checkPagePath(output, "--output")
    try checkLine(title, "--title")
    _ = try basemap.map(Basemap.init(_:))
  }

  func run() throws {
    let isIndex = ClusterTree.isIndex(atPath: path)
    var file: ReportFile?
    try reportingFailures {
      try Input(path: path, columns: ColumnOptions.parse([])).checkOutputs([output])
      if isIndex, let option = options.first {
        _ = try buildCommand(path)
        throw Failure.usage("'\(option)' is an option for points, but \(path) is an index; leave out this option")
      }
      if let option = ["--group-by", "--never-cluster"].first(where: { isGiven($0) }) {
        throw Failure.usage("'\(option)' cannot be used for a map, because pages cannot contain groups; leave it out")
      }
      // These options protect an existing index, or continue one. A map has no such index.
      if let option = ["--force", "--allow-loss", "--resume"].first(where: { isGiven($0) }) {
        throw Failure.usage("'\(option)' is about the file of an index, which 'map' does not write; leave it out")
      }
      file = try ReportFile(output, beginning: "")
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("treelinemap-\(UUID().uuidString)")
    let index = isIndex ? path : folder.appendingPathComponent("points.treeline").path
    defer { try? FileManager.default.removeItem(at: folder) }
    if !isIndex {
      Interruption.removes(folder.path)
      Interruption.removes(index)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      // Without other options, the index supports badges and keeps all columns.
      try buildCommand(index).run()
    }
    try reportingFailures {
      guard let map = MapPage.ofTool else {
        throw Failure.inputOutput("the tool was built without its map; \(MapPage.remedy)")
      }
      let name = (path as NSString).lastPathComponent as NSString
      let published = try PublishedIndex(index)
      let title = title ?? published.givenTitle ?? (path == "-" ? "Map" : name.deletingPathExtension)
      let page: [UInt8]
      do {
        page = try published.page(on: map, title: title, basemap: try basemap.map(Basemap.init(_:))?.style)
      } catch let error as PageError {
        // Points were made into a temporary index, whose name the user does not know.
        throw isIndex ? published.failure(error) : Failure.badData("\(Input.name(of: path)): \(error)")
      }
      try file?.write(String(decoding: page, as: UTF8.self))
      Notes.print(
        "treelinemap: wrote \(Quantity(amount: Double(page.count), unit: "B")) to \(output); open it in a browser")
    }
  }

  private func isGiven(_ names: String...) -> Bool {
    options.contains { option in names.contains { option == $0 || option.hasPrefix($0 + "=") } }
  }

  /// Returns the command that builds an index of the points. If an option is wrong, prints an error and throws.
  private func buildCommand(_ index: String) throws -> BuildCommand {
    var arguments = [path, "--output", index] + options
    if !isGiven("--for", "--grow", "--split") { arguments += ["--for", "badges"] }
    if !isGiven("--columns", "--attributes") { arguments += ["--columns", "all"] }
    if notes.quiet { arguments.append("--quiet") }
    do { return try BuildCommand.parse(arguments) } catch {
      printToStandardError("\(TreelineCommand._errorLabel): \(BuildCommand.message(for: error))")
      throw ExitCode(64)
    }
  }
}
