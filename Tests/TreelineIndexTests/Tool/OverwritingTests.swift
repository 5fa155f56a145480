import Foundation
import Testing
import Treeline
import TreelineBuilder

/// What an index replaces and what it does not.
@Suite struct OverwritingTests {
  private static let input = Repository.path("Fixtures/formats/plain.csv")

  @Test func otherFilesAreReplacedOnlyByForce() throws {
    let folder = try TemporaryFolder()
    for bytes in [[], Array("longitude,latitude\n".utf8), [0x89, 0x54, 0x52, 0x4C]] as [[UInt8]] {
      let path = try folder.write(bytes, to: "file")
      let refused = try BuiltTool.run("build", Self.input, "-o", path)
      #expect(refused.code == 64)
      #expect(refused.errors.contains("--force overwrites it"))
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(bytes))
      #expect(try BuiltTool.run("build", Self.input, "-o", path, "--force").code == 0)
      #expect(try BuiltTool.run("build", Self.input, "-o", path).code == 0, "an index is replaced")
      #expect(try ClusterTree.problems(ofIndex: path) == [])
    }
    #expect(try folder.contents() == ["file"])
  }

  /// Renaming a file over a device would take it away for everybody.
  @Test func devicesFoldersAndPipesAreNeverReplaced() throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    for path in ["/dev/null", folder.url.path, folder.path("pipe")] {
      let result = try BuiltTool.run("build", Self.input, "-o", path, "--force")
      #expect(result.code == 64)
      #expect(result.errors.contains("never replaced"))
    }
    #expect(try folder.contents() == ["pipe"])
    #expect(
      (try FileManager.default.attributesOfItem(atPath: "/dev/null"))[.type] as? FileAttributeType
        == .typeCharacterSpecial)
  }

  @Test func linkIsFollowed() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(try TestIndex.tiny.bytes(), to: "index")
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "index")
    #expect(try BuiltTool.run("build", Self.input, "-o", folder.path("link")).code == 0)
    #expect(try folder.contents() == ["index", "link"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) != Data(TestIndex.tiny.bytes()))
  }

  @Test func leftoverOfADeadBuildIsTakenOver() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write([UInt8](repeating: 7, count: 1 << 20), to: ".index.partial")
    #expect(try BuiltTool.run("build", Self.input, "-o", folder.path("index")).code == 0)
    #expect(try folder.contents() == ["index"])
    #expect(try ClusterTree.problems(ofIndex: folder.path("index")) == [])
  }

  /// A build that is at work has locked its file.
  @Test func buildAtWorkIsLeftAlone() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([], to: ".index.partial")
    let descriptor = open(path, O_RDWR)
    #expect(flock(descriptor, LOCK_EX) == 0)
    let result = try BuiltTool.run("build", Self.input, "-o", folder.path("index"))
    #expect(result.code == 74 && result.errors.contains("another build is writing this index"))
    close(descriptor)
    #expect(try BuiltTool.run("build", Self.input, "-o", folder.path("index")).code == 0)
  }

  /// Somebody may have put a link where the partial file goes, to have another file cut off.
  @Test func linkInPlaceOfThePartialFileIsNotFollowed() throws {
    let folder = try TemporaryFolder()
    let victim = try folder.write([1, 2, 3], to: "victim")
    try FileManager.default.createSymbolicLink(atPath: folder.path(".a.partial"), withDestinationPath: victim)
    #expect(link(victim, folder.path(".b.partial")) == 0)
    for name in ["a", "b"] {
      #expect(try BuiltTool.run("build", Self.input, "-o", folder.path(name)).code == 74)
      #expect(try Data(contentsOf: URL(fileURLWithPath: victim)) == Data([1, 2, 3]))
    }
  }

  /// The first bytes tell points from an index; those of a pipe are gone once they are read.
  @Test func pipeLosesNoByte() throws {
    let file = try BuiltTool.run("query", Self.input)
    let pipe = try BuiltTool.runShell("\"$TREELINE\" query <(cat \"$1\")", ["bash", Self.input])
    #expect(pipe.code == 0 && pipe.output == file.output)
  }

  /// Every command that takes points takes an index of any name, with the same answer.
  @Test func indexStandsForItsPoints() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("points.csv")
    let points = Repository.path("Fixtures/cities.csv.gz")
    #expect(
      try BuiltTool.run("build", points, "-o", path, "--attributes", "name,country,population").code == 0)
    for arguments in [["--limit", "30"], ["--bbox", "-10,35,30,60", "--limit", "20"]] {
      let fromPoints = try BuiltTool.runShell(
        "\"$TREELINE\" query \"$@\"", ["bash", points] + arguments)
      let fromIndex = try BuiltTool.runShell("\"$TREELINE\" query \"$@\"", ["bash", path] + arguments)
      #expect(fromPoints.code == 0 && fromPoints.output == fromIndex.output)
    }
    let verified = try BuiltTool.run("verify", path)
    #expect(verified.code == 0 && verified.output.contains("sound"))
    #expect(try BuiltTool.run("inspect", path).output.contains("bytes/point"))
  }
}
