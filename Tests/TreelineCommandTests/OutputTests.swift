import Foundation
import Testing

/// A file that a command reads is never written by it.
@Suite struct OutputTests {
  @Test(arguments: [["build", "--force", "--output"], ["compare", "--output"], ["compare", "--json"]])
  func inputIsNeverOverwritten(words: [String]) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).csv")
    defer { try? FileManager.default.removeItem(at: file) }
    let rows = Data("longitude,latitude\n1,2\n3,4\n".utf8)
    try rows.write(to: file)
    let result = try Tool.run([words[0], file.path] + words.dropFirst() + [file.path])
    #expect(result.code == 64)
    #expect(result.errors.contains("expected different files to read and to write"))
    #expect(try Data(contentsOf: file) == rows)
  }
}
