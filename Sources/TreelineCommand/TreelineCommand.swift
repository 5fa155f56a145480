import ArgumentParser
import Foundation
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

@main struct TreelineCommand: ParsableCommand {
  /// Label at the start of each error message. ArgumentParser and this tool both use this label.
  static let _errorLabel = "treelinemap: error"

  static let configuration = CommandConfiguration(
    commandName: "treelinemap", abstract: "Turns many points into few clusters that follow the density of the points.",
    discussion: """
      Points are read from \(InputFormats.names), plain or gzip-compressed; '-' is standard input.

      Long tasks show their progress on standard error after half a second, if standard error is a terminal.

      Exit codes: 0 success, 64 usage, 65 bad data, 66 no input, 74 input or output failed.
      """, version: Release.version,
    subcommands: [
      QueryCommand.self, ClusterCommand.self, SearchCommand.self, TransitionCommand.self, CompareCommand.self,
      BuildCommand.self,
      InspectCommand.self, VerifyCommand.self, TilesCommand.self, PublishCommand.self, MapCommand.self,
      ServeCommand.self,
    ])

  static func main() {
    // Without this call, a file that exceeds the shell's size limit would end the process. With this call, only the
    // write fails.
    signal(SIGXFSZ, SIG_IGN)
    let words = CommandLine.arguments.dropFirst()
    // After the name of a subcommand come the arguments of this subcommand. After 'help' comes a name.
    for word in words.first == "help" ? words.prefix(2) : words.prefix(1) where !word.hasPrefix("-") {
      requireSubcommand(word)
    }
    main(nil)
  }

  /// Ends the process with an error if a word is not the name of a subcommand. The error suggests the most similar
  /// name. Without this check, ArgumentParser would report an error that suggests no name.
  private static func requireSubcommand(_ word: String) {
    let names = configuration.subcommands.compactMap { $0.configuration.commandName }
    if (names + ["help"]).contains(word) { return }
    let nearest = names.nearest(to: word).map { "; did you mean '\($0)'?" }
    printToStandardError(
      "\(_errorLabel): expected a subcommand, found '\(word.visible)'"
        + (nearest ?? "; the subcommands are \(names.listed("and"))"))
    exit(withError: ExitCode(64))
  }
}
