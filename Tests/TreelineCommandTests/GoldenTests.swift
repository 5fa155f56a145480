import Foundation
import TestSupport
import Testing

/// Checks commands against their output in Fixtures/golden/tool. `scripts/bless` rewrites these files.
@Suite struct GoldenTests {
  static let folder = Repository.root.appendingPathComponent("Fixtures/golden/tool")

  static let cases =
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.filter { $0.hasSuffix(".txt") }.sorted() ?? []

  static let isBlessing = ProcessInfo.processInfo.environment["TREELINE_BLESS"] != nil

  @Test func casesAreThere() { #expect(Self.cases.count > 20) }

  @Test(arguments: cases) func toolPrintsWhatIsExpected(name: String) throws {
    let file = Self.folder.appendingPathComponent(name)
    let expected = try String(contentsOf: file, encoding: .utf8)
    let command = String(expected.prefix { $0 != "\n" })
    let found = try transcript(of: command)
    if Self.isBlessing {
      try found.write(to: file, atomically: true, encoding: .utf8)
    } else {
      #expect(found == expected)
    }
  }

  /// Returns the command, its output and its exit code.
  private func transcript(of command: String) throws -> String {
    let words = command.split(separator: " ").map(String.init)
    try #require(words.starts(with: ["$", "treelinemap"]), "a case begins with '$ treelinemap'")
    let result = try Tool.run(Array(words.dropFirst(2)))
    var text = command + "\n" + result.output
    if !result.errors.isEmpty { text += "--- standard error\n" + result.errors }
    return text + "--- exit code \(result.code)\n"
  }
}
