import Foundation
import Testing

@testable import TreelineServer

@Suite struct MemoryLimitTests {
  /// Writes a folder of control groups, and returns the limit of a process whose membership is given.
  private static func limit(_ membership: String, _ files: [String: String]) throws -> UInt64? {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("memory-limit-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files {
      let file = folder.appendingPathComponent("groups/\(name)")
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(membership.utf8).write(to: folder.appendingPathComponent("cgroup"))
    return MemoryLimit.ofControlGroup(membership: folder.path + "/cgroup", groups: folder.path + "/groups")
  }

  @Test(arguments: [
    // A service of systemd, whose limit is not at the top.
    ("0::/system.slice/a.service\n", ["system.slice/a.service/memory.max": "3000\n"], 3000),
    ("0::/b.slice/a.service\n", ["b.slice/a.service/memory.max": "max\n", "b.slice/memory.max": "2000\n"], 2000),
    ("0::/a/b\n", ["a/b/memory.max": "3000\n", "a/memory.max": "1000\n", "memory.max": "2000\n"], 1000),
    // A container, with a namespace of its own and without.
    ("0::/\n", ["memory.max": "500\n"], 500), ("0::/system.slice/docker-1.scope\n", ["memory.max": "500\n"], 500),
    ("0::/../other\n", ["memory.max": "500\n"], 500),
    // Both versions of control groups.
    ("4:memory:/b\n0::/a\n", ["a/memory.max": "700\n", "b/memory.max": "1\n"], 700),
  ]) func smallestLimitCounts(_ membership: String, _ files: [String: String], _ expected: UInt64) throws {
    #expect(try Self.limit(membership, files) == expected)
  }

  @Test func nothingIsALimit() throws {
    #expect(try Self.limit("", ["memory.max": "1\n"]) == nil)
    #expect(try Self.limit("4:memory:/a\n", ["a/memory.max": "1\n"]) == nil)
    #expect(try Self.limit("0::/a\n", ["a/memory.max": "-1\n", "memory.max": "max\n"]) == nil)
    #expect(MemoryLimit.ofControlGroup(membership: "/nowhere") == nil)
  }

  @Test func standardFitsTwice() {
    #expect(Catalog.standardResidentBytes <= Int(ProcessInfo.processInfo.physicalMemory / 3))
    #expect(Catalog.standardResidentBytes > 0)
  }
}
