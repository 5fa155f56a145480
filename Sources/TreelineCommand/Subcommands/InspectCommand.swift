import ArgumentParser
import Treeline

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Prints what an index holds and where its bytes go.")

  @Argument(help: ArgumentHelp("The index; '-' is standard input, redirected from one.", valueName: "index"))
  var path: String

  func run() throws {
    try reportingFailures {
      let header = try IndexHeader(ofIndex: path)
      let tree = try ClusterTree(index: path)
      try writeToStandardOutput(try IndexDescription(header, tree).text)
    }
  }
}
