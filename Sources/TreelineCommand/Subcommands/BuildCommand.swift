import ArgumentParser
import Foundation
import Treeline
import TreelineBuilder
import TreelineFormats

struct BuildCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build",
    abstract: "Writes an index, which every other subcommand opens at once in place of the points.",
    discussion: """
      The index appears whole or not at all: a build that is stopped, or runs out of disk, leaves an earlier index as it \
      was. The same points give the same index, whatever their order and the number of threads.
      """)

  @OptionGroup var input: InputOptions

  @Option(name: [.short, .long], help: ArgumentHelp("Where to write the index.", valueName: "file"))
  var output: String

  @Option(
    help: ArgumentHelp(
      "Where nodes are split: 'mean', at the mean of their points. (default: mean)", valueName: "rule"),
    transform: SplitRule.init(argument:))
  var split: SplitRule = .mean

  @Option(help: ArgumentHelp("How many threads work on it. (default: all cores)", valueName: "n"))
  var threads: Int?

  @Option(
    help: ArgumentHelp("The columns to keep for each point.", valueName: "name,name"),
    transform: { $0.split(separator: ",").map(String.init) })
  var attributes: [String] = []

  @Flag(help: "Overwrite a file that is not an index.")
  var force = false

  func validate() throws {
    if let threads, !(1...1024 ~= threads) {
      throw ValidationError("'--threads' must be from 1 to 1024, found \(threads).")
    }
    if let twice = attributes.first(where: { name in attributes.count { $0 == name } > 1 }) {
      throw ValidationError("'--attributes' must name each column once, found '\(twice)' again.")
    }
  }

  func run() throws {
    try reportingFailures {
      guard !input.isIndex else {
        throw Failure(message: "\(input.path): expected points, found an index already", code: Failure.usage)
      }
      try input.checkOutputs([output])
      // Reading may take minutes, so what can be known of the place to write to is said first.
      try ClusterTree.checkDestination(ofIndex: output, overwriting: force)
      // A file that grows beyond what the shell allows is an error to report, not the end of the process.
      signal(SIGXFSZ, SIG_IGN)
      let progress = ProgressBar()
      defer { progress.clear() }
      let table = try PointTable(input, keepsColumns: !attributes.isEmpty, progress)
      try checkAttributes(of: table)
      let tree = try ClusterTree(
        table, options: threads.map { BuildOptions(threads: $0) } ?? BuildOptions(), progress)
      tree.reportClippedPoints()
      try tree.write(
        index: output,
        attributes: attributes.map { name in
          IndexAttribute(name: name) { point in
            table.columns(ofPoint: point).first { $0.name == name }?.value ?? .null
          }
        },
        row: table.row(ofPoint:), overwriting: force
      ) { written, total in
        progress.show("Writing", done: Double(written) / 1e6, of: Double(total) / 1e6, unit: "MB")
      }
    }
  }

  /// A name that no column has is a mistake, and no reason to write an index without it.
  private func checkAttributes(of table: PointTable) throws {
    for name in attributes where !table.coordinates.isEmpty && !table.hasColumn(name) {
      throw Failure(
        message: "\(input.path): expected a column \"\(name)\", as --attributes names it, found none",
        code: Failure.usage)
    }
  }
}

extension SplitRule {
  fileprivate init(argument: String) throws {
    guard let rule = Self.allCases.first(where: { "\($0)" == argument }) else {
      throw ValidationError("expected \(Self.allCases.map { "'\($0)'" }.joined(separator: " or "))")
    }
    self = rule
  }
}

extension PointTable {
  /// Whether any row has a column of that name; the first tells, but for GeoJSON, whose features differ.
  fileprivate func hasColumn(_ name: String) -> Bool {
    coordinates.indices.contains { columns(ofPoint: $0).contains { $0.name == name } }
  }
}
