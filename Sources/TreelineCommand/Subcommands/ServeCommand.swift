import ArgumentParser
import Foundation

struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serves clusters over HTTP, with a map that shows how the clusters move.",
    discussion: """
      The server is a separate program, 'treelinemap-server', from the package of the same name or from \
      'scripts/build/serve' in the sources. This tool searches for the server in the tool's own folder and on the \
      PATH, and passes all arguments to the server. 'treelinemap serve --help' prints the server's help.
      """)

  @Argument(parsing: .captureForPassthrough, help: .init("For the server.", valueName: "arguments"))
  var arguments: [String] = []

  func run() throws {
    try reportingFailures {
      for folder in Self.folders {
        let path = folder + "/treelinemap-server"
        // `execv` returns only if the program cannot be run.
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        execv(path, &words)
        guard errno == ENOENT || errno == ENOTDIR else {
          throw Failure.inputOutput("\(path): \(String(cString: strerror(errno)))")
        }
      }
      if arguments.contains(where: ["--help", "-h"].contains) {
        return try writeToStandardOutput(Self.helpMessage() + "\n")
      }
      throw Failure.noInput(
        "the program 'treelinemap-server' is neither next to this program nor on the PATH; "
          + "install the package 'treelinemap-server', or use 'scripts/build/serve' in the sources of Treeline")
    }
  }

  private static var folders: [String] {
    let own = (Bundle.main.executablePath ?? CommandLine.arguments[0]) as NSString
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return [own.deletingLastPathComponent] + path.split(separator: ":").map(String.init)
  }
}
