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
    if let twice = attributes.first(where: { name in attributes.count { $0.utf8.elementsEqual(name.utf8) } > 1
    }) {
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
      let names = try attributeNames(in: table)
      let tree = try ClusterTree(
        table, options: threads.map { BuildOptions(threads: $0) } ?? BuildOptions(), progress)
      tree.reportClippedPoints()
      try tree.write(
        index: output,
        attributes: names.map { name in
          IndexAttribute(name: name) { table.value(ofColumn: name, point: $0) }
        },
        row: table.row(ofPoint:), overwriting: force
      ) { written, total in
        progress.show("Writing", done: Double(written) / 1e6, of: Double(total) / 1e6, unit: "MB")
      }
    }
  }

  /// The columns to keep in the order of the input, so that the index gives them back as the points themselves do.
  ///
  /// A name that no column has is a mistake, and no reason to write an index without it.
  private func attributeNames(in table: PointTable) throws -> [String] {
    if table.coordinates.isEmpty { return attributes }
    let names = table.inputOrder(ofColumns: attributes)
    if let missing = attributes.first(where: { asked in !names.contains { $0.utf8.elementsEqual(asked.utf8) }
      })
    {
      throw Failure(
        message: "\(input.path): expected a column \"\(missing)\", as --attributes names it, found none",
        code: Failure.usage)
    }
    return names
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
