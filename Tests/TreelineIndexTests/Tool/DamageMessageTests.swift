import Foundation
import TestSupport
import Testing
@_spi(Server) import Treeline

/// Checks that error messages name the damaged file, for users who work with many files.
@Suite struct DamageMessageTests {
  @Test(arguments: OldIndexRegressionTests.broken, ["verify", "inspect", "query"]) func everyLineNamesTheFile(
    _ file: String, command: String
  ) throws {
    let path = Repository.path(file)
    let result = try Tool.run(command, path)
    // Some damage does not affect an answer. Notes that are printed next to an answer are not errors.
    if result.code == 0 && command != "verify" { return }
    #expect(result.code == 65)
    for line in result.errors.split(separator: "\n") {
      #expect(line.hasPrefix("\(path): ") || line.hasPrefix("treelinemap: error: \(path): "), "\(line)")
      #expect(line.components(separatedBy: path).count == 2, "\(line)")
    }
  }

  /// Some damage is found only by a query. The error must name the file in this case, too.
  @Test func damageBelowTheRoot() throws {
    let folder = try TemporaryFolder()
    let damage = try #require(Damage.all.first { $0.description == "node with children far outside" })
    let path = try folder.write(try damage.damaged().repaired().contents, to: "index")
    for command in ["query", "inspect", "verify"] {
      let result = try Tool.run(command, path)
      #expect(result.code == 65)
      #expect(result.errors.contains("treelinemap: error: \(path): the index is damaged"), "\(result.errors)")
    }
    let tree = try ClusterTree(contentsOfFile: path)
    let error = #expect(throws: IndexError.self) { _ = try tree.shape() }
    #expect("\(try #require(error))".hasPrefix("\(path): the index is damaged at byte "))
  }
}
