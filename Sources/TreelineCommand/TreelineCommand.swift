import ArgumentParser
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

@main struct TreelineCommand: ParsableCommand {
  /// Label of all error messages, from the parser and from the tool.
  static let _errorLabel = "treeline: error"

  static let configuration = CommandConfiguration(
    commandName: "treeline", abstract: "Turns many points into few clusters that follow their density.",
    discussion: """
      Points are read from \(InputFormats.names), plain or gzip-compressed; '-' is standard input.

      Long tasks show their progress on standard error after half a second, if that is a terminal.

      Exit codes: 0 success, 64 usage, 65 bad data, 66 no input, 74 input or output failed.
      """, version: Release.version,
    subcommands: [
      QueryCommand.self, ClusterCommand.self, TransitionCommand.self, CompareCommand.self, BuildCommand.self,
      InspectCommand.self, VerifyCommand.self, TilesCommand.self, ServeCommand.self,
    ])
}
