import Foundation
import PointSets
import Testing
@_spi(Server) import Treeline
@testable import TreelineBuilder

/// Changes a file of a stopped build that works on disk, and continues the build. The build must give the same index
/// as without the change, or report the file.
@Suite struct ScratchDamageTests {
  private enum Damage: CaseIterable {
    case flippedBit, cutShort, zeros
  }

  struct Build: Sendable, CustomTestStringConvertible {
    let set: PointSet
    var columns: [TestColumn] = []
    var firstRow: Int?
    var isGrouped = false
    var testDescription: String { "\(set), \(columns.count) columns" }

    var groups: [PointGroups.Group]? {
      isGrouped ? set.coordinates.indices.map { $0 % 9 == 0 ? .neverClustered : .named("\($0 % 4)") } : nil
    }
  }

  static let builds = [
    Build(set: .cities(300, seed: 3), columns: TestColumn.all(seed: 4, arePrepared: true), firstRow: 1 << 33),
    Build(set: .planar(300, x: -3...9, y: 0...1, seed: 5)),
    Build(set: .nullIsland(stack: 100, noise: 200, seed: 4), isGrouped: true),
  ]

  /// Number of times that each kind of damage is tried on each file.
  private static let trialCount = 1

  @Test(arguments: builds) func damageIsRepairedOrReported(_ build: Build) throws {
    let expected = try #require(try run(build, in: Place(), cancelledIn: nil))
    var (trials, resumed, refused): (Int, Int, [String: Int]) = (0, 0, [:])
    for (stage, skip) in [
      (IndexBuild.Stage.planning, 0), (.building, 0), (.building, 3), (.writing, 0), (.writing, 30),
    ] {
      let place = Place()
      defer { try? FileManager.default.removeItem(atPath: place.path) }
      guard try run(build, in: place, cancelledIn: stage, after: skip) == nil else { continue }
      let files = try place.files()
      for name in files.keys.sorted() where name != "lock" {
        for damage in Damage.allCases {
          for trial in 0..<Self.trialCount {
            let seed = UInt64(1000 * trials + trial)
            var random = SplitMix64(seed: seed)
            guard let damaged = Self.damaged(files[name]!, damage, &random) else { continue }
            try place.restore(files)
            try place.write(damaged, to: name)
            trials += 1
            var damages: [PieceError] = []
            let found = try run(build, in: place, cancelledIn: nil) { damages.append($0) }
            #expect(found == expected, "\(stage) \(skip), \(damage) of \(name), seed \(seed)")
            for case .damaged(let what, _, _) in damages {
              refused[URL(fileURLWithPath: what).lastPathComponent, default: 0] += 1
            }
            if damages.isEmpty { resumed += 1 }
            #expect(name != "state" || !damages.isEmpty, "\(stage) \(skip), \(damage) of \(name), seed \(seed)")
          }
        }
      }
    }
    print("\(build.testDescription): \(trials) trials, \(resumed) without a message, \(refused) refused")
    #expect(trials > 30 && !refused.isEmpty)
  }

  private static func damaged(_ file: [UInt8], _ damage: Damage, _ random: inout SplitMix64) -> [UInt8]? {
    if file.isEmpty { return nil }
    var bytes = file
    let place = random.index(below: bytes.count)
    switch damage {
    case .flippedBit: bytes[place] ^= 1 << UInt8(random.index(below: 8))
    case .cutShort: bytes.removeSubrange(place...)
    case .zeros:
      let end = min(place + 1 + random.index(below: 4096), bytes.count)
      for index in place..<end { bytes[index] = 0 }
    }
    return bytes == file ? nil : bytes
  }

  /// A scratch folder.
  private struct Place {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("scratch-\(UUID().uuidString)").path

    func files() throws -> [String: [UInt8]] {
      var files: [String: [UInt8]] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: path) {
        files[name] = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
      }
      return files
    }

    func restore(_ files: [String: [UInt8]]) throws {
      try? FileManager.default.removeItem(atPath: path)
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      for (name, bytes) in files { try write(bytes, to: name) }
    }

    func write(_ bytes: [UInt8], to name: String) throws {
      try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }
  }

  /// Returns the bytes of the index; nil if the build was canceled.
  private func run(
    _ build: Build, in place: Place, cancelledIn stage: IndexBuild.Stage?, after count: Int = 0,
    onDamage: (PieceError) -> Void = { _ in }
  ) throws -> [UInt8]? {
    let folder = try ScratchFolder(place.path, keepsFiles: true)
    var options = IndexBuild.Options(
      BuildOptions(splitRule: .mean, threads: 1), memory: 8000, projection: build.set.projection)
    options.columns = build.columns.map { .init($0.purpose, name: $0.name, preparations: $0.preparations) }
    options.hasGivenRows = build.firstRow != nil
    options.isGrouped = build.isGrouped
    let scratch = try IndexBuild.ofAllPoints(
      build.set, in: folder, options, batch: 200, columns: build.columns,
      rows: build.firstRow.map { first in build.set.coordinates.indices.map { first + $0 } }, groups: build.groups,
      cancelledIn: stage, after: count, onDamage: onDamage)
    let file = folder.path + "-index"
    defer { try? FileManager.default.removeItem(atPath: file) }
    do { try scratch.finish(to: IndexDestination(file)) } catch PieceError.cancelled { return nil }
    folder.remove()
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
  }

  /// Checks that two indexes with the same name, in two folders, can be built at the same time, even if their scratch
  /// folders are in the same third folder.
  @Test func indexesOfOneNameHaveScratchFoldersOfTheirOwn() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("folders-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for name in ["a", "b"] {
      try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
    }
    let paths = ["a", "b"].map { ScratchFolder.path(forIndex: "\(folder)/\($0)/index", in: "/scratch") }
    #expect(paths[0] != paths[1] && paths.allSatisfy { $0.hasPrefix("/scratch/.index-") })
    #expect(ScratchFolder.path(forIndex: "\(folder)/b/../a/index", in: "/scratch") == paths[0])
    #expect(ScratchFolder.path(forIndex: "\(folder)/a/index", in: nil) == "\(folder)/a/.index.scratch")
  }
}
