import Foundation
import TestSupport
import Testing
import Treeline
import TreelineVerification

/// Checks that indexes of earlier versions can still be opened, and that they give the answers stored next to them.
/// Broken indexes must be refused with the same messages as before. These files are never blessed again: if a file had
/// to change, the indexes of users would no longer work.
@Suite struct OldIndexRegressionTests {
  private static let folder = "Fixtures/index/v1"
  static let sound = Repository.files(in: folder).filter { $0.hasSuffix(".treeline") }
  static let broken = Repository.files(in: folder + "/broken").filter { $0.hasSuffix(".treeline") }

  @Test func filesAreThere() {
    #expect(Self.sound.count == 10)
    #expect(Self.broken.count == 34)
  }

  @Test(arguments: sound) func answersAreAsTheyWere(_ path: String) throws {
    let answer = try Self.answer(of: Repository.path(path))
    let expected = try String(
      contentsOfFile: Repository.path(path.replacingOccurrences(of: ".treeline", with: ".geojson")), encoding: .utf8)
    #expect(answer.code == 0 && answer.output == expected)
    #expect(try ClusterTree.problems(ofIndex: Repository.path(path)) == [])
  }

  @Test(arguments: broken) func brokenFilesAreRefusedAsTheyWere(_ path: String) throws {
    let result = try Tool.run("verify", Repository.path(path))
    let expected = try String(
      contentsOfFile: Repository.path(path.replacingOccurrences(of: ".treeline", with: ".txt")), encoding: .utf8)
    #expect(result.code == 65)
    #expect(Self.words(of: result) == expected)
  }

  /// Queries an index with a spacing, if the index supports a spacing.
  private static func answer(of path: String) throws -> Tool.Result {
    if try ClusterTree(contentsOfFile: path).hasSeparations {
      return try Tool.run("query", path, "--zoom", "1", "--spacing", "44", "--members")
    }
    return try Tool.run("query", path, "--limit", "12", "--members")
  }

  /// Returns the messages of the tool. The path of the repository is removed from them.
  private static func words(of result: Tool.Result) -> String {
    result.errors.replacingOccurrences(of: Repository.path(folder) + "/", with: "")
  }

  /// Writes the files that are missing. To have a file written again, delete it.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["TREELINE_BLESS"] != nil)) func filesAreMade() throws {
    for (name, index) in [
      ("uneven", TestIndex.uneven), ("separations", .spaced), ("separations-planar", .spacedPlanar),
    ] {
      let path = Repository.path("\(Self.folder)/\(name)")
      try Self.make(path + ".treeline", index.bytes())
      try Self.make(path + ".geojson", Array(Self.answer(of: path + ".treeline").output.utf8))
    }
    for (name, bytes) in try Self.brokenFiles() {
      let path = Repository.path("\(Self.folder)/broken/\(name)")
      try Self.make(path + ".treeline", bytes)
      try Self.make(path + ".txt", Array(Self.words(of: Tool.run("verify", path + ".treeline")).utf8))
    }
  }

  private static func make(_ path: String, _ bytes: [UInt8]) throws {
    guard !FileManager.default.fileExists(atPath: path) else { return }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  private static func brokenFiles() throws -> [(name: String, bytes: [UInt8])] {
    let tiny = try TestIndex.tiny.bytes()
    var flipped = tiny
    flipped[325] ^= 1
    var later = try IndexEditor(tiny)
    later.store(UInt16(2), at: 8)
    var unknown = try IndexEditor(tiny)
    unknown.store(UInt32(99), at: 128)
    let files = [
      ("cut-off", Array(tiny.dropLast())), ("header-only", Array(tiny[..<128])), ("flipped-bit", flipped),
      ("version-2", later.withHeaderRepaired().contents),
      ("unknown-required-section", unknown.withHeaderRepaired().contents),
    ]
    let damages = [
      "root with children far outside", "children of more points than their parent", "boxes inside out",
      "sums beyond everything", "row twice", "gap at another level", "place beyond the dictionary",
      "separations beyond all", "separations of too few points",
    ]
    return try files
      + damages.map { name in
        let damage = Damage.all.first { $0.description == name }!
        return (name.replacingOccurrences(of: " ", with: "-"), try damage.damaged().repaired().contents)
      }
      + Lie.all.map { lie in
        (lie.description.replacingOccurrences(of: " ", with: "-"), try lie.damage.damaged().forged().contents)
      }
  }
}
