import Foundation
import TestSupport
import Testing
import Treeline
import TreelineBuilder
import TreelineVerification

/// Checks which files a new index may replace.
@Suite struct OverwritingTests {
  private static let input = Repository.path("Fixtures/formats/plain.csv")

  @Test func otherFilesAreReplacedOnlyByForce() throws {
    let folder = try TemporaryFolder()
    for bytes in [[], Array("longitude,latitude\n".utf8), [0x89, 0x54, 0x52, 0x4C]] as [[UInt8]] {
      let path = try folder.write(bytes, to: "file")
      let refused = try Tool.run("build", Self.input, "-o", path)
      #expect(refused.code == 64)
      #expect(refused.errors.contains("overwritten with --force"))
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(bytes))
      #expect(try Tool.run("build", Self.input, "-o", path, "--force").code == 0)
      #expect(try Tool.run("build", Self.input, "-o", path).code == 0, "an index is replaced")
      #expect(try ClusterTree.problems(ofIndex: path) == [])
    }
    #expect(try folder.contents() == ["file"])
  }

  /// Checks that a device is never replaced: renaming a file over it would remove the device for all users. The same
  /// holds for folders and pipes.
  @Test func devicesFoldersAndPipesAreNeverReplaced() throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    for path in ["/dev/null", folder.url.path, folder.path("pipe")] {
      let result = try Tool.run("build", Self.input, "-o", path, "--force")
      #expect(result.code == 64)
      #expect(result.errors.contains("such as a folder or a device"))
    }
    #expect(try folder.contents() == ["pipe"])
    #expect(
      (try FileManager.default.attributesOfItem(atPath: "/dev/null"))[.type] as? FileAttributeType
        == .typeCharacterSpecial)
  }

  /// Checks that a replaced index keeps the permissions that its owner has set, and that a new index obeys the umask.
  @Test func permissionsAreKept() throws {
    let folder = try TemporaryFolder()
    for mode in ["600", "640", "444"] {
      let path = try folder.write(try TestIndex.tiny.bytes(), to: "index")
      let result = try Tool.runShell(
        """
        chmod \(mode) "$2" && umask 022 && "$TREELINE" build "$1" -o "$2" && stat -c %a "$2" && rm -f "$2"
        """, ["bash", Self.input, path])
      #expect(result.output == "\(mode)\n", "\(result.errors)")
    }
    let new = try Tool.runShell(
      "umask 027 && \"$TREELINE\" build \"$1\" -o \"$2\" && stat -c %a \"$2\"",
      ["bash", Self.input, folder.path("new")])
    #expect(new.output == "640\n")
  }

  /// The first bytes of a file show whether it contains points or an index. These bytes can be read only once from a
  /// pipe, so none of them may get lost.
  @Test func pipeLosesNoByte() throws {
    let file = try Tool.run("query", Self.input)
    let pipe = try Tool.runShell("\"$TREELINE\" query <(cat \"$1\")", ["bash", Self.input])
    #expect(pipe.code == 0 && pipe.output == file.output)
  }

  /// All commands for points also accept an index, whatever the name of its file. Their answers must be the same.
  @Test func indexStandsForItsPoints() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("points.csv")
    let points = Repository.path("Fixtures/cities.csv.gz")
    #expect(try Tool.run("build", points, "-o", path, "--attributes", "name,country,population").code == 0)
    for arguments in [["--limit", "30"], ["--bbox", "-10,35,30,60", "--limit", "20"]] {
      let fromPoints = try Tool.runShell("\"$TREELINE\" query \"$@\"", ["bash", points] + arguments)
      let fromIndex = try Tool.runShell("\"$TREELINE\" query \"$@\"", ["bash", path] + arguments)
      #expect(fromPoints.code == 0 && fromPoints.output == fromIndex.output)
    }
    let verified = try Tool.run("verify", path)
    #expect(verified.code == 0 && verified.output.contains("sound"))
    #expect(try Tool.run("inspect", path).output.contains("bytes/point"))
  }
}
