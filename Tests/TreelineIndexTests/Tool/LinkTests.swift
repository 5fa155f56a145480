import Foundation
import TestSupport
import Testing
import Treeline
import TreelineBuilder
import TreelineVerification

/// Checks that an index whose path is a link is written to the target of the link.
@Suite struct LinkTests {
  private static let input = Repository.path("Fixtures/formats/plain.csv")

  private func build(_ folder: TemporaryFolder, _ name: String) throws -> Tool.Result {
    try Tool.run("build", Self.input, "-o", folder.path(name))
  }

  @Test func linkIsFollowed() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(try TestIndex.tiny.bytes(), to: "index")
    try folder.link("link", to: "index")
    #expect(try build(folder, "link").code == 0)
    #expect(try folder.contents() == ["index", "link"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) != Data(TestIndex.tiny.bytes()))
  }

  /// Checks that the target of a dangling link is created. `cp`, and `>` in a shell, do so, too.
  @Test func danglingLinkIsFollowed() throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("there")
    try folder.link("relative", to: "there/a")
    try folder.link("absolute", to: folder.path("there/b"))
    try folder.link("first", to: "second")
    try folder.link("second", to: "there/../there/c")
    for (name, target) in [("relative", "a"), ("absolute", "b"), ("first", "c")] {
      let result = try build(folder, name)
      #expect(result.code == 0, "\(result.errors)")
      #expect(try ClusterTree.problems(ofIndex: folder.path("there/\(target)")) == [])
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path(name)) != "")
    }
    #expect(try folder.contents() == ["absolute", "first", "relative", "second", "there"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("there")).sorted() == ["a", "b", "c"])
  }

  @Test func linkToAFolderIsFollowedOnTheWayAndRefusedAtTheEnd() throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("there")
    try folder.link("link", to: "there")
    #expect(try build(folder, "link/index").code == 0)
    #expect(try folder.contents() == ["link", "there"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("there")) == ["index"])
    let refused = try build(folder, "link")
    #expect(refused.code == 64 && refused.errors.contains("such as a folder or a device"), "\(refused.errors)")
  }

  @Test func linksThatLeadNowhere() throws {
    let folder = try TemporaryFolder()
    try folder.link("link", to: "missing/index")
    try folder.link("loop", to: "pool")
    try folder.link("pool", to: "loop")
    for (name, reason) in [("link", "missing', found none"), ("loop", "Too many levels of symbolic links")] {
      let result = try build(folder, name)
      #expect(result.code == 74 && result.errors.contains(reason), "\(result.errors)")
    }
    #expect(try folder.contents() == ["link", "loop", "pool"])
  }
}
