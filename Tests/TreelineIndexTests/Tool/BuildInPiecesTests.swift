import Foundation
import TestSupport
import Testing
import Treeline

/// Checks builds in pieces with the tool. They must give the same bytes as builds in memory, whatever happens to them,
/// and leave no other files behind.
@Suite struct BuildInPiecesTests {
  private static let inputs = [
    "Fixtures/cities.csv.gz", "Fixtures/formats/planar.csv", "Fixtures/formats/collection.geojson",
    "Fixtures/formats/lines.geojsonl",
  ]

  @Test(arguments: inputs, ["mean", "least-scatter"]) func sameBytesAsInMemory(_ input: String, _ rule: String) throws {
    let folder = try TemporaryFolder()
    let (expected, found) = (folder.path("expected"), folder.path("found"))
    #expect(try build(input, expected, rule).code == 0)
    for memory in Trials.some(of: ["20kB", "100", "1MB"]) {
      let result = try build(input, found, rule, "--memory", memory)
      #expect(result.code == 0, "\(result.errors)")
      #expect(try bytes(found) == bytes(expected), "\(memory): \(result.errors)")
      #expect(try folder.contents() == ["expected", "found"])
    }
    #expect(try build(input, found, rule, "--memory", "100").errors.contains("built in pieces"))
  }

  @Test func skippedRowsKeepTheirNumbers() throws {
    let folder = try TemporaryFolder()
    var random = SystemRandomNumberGenerator()
    let rows = (0..<3000).map { row in
      row % 7 == 3 ? "nowhere,\(row)" : "\(Int.random(in: -170...170, using: &random)),\(row % 80)"
    }
    let input = try folder.write("lon,lat\nnowhere,1\n" + rows.joined(separator: "\n"), to: "input.csv")
    for options in [["--skip-invalid"], ["--skip-invalid", "--x", "lon", "--y", "lat"]] {
      #expect(try build(input, folder.path("expected"), "mean", options).code == 0)
      let result = try build(input, folder.path("found"), "mean", options + ["--memory", "2000"])
      #expect(result.code == 0, "\(result.errors)")
      #expect(try bytes(folder.path("found")) == bytes(folder.path("expected")))
    }
    let refused = try build(input, folder.path("found"), "mean", ["--memory", "2000"])
    #expect(refused.code == 65)
    #expect(try folder.contents() == ["expected", "found", "input.csv"])
  }

  @Test(arguments: [["--for", "spacing"], ["--for", "badges", "--anchor", "member"]])
  func trees(_ options: [String]) throws {
    let folder = try TemporaryFolder()
    let arguments = ["build", Repository.path(Self.inputs[0]), "--columns", "population,country"] + options
    #expect(try Tool.run(arguments + ["-o", folder.path("expected")]).code == 0)
    for memory in Trials.some(of: ["100kB", "5MB"]) {
      let result = try Tool.run(arguments + ["-o", folder.path("found"), "--memory", memory])
      #expect(result.code == 0 && result.errors.contains("in pieces"), "\(result.errors)")
      #expect(try bytes(folder.path("found")) == bytes(folder.path("expected")))
      #expect(try folder.contents() == ["expected", "found"])
    }
  }

  @Test(arguments: ["30kB", "1MB"]) func withPreparedColumns(_ memory: String) throws {
    let folder = try TemporaryFolder()
    let options = ["--columns", "population+percentiles+distinct,country:category+distinct"]
    #expect(try build(Self.inputs[0], folder.path("expected"), "mean", options).code == 0)
    let result = try build(Self.inputs[0], folder.path("found"), "mean", options + ["--memory", memory])
    #expect(result.code == 0 && result.errors.contains("in pieces"), "\(result.errors)")
    #expect(try bytes(folder.path("found")) == bytes(folder.path("expected")))
    #expect(try folder.contents() == ["expected", "found"])
  }

  /// Checks that the note on coarse positions is printed by builds in memory and by builds in pieces.
  @Test func coarsePositionsAreTold() throws {
    let folder = try TemporaryFolder()
    for (far, isTold) in [("1e9", true), ("7", false)] {
      let rows = (0..<2000).map { "\(Double($0) / 1000),\($0 % 7)" }
      let input = try folder.write("x,y\n\(far),\(far)\n" + rows.joined(separator: "\n"), to: "input")
      for memory in [[], ["--memory", "20kB"]] {
        let result = try build(input, folder.path("index"), "mean", memory)
        #expect(result.errors.contains("positions are rounded to") == isTold, "\(result.errors)")
      }
    }
  }

  @Test func standardInput() throws {
    let folder = try TemporaryFolder()
    let input = Repository.path(Self.inputs[0])
    #expect(try build(input, folder.path("expected"), "mean").code == 0)
    let result = try Tool.run(
      ["build", "-", "-o", folder.path("found"), "--split", "mean", "--memory", "50kB"],
      input: try Data(contentsOf: URL(fileURLWithPath: input)))
    #expect(result.code == 0, "\(result.errors)")
    #expect(try bytes(folder.path("found")) == bytes(folder.path("expected")))
  }

  /// Checks options that need all points in memory. A build in pieces refuses them, and a build in memory accepts them.
  @Test(arguments: [
    (["--grow", "scatter"], "--for limit"),
    (["--split", "gamma:2"], "--split mean"),
  ])
  func whatPiecesCannotHaveIsRefused(_ options: [String], _ remedy: String) throws {
    let folder = try TemporaryFolder()
    let arguments = ["build", Repository.path(Self.inputs[0]), "-o", folder.path("index")] + options
    let result = try Tool.run(arguments + ["--memory", "10kB"])
    #expect(result.code == 64)
    #expect(result.errors.contains(remedy), "\(result.errors)")
    #expect(try folder.contents() == [])
    #expect(try Tool.run(arguments + ["--memory", "4GB"]).code == 0)
  }

  @Test func scratchThatCannotBeUsed() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write([1], to: "file")
    for (scratch, found) in [
      (folder.path("missing"), "missing', found none; make this folder"), (folder.path("file"), "file', found a file"),
      ("/proc", ".scratch: could not make this folder"),
    ] {
      let result = try build(Self.inputs[0], folder.path("index"), "mean", "--memory", "10kB", "--scratch", scratch)
      #expect(result.code == 74, "\(scratch)")
      #expect(result.errors.contains(found), "\(result.errors)")
    }
    #expect(try folder.contents() == ["file"])
  }

  /// Checks that a build never removes files that it did not write, even if they are at the path of its scratch folder.
  @Test func scratchFolderOfSomebodyElse() throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("other")
    _ = try folder.write([1], to: "other/points")
    for (name, make) in [
      ("not a folder", { try folder.link(".index.scratch", to: "other") }),
      ("not a folder", { _ = try folder.write([1], to: ".index.scratch") }),
      (
        "other files",
        {
          try folder.makeFolder(".index.scratch")
          _ = try folder.write([1], to: ".index.scratch/points")
        }
      ),
    ] as [(String, () throws -> Void)] {
      try make()
      for resume in [[], ["--resume"]] {
        let result = try build(Self.inputs[0], folder.path("index"), "mean", ["--memory", "10kB"] + resume)
        #expect(result.code == 74 && result.errors.contains(name), "\(result.errors)")
        #expect(try folder.contents() == [".index.scratch", "other"])
        #expect(FileManager.default.fileExists(atPath: folder.path("other/points")))
      }
      if name == "other files" { #expect(FileManager.default.fileExists(atPath: folder.path(".index.scratch/points"))) }
      try FileManager.default.removeItem(atPath: folder.path(".index.scratch"))
    }
    try folder.makeFolder(".index.scratch")
    #expect(try build(Self.inputs[0], folder.path("index"), "mean", "--memory", "10kB").code == 0)
    #expect(try folder.contents() == ["index", "other"])
  }

  @Test func sizesThatAreNone() throws {
    for size in ["", "0", "-1", "2XB", "GB", "1e999", "1.2.3GB", "½GB", "nan"] {
      let result = try Tool.run("build", "x", "-o", "y", "--memory=\(size)")
      #expect(
        result.code == 64 && result.errors.contains("a size such as 2GB") == !size.isEmpty, "\(size): \(result.errors)")
    }
  }

  @Test func standardInputIsNotResumed() throws {
    let result = try Tool.run(["build", "-", "-o", "y", "--resume"], input: Data("lon,lat\n1,2\n".utf8))
    #expect(result.code == 64 && result.errors.contains("standard input cannot"), "\(result.errors)")
  }

  private static let canMount = (try? Tool.runShell("unshare -m sh -c 'mount -t tmpfs none /mnt'").code) == 0

  /// Checks that a disk without enough space is reported before the work starts. The space may be missing for the
  /// points, the pieces or the index.
  @Test(
    .enabled(if: canMount, "needs the right to mount"),
    arguments: [
      ("64k", "$1/index", "--scratch $1/disk", "could not write it: No space left"),
      ("700k", "$1/index", "--scratch $1/disk", "another scratch folder"),
      ("700k", "$1/disk/index", "--scratch $1", "free some space or choose another folder\n"),
      // Scratch folder and index on the same disk.
      ("2000k", "$1/disk/index", "", "another folder with --scratch"),
    ])
  func fullDisk(_ size: String, _ index: String, _ scratch: String, _ problem: String) throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("disk")
    let result = try Tool.runShell(
      """
      unshare -m bash -c 'mount -t tmpfs -o size=\(size) none "$1/disk" && \
      "$TREELINE" build "$2" -o "\(index)" --memory 50kB \(scratch); echo $?; \
      ls -A "$1/disk"' \
      bash "$1" "$2"
      """, ["bash", folder.url.path, Repository.path(Self.inputs[0])])
    #expect(result.output == "74\n", "\(result.output)")
    #expect(result.errors.contains(problem), "\(result.errors)")
    #expect(try folder.contents() == ["disk"])
  }

  private func build(_ input: String, _ output: String, _ rule: String, _ options: String...) throws -> Tool.Result {
    try build(input, output, rule, options)
  }

  private func build(_ input: String, _ output: String, _ rule: String, _ options: [String]) throws -> Tool.Result {
    try Tool.run(["build", input, "-o", output, "--split", rule] + options)
  }

  private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }
}
