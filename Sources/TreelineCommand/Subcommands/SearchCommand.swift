import ArgumentParser
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

struct SearchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Finds points by the beginnings of words in a column.",
    discussion: """
      Searches a column of an index that was built with '--search'. Case, accents and punctuation do not matter. \
      Points whose value in the column begins with <text> come first, in alphabetical order. Points in which a later \
      word of the value begins with <text> follow.
      """)

  @Argument(help: .init("The index; '-' is standard input, which must be redirected from a file.", valueName: "index"))
  var path: String

  @Argument(help: .init("The text to search for, such as the beginning of a word.", valueName: "text")) var text: String

  @Option(help: .init("The column to search. (default: the first column that can be searched)", valueName: "name"))
  var column: String?

  @Option(parsing: .unconditional, help: .init("The maximum number of points.", valueName: "n")) var limit = "10"

  @Option(help: "The format of the output.") var format: QueryCommand.Format = .geojson

  func validate() throws {
    _ = try greatestCount()
    try checkInputPath(path)
  }

  private func greatestCount() throws -> Int {
    try QueryParameters.integer(limit, ofOption: "limit", in: 1 ... .max)
  }

  func run() throws {
    try reportingFailures {
      let tree = try ClusterTree(contentsOfFile: path)
      let features = try tree.search(text, in: column, limit: greatestCount()).map { hit in
        try ClusterFeature(ofSinglePointAt: hit.treeIndex, of: tree)
      }
      let columns = [column ?? tree.searchableColumns[0]]
      try format.write(features, plane: tree.plane, columns: columns) { try writeToStandardOutput($0) }
    }
  }
}
