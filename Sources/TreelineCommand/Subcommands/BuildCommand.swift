import ArgumentParser
import Foundation
import Treeline
import TreelineBuilder
import TreelineFormats

struct BuildCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build",
    abstract: "Writes points as an index, which the other subcommands open without delay.",
    discussion: """
      --for names the queries for which the index is built: 'spacing', 'badges' or 'limit'. Every index answers \
      --limit and --detail.

      The index is written completely or not at all: if a build is stopped or runs out of disk space, an existing \
      index does not change. The same rows give the same index with any number of threads. If the rows are shuffled, \
      clusters and content hash stay the same, and row numbers follow the new order.

      --attributes takes names separated by commas, and can be given several times. A value that is the full name of a \
      column means that column, even if the name contains commas. Names that differ only in how Unicode composes their \
      letters are equal. The 'id' of a GeoJSON Feature is not kept.

      --columns keeps columns for filters and aggregates. The option takes names, each alone or with a colon and a \
      kind. 'all' means all columns that no other option keeps. The kinds are \(TypedColumns.kinds); without a kind, \
      the values of the column decide. A value that does not fit the kind of its column is an error. An empty cell is \
      a missing value.

      Suffixes of a kind make queries fast, as in 'price:number+percentiles+distinct'. \
      \(IndexColumn.Preparation.allCases.map(\.help).joined(separator: " ")) '--search name' keeps the column 'name' as texts with '+search'.

      --group-by gives each value of a column its own hierarchy, so that no cluster has points with different values. \
      The column may have at most 4096 different values; an empty cell is a value, too. Clusters of different groups \
      may overlap. All groups share one limit, which must be at least the number of groups in view. Points with \
      'true', 'yes' or '1' in the column of --never-cluster are always shown as single points, however close they \
      are, and each of these points counts against a limit. The columns of --group-by and --never-cluster need not be \
      among --columns.

      --row names a column with a unique number for each point. With this option, shuffled rows give the same index, \
      byte for byte. Without this option, points are numbered in input order, from 0.
      """)

  @Argument(help: .init("Points as \(inputHelp)", valueName: "points"))
  var path: String

  @OptionGroup var positions: ColumnOptions

  @Option(name: [.short, .long], help: .init("Where to write the index.", valueName: "file")) var output: String

  @OptionGroup var splitting: GrowthOptions

  @OptionGroup var work: ThreadOptions

  @OptionGroup var memory: MemoryOptions

  @Option(help: .init("The columns to keep for display, exactly as written.", valueName: "name,name")) var attributes:
    [String] = []

  @Option(
    help: .init(
      "The columns for filters and aggregates, such as 'population:number,kind:category,opened:time', or 'all'.",
      valueName: "name:kind")) var columns: [String] = []

  @Option(
    help: .init(
      "A column of texts, such as 'name', to search by the beginnings of words. Can be given several times.",
      valueName: "name")) var search: [String] = []

  @Option(
    help: .init(
      "The column with the row number of each point, from 0 to 2^53. (default: the rows are counted from 0)",
      valueName: "name"))
  var row: String?

  @Option(help: .init("The column of groups: points with different values never share a cluster.", valueName: "name"))
  var groupBy: String?

  @Option(help: .init("A column of booleans: points with the value true are never clustered.", valueName: "name"))
  var neverCluster: String?

  @Option(help: .init("A title for the points, shown on maps and in lists of indexes.", valueName: "text"))
  var title: String?

  @Option(help: .init("The data's source, shown in a corner of the map.", valueName: "text")) var attribution: String?

  @Option(help: .init("The unit of x and y, such as 'm', for coordinates without a map projection.", valueName: "text"))
  var unit: String?

  @Flag(help: "Overwrite the output file even if it is not an index.") var force = false

  @Flag(
    help:
      "Replace an existing index even if the new index has no points or, with --skip-invalid, if fewer than half of the rows are valid."
  ) var allowLoss = false

  @OptionGroup var notes: NoteOptions

  func validate() throws {
    if attributes.contains(where: { KeptColumns.names(in: $0).contains("") }) {
      throw ValidationError("'--attributes' must name columns, found an empty name.")
    }
    if columns.contains(where: { KeptColumns.names(in: $0).contains("") }) {
      throw ValidationError("'--columns' must name columns, found an empty name.")
    }
    if search.contains("") { throw ValidationError("'--search' must name a column, found an empty name.") }
    for (name, text) in [("--title", title), ("--attribution", attribution), ("--unit", unit)] {
      try checkLine(text, name)
    }
    if memory.resume && path == "-" {
      throw ValidationError("'--resume' needs a file as input, because standard input cannot be read again.")
    }
    try checkInputPath(path)
    try checkOutputPath(output, "--output")
  }

  func run() throws {
    try reportingFailures {
      let input = Input(path: path, columns: positions)
      try input.checkOutputs([output])
      try memory.checkScratch()
      // Reading may take minutes, and the user should see at once if the output file cannot be written. So the output
      // file is opened before the input is read.
      let destination = try IndexDestination(output, overwriting: force)
      Interruption.removes(destination.file.partialPath)
      guard !input.isIndex else {
        throw Failure.usage("\(input.name): this is already an index; use it as it is")
      }
      let progress = ProgressBar()
      defer { progress.clear() }
      let build = InputBuild(
        of: input, to: output, memory,
        InputBuild.Plan(
          options: try splitting.request.options(threads: work.threads),
          description: IndexDescription(title: title, attribution: attribution, unit: unit),
          columns: ColumnOptionValues(
            attributes: attributes, columns: columns, search: search, row: row.map(RowColumn.init)),
          groups: GroupColumns(groupBy: groupBy, neverCluster: neverCluster)),
        progress)
      defer { build.cleanUp() }
      if !(try build.resume()) {
        let table = try build.read()
        if !allowLoss { try refuseLoss(of: table) }
      }
      try refuseUnit(of: input, isPlanar: build.isPlanar)
      try build.finish(to: destination)
    }
  }

  private func refuseUnit(of input: Input, isPlanar: Bool) throws {
    guard unit != nil && !isPlanar else { return }
    throw Failure.usage(
      "'--unit' is the unit of x and y, but \(input.name) has longitudes and latitudes, which are in degrees; "
        + "leave out '--unit'")
  }

  /// Throws if the input is bad and the output file is a good index, so that the good index is not overwritten.
  private func refuseLoss(of table: PointTable) throws {
    let count = table.pointCount
    guard count == 0 || count < table.invalidRowCount,
      let old = try? IndexHeader(ofIndex: output), old.pointCount > 0
    else { return }
    throw Failure.badData(
      "\(output): only \(count) of \(table.rowCount) rows have a position; the existing "
        + "index of \(old.pointCount) points was kept; give --allow-loss to replace it")
  }
}
