import ArgumentParser
import Foundation
import Treeline
import TreelineBuilder
import TreelinePages

struct MapCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "map", abstract: "Writes a map of points as one HTML file, which opens from disk.",
    discussion: """
      The file contains the map, the points and all their columns, so it needs neither a server nor a network. \
      It filters the points, colors them by a column and sums columns. The input is an index, or points with any \
      option of 'build', such as '--columns name,price:number' or '--title Hotels'. Without such options, badges \
      never touch, and all columns are kept.
      """)

  @Argument(help: .init("An index, or points as \(inputHelp)", valueName: "points")) var path: String

  @Option(name: .shortAndLong, help: .init("The file to write, *.html.", valueName: "file")) var output: String

  @OptionGroup var notes: NoteOptions

  @Argument(parsing: .allUnrecognized, help: .init("Options of 'build'.", valueName: "options"))
  var options: [String] = []

  /// Length of a longer page, which browsers would open slowly.
  private static let greatestLength = 20_000_000

  func validate() throws {
    try checkInputPath(path)
    try checkOutputPath(output, "--output")
  }

  func run() throws {
    let isIndex = IndexHeader.begins(fileAt: path)
    try reportingFailures {
      guard isIndex, let option = options.first else { return }
      throw Failure.usage("'\(option)' goes with points, but \(path) is an index; leave it out")
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("treelinemap-\(UUID().uuidString)")
    let index = isIndex ? path : folder.appendingPathComponent("points.treeline").path
    defer { try? FileManager.default.removeItem(at: folder) }
    if !isIndex {
      Interruption.removes(index)
      Interruption.removes(folder.path)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try build(index)
    }
    try reportingFailures {
      let file = try ReportFile(output, beginning: "")
      let published = try PublishedIndex(index)
      let sink = PageMemory()
      let (manifest, _) = try published.write(to: sink, threads: nil)
      let name = (path as NSString).lastPathComponent as NSString
      let title = manifest.title ?? (path == "-" ? "Map" : "\(name.deletingPathExtension)")
      let page = try MapPage.page(manifest, pages: sink.bytes, title: title)
      guard page.utf8.count <= Self.greatestLength else {
        throw Failure.badData(
          "\(Input.name(of: path)): expected points whose page has at most \(Quantity(amount: Double(Self.greatestLength), unit: "B")), "
            + "found \(Quantity(amount: Double(page.utf8.count), unit: "B")); keep fewer columns with '--columns', or use 'publish'"
        )
      }
      try file.write(page)
      Notes.print(
        "treelinemap: wrote \(Quantity(amount: Double(page.utf8.count), unit: "B")) to \(output); open it in a browser")
    }
  }

  /// Builds an index of the points, for badges and with all columns unless the options say otherwise.
  private func build(_ index: String) throws {
    func isGiven(_ names: String...) -> Bool {
      options.contains { option in names.contains { option == $0 || option.hasPrefix($0 + "=") } }
    }
    var arguments = [path, "--output", index] + options
    if !isGiven("--grow", "--split") { arguments += ["--grow", "badges"] }
    if !isGiven("--columns", "--attributes") { arguments += ["--columns", "all"] }
    if notes.quiet { arguments.append("--quiet") }
    var command: BuildCommand
    do { command = try BuildCommand.parse(arguments) } catch {
      printToStandardError("\(TreelineCommand._errorLabel): \(BuildCommand.message(for: error))")
      throw ExitCode(64)
    }
    try command.run()
  }
}
