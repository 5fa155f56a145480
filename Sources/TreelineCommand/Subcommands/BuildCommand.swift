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
      The index appears whole or not at all: a build that is stopped, or runs out of disk space, leaves an existing \
      index as it was. The same rows give the same index with any number of threads. Shuffled, they give the same \
      clusters and content hash, with the row numbers of the new order.

      --attributes takes names separated by commas, and may be given again. A value that is the name of a column as a \
      whole means that column, commas and all. Names that differ only in how Unicode composes their letters are the \
      same. The 'id' of a GeoJSON Feature is not kept.

      --columns keeps columns that can be filtered and summed: each name with a colon and a kind behind it, or without, \
      and 'all' for all that nothing else names. The kinds are \(TypedColumns.kinds); without one it is found. A value \
      that does not suit the kind of its column is an error, an empty cell a missing value. '+percentiles' behind it \
      makes medians and percentiles of the column fast, '+distinct' counts of different values, as in \
      'price:number+percentiles+distinct'. Of a million points each takes 3 bytes a point, percentiles 4 more where all \
      values are different.

      --group-by gives each value of a column a hierarchy of its own, so that no cluster has points of two: at most \
      4096 values, an empty cell being one. Distances are kept within a group; clusters of different groups may overlap \
      one another. They share a limit, which must have room for one cluster of each group in view. Points with 'true', \
      'yes' or '1' in the column of --never-cluster are always shown by themselves, however close they are, and each \
      counts against a limit. Neither column need be among --columns.

      --row names the column that numbers the points, no two the same: shuffled rows then give the same index, byte for \
      byte. Otherwise they are numbered as they come, from 0.
      """)

  @Argument(help: .init("Points as \(inputHelp)", valueName: "points"))
  var path: String

  @OptionGroup var positions: ColumnOptions

  @Option(name: [.short, .long], help: .init("Where to write the index.", valueName: "file")) var output: String

  @OptionGroup var splitting: GrowthOptions

  @Option(help: .init("How many threads work on it. (default: all cores)", valueName: "n")) var threads: Int?

  @OptionGroup var memory: MemoryOptions

  @Option(help: .init("The columns to keep as they are written, for display.", valueName: "name,name")) var attributes:
    [String] = []

  @Option(
    help: .init(
      "The columns to filter by and to sum, such as 'population:number,kind:category,opened:time', or 'all'.",
      valueName: "name:kind")) var columns: [String] = []

  @Option(
    help: .init(
      "The column with the row number of each point, from 0 to 2^53. (default: rows are counted)", valueName: "name"))
  var row: String?

  @Option(help: .init("The column whose values never share a cluster.", valueName: "name")) var groupBy: String?

  @Option(help: .init("The column of true and false that tells which points are never clustered.", valueName: "name"))
  var neverCluster: String?

  @Option(help: .init("What the points are, for maps and lists of indexes.", valueName: "text")) var title: String?

  @Option(help: .init("Whose data it is, for a corner of the map.", valueName: "text")) var attribution: String?

  @Option(help: .init("What x and y count on a plain plane, such as 'm'.", valueName: "text")) var unit: String?

  @Flag(
    help:
      "Leave out what '--spacing' and '--badges' need: 2 bytes a point, and most of the time of a tree that is split.")
  var noSeparation = false

  @Flag(help: "Overwrite a file that is not an index.") var force = false

  @Flag(
    help:
      "Replace an index that has points though the new one has none, or, with --skip-invalid, less than half of the rows."
  ) var allowLoss = false

  @OptionGroup var notes: NoteOptions

  func validate() throws {
    if let threads, !(1...1024 ~= threads) {
      throw ValidationError("'--threads' must be from 1 to 1024, found \(threads).")
    }
    if noSeparation && splitting.stand == .member {
      throw ValidationError(
        "'--stand' and '--no-separation' exclude each other: without separations nothing is kept apart.")
    }
    if attributes.contains(where: { KeptColumns.names(in: $0).contains("") }) {
      throw ValidationError("'--attributes' must name columns, found an empty name.")
    }
    if columns.contains(where: { KeptColumns.names(in: $0).contains("") }) {
      throw ValidationError("'--columns' must name columns, found an empty name.")
    }
    for (name, text) in [("title", title), ("attribution", attribution), ("unit", unit)] {
      guard let text else { continue }
      guard !text.isEmpty, !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
        throw ValidationError("'--\(name)' must be one line of text, found \(text.debugDescription).")
      }
    }
    if memory.resume && path == "-" {
      throw ValidationError("'--resume' needs a file, which can be read again; standard input cannot.")
    }
    try checkInputPath(path)
    try checkOutputPath(output, "--output")
  }

  func run() throws {
    try reportingFailures {
      let input = Input(path: path, columns: positions)
      try input.checkOutputs([output])
      // Reading may take minutes, so the file to write is opened first.
      let destination = try IndexDestination(output, overwriting: force)
      Interruption.removes(destination.file.partialPath)
      // A file that grows beyond what the shell allows is an error to report, not the end of the process.
      signal(SIGXFSZ, SIG_IGN)
      guard !input.isIndex else {
        throw Failure.usage("\(input.name): expected points, found an index already; use it as it is")
      }
      let progress = ProgressBar()
      defer { progress.clear() }
      let options = try splitting.request.options(for: [], threads: threads, computesSeparations: !noSeparation)
      let description = IndexDescription(title: title, attribution: attribution, unit: unit)
      let kept = ColumnOptionValues(attributes: attributes, columns: columns, row: row.map(RowColumn.init))
      let pieces = BuildInPieces(
        of: input, to: output, memory,
        BuildInPieces.Plan(
          options: options, description: description, columns: kept, groups: groupColumns),
        progress)
      defer { pieces?.cleanUp() }
      if let pieces, try pieces.resume() {
        try refuseUnit(of: input, isPlanar: pieces.isPlanar ?? false)
        return try pieces.finish(to: destination, nil)
      }
      let batches = pieces?.batches
      var table = try PointTable(input, keepsColumns: keepsColumns, progress, batches)
      try refuseUnit(of: input, isPlanar: table.isPlanar)
      if !allowLoss { try refuseLoss(of: table) }
      if let pieces, let batches, pieces.build != nil {
        try pieces.finishReading(checksum: batches.checksum.finalize())
        return try pieces.finish(to: destination, InputSummary(of: table, in: input))
      }
      if let row = kept.row {
        try row.check(table, in: input)
        table = try row.numbered(table, in: input)
      }
      try buildInMemory(table, options, description, to: destination, progress)
    }
  }

  private func buildInMemory(
    _ table: PointTable, _ options: BuildOptions, _ description: IndexDescription, to destination: IndexDestination,
    _ progress: ProgressBar
  ) throws {
    let input = Input(path: path, columns: positions)
    let kept = try KeptColumns(attributes, of: table, in: input)
    let typed = try TypedColumns(columns, of: table, in: input, besides: kept.names)
    let groups = try groupColumns.groups(of: table, in: input)
    let tree = try ClusterTree(table, groupedBy: groups, options: options, progress)
    tree.reportClippedPoints()
    let encoded: [EncodedColumn]
    do {
      encoded = try tree.encoded(
        typed.columns, row: table.row(ofPoint:), progress: progress.steps(ofPoints: tree.pointCount))
    } catch { throw Failure.badData("\(input.name): \(error)") }
    progress.clear()
    ColumnReport.print(encoded.map(ColumnReport.init), InputSummary(of: table, in: input))
    try tree.write(
      to: destination, attributes: kept.attributes, encoded: encoded, description: description,
      row: table.row(ofPoint:), encodingProgress: progress.steps(ofPoints: tree.pointCount)
    ) { written, total in
      progress.show("Writing", done: Double(written), of: Double(total), unit: "B")
    }
  }

  private var groupColumns: GroupColumns { GroupColumns(groupBy: groupBy, neverCluster: neverCluster) }

  private var keepsColumns: Bool { !attributes.isEmpty || !columns.isEmpty || row != nil || !groupColumns.isEmpty }

  private func refuseUnit(of input: Input, isPlanar: Bool) throws {
    guard unit != nil && !isPlanar else { return }
    throw Failure.usage(
      "'--unit' is of x and y on a plain plane, and \(input.name) has longitudes and latitudes, which are degrees")
  }

  /// Whoever replaces a good index by one of bad input has lost it.
  private func refuseLoss(of table: PointTable) throws {
    let count = table.pointCount
    guard count == 0 || count < table.invalidRowCount,
      let old = try? IndexHeader(ofIndex: output), old.pointCount > 0
    else { return }
    throw Failure.badData(
      "\(output): expected at least half of the rows to have a position, found \(count) of \(table.rowCount), where an "
        + "index of \(old.pointCount) points would be replaced; it was left as it is; --allow-loss replaces it")
  }
}
