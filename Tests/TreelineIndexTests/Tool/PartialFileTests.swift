import Foundation
import TestSupport
import Testing
import Treeline
import TreelineBuilder
import TreelineVerification

/// Checks the partial file next to an index, to which a build writes first. A build removes the partial file of a
/// killed build, and leaves any other file alone.
@Suite struct PartialFileTests {
  private static let input = Repository.path("Fixtures/formats/plain.csv")

  private func build(_ folder: TemporaryFolder, _ input: String = input) throws -> Tool.Result {
    try Tool.run("build", input, "-o", folder.path("index"))
  }

  /// Kinds of partial files that killed builds leave.
  enum Leftover: CaseIterable {
    case nothingYet, lengthOnly, sectionsWithoutHeader, oneByte, sevenBytes, all

    var bytes: [UInt8] {
      get throws {
        switch self {
        case .nothingYet: []
        case .lengthOnly: [UInt8](repeating: 0, count: 1 << 20)
        case .sectionsWithoutHeader: [UInt8](repeating: 0, count: 128) + [7, 7, 7]
        case .oneByte: try Array(TestIndex.tiny.bytes().prefix(1))
        case .sevenBytes: try Array(TestIndex.tiny.bytes().prefix(7))
        case .all: try TestIndex.tiny.bytes()
        }
      }
    }
  }

  @Test(arguments: Leftover.allCases) func leftoverOfADeadBuildIsTakenOver(leftover: Leftover) throws {
    let folder = try TemporaryFolder()
    _ = try folder.write(leftover.bytes, to: ".index.partial")
    #expect(try build(folder).code == 0)
    #expect(try folder.contents() == ["index"])
    #expect(try ClusterTree.problems(ofIndex: folder.path("index")) == [])
  }

  @Test(arguments: Leftover.allCases) func leftoverIsClearedByABuildThatFails(leftover: Leftover) throws {
    for arguments in [
      [Repository.path("Fixtures/broken/not_a_number.csv")], ["/nowhere/points.csv"],
      [Repository.path("Fixtures/index/v1/tiny.treeline")], [Self.input, "--attributes", "nmae"],
    ] {
      let folder = try TemporaryFolder()
      _ = try folder.write(leftover.bytes, to: ".index.partial")
      let result = try Tool.runShell(
        "\"$TREELINE\" build \"$@\"", ["bash"] + arguments + ["-o", folder.path("index")])
      #expect(result.code != 0)
      #expect(try folder.contents() == [], "\(arguments): \(result.errors)")
    }
  }

  @Test func otherFilesOfThatNameAreLeftAlone() throws {
    for bytes in [
      Array("my notes\n".utf8), [0x1F, 0x8B, 8, 0], [0, 0, 0, 1], [0x89, 0x54, 0x52, 0x4D],
      [UInt8](repeating: 0, count: 127) + [1],
    ] as [[UInt8]] {
      let folder = try TemporaryFolder()
      let path = try folder.write(bytes, to: ".index.partial")
      let result = try build(folder)
      #expect(result.code == 74)
      #expect(result.errors.contains("is taken by an unrelated file (\(bytes.count) bytes)"), "\(result.errors)")
      #expect(result.errors.contains("away or choose another name"), "\(result.errors)")
      #expect(try folder.contents() == [".index.partial"])
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(bytes))
    }
  }

  /// An attacker may put a link at the path of the partial file, so that the build would truncate another file. Checks
  /// that the build leaves links, folders and pipes alone.
  @Test func linksFoldersAndPipesOfThatNameAreLeftAlone() throws {
    let folder = try TemporaryFolder()
    let victim = try folder.write([], to: "victim")
    try folder.link(".a.partial", to: "victim")
    #expect(link(victim, folder.path(".b.partial")) == 0)
    try folder.makeFolder(".c.partial")
    #expect(mkfifo(folder.path(".d.partial"), 0o600) == 0)
    let before = try folder.contents()
    for (name, found) in [("a", "a link"), ("b", "hard links"), ("c", "a folder"), ("d", "a pipe")] {
      let result = try Tool.run("build", Self.input, "-o", folder.path(name))
      #expect(result.code == 74)
      #expect(result.errors.contains(found), "\(result.errors)")
      #expect(result.errors.contains("away or choose another name"), "\(result.errors)")
    }
    #expect(try folder.contents() == before)
  }

  /// A running build holds a lock on its partial file. Checks that another build leaves this file alone.
  @Test func buildAtWorkIsLeftAlone() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([], to: ".index.partial")
    let descriptor = open(path, O_RDWR)
    #expect(flock(descriptor, LOCK_EX) == 0)
    // The build is refused before it reads any input. Otherwise it would report that the input is missing.
    let result = try build(folder, "/nowhere/points.csv")
    #expect(result.code == 74 && result.errors.contains("another run is writing this file"))
    #expect(try folder.contents() == [".index.partial"])
    close(descriptor)
    #expect(try build(folder).code == 0)
    #expect(try folder.contents() == ["index"])
  }

  /// Checks that a build locks its partial file from the start, and not only when it writes.
  @Test func secondBuildIsRefusedAtOnce() throws {
    let folder = try TemporaryFolder()
    let result = try Tool.runShell(
      """
      mkfifo "$2/points" && exec 3<>"$2/points" && echo "longitude,latitude" >&3
      "$TREELINE" build "$2/points" -o "$2/index" 3>&- & first=$!
      for i in {1..500}; do [ -e "$2/.index.partial" ] && break; sleep 0.01; done
      "$TREELINE" build "$1" -o "$2/index"; echo $?
      echo 1,2 >&3; exec 3>&-; wait $first; echo $?; rm "$2/points"
      """, ["bash", Self.input, folder.url.path])
    #expect(result.output == "74\n0\n", "\(result.errors)")
    #expect(result.errors.contains("another run is writing this file"))
    #expect(try folder.contents() == ["index"])
    #expect(try ClusterTree(contentsOfFile: folder.path("index")).pointCount == 1)
  }

  /// Checks that a build leaves the folder as it was if the build is stopped or its terminal is closed.
  @Test(arguments: ["INT", "TERM", "HUP"]) func stoppedBuildLeavesNothing(signal: String) throws {
    let folder = try TemporaryFolder()
    let result = try Tool.runShell(
      """
      mkfifo "$1/points" && exec 3<>"$1/points"
      # The test runner blocks signals, and background jobs of a shell ignore interrupts; env undoes both.
      env --default-signal=\(signal) "$TREELINE" build "$1/points" -o "$1/index" 3>&- & first=$!
      for i in {1..500}; do [ -e "$1/.index.partial" ] && break; sleep 0.01; done
      sleep 0.1; kill -\(signal) $first; wait $first; echo $(kill -l $?); rm "$1/points"
      """, ["bash", folder.url.path])
    #expect(result.output == "\(signal)\n", "\(result.errors)")
    #expect(try folder.contents() == [])
  }

  @Test func hangUpThatIsIgnoredIsIgnored() throws {
    let folder = try TemporaryFolder()
    let result = try Tool.runShell(
      """
      mkfifo "$1/points" && exec 3<>"$1/points" && echo "longitude,latitude" >&3
      env --default-signal=HUP nohup "$TREELINE" build "$1/points" -o "$1/index" 3>&- >/dev/null & first=$!
      for i in {1..500}; do [ -e "$1/.index.partial" ] && break; sleep 0.01; done
      sleep 0.1; kill -HUP $first; sleep 0.1; exec 3>&-; wait $first; echo $?; rm "$1/points"
      """, ["bash", folder.url.path])
    #expect(result.output == "0\n", "\(result.errors)")
    #expect(try folder.contents() == ["index"])
  }
}
