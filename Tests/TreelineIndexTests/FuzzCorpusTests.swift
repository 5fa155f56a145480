import Foundation
import PointSets
import TestSupport
import Testing
import Treeline

@testable import TreelineFormats

/// Checks the seeds of the fuzzers, and inputs that fuzzers once found, in Fixtures/fuzz.
@Suite struct FuzzCorpusTests {
  static let indexes = Repository.files(in: "Fixtures/fuzz/index") + Repository.files(in: "Fixtures/fuzz/found/index")
  static let points = InputFormats.all.map { $0.name.lowercased() }.flatMap { name in
    Repository.files(in: "Fixtures/fuzz/\(name)") + Repository.files(in: "Fixtures/fuzz/found/\(name)")
  }

  @Test(.enabled(if: !indexes.isEmpty), arguments: indexes) func indexEndsInAnAnswerOrATypedError(_ path: String) throws
  {
    var bytes = try Repository.bytes(path)
    _ = IndexExercise(IndexBytes(bytes), queries: 100)
    bytes.withUnsafeMutableBytes { ChecksumRepair.repair($0) }
    _ = IndexExercise(IndexBytes(bytes), queries: 100)
  }

  static let filters =
    Repository.files(in: "Fixtures/fuzz/filter") + Repository.files(in: "Fixtures/fuzz/found/filter")

  @Test func textIsAFilterOrATypedError() throws {
    let exercise = FilterExercise(try ClusterTree(contentsOfFile: Repository.path("Fixtures/fuzz/index/typed")))
    for path in Self.filters {
      let bytes = try Repository.bytes(path)
      exercise.run(String(decoding: bytes, as: UTF8.self))
      for seed in Trials.seeds(500) {
        var random = SplitMix64(seed: seed)
        var changed = bytes
        for _ in 0..<1 + random.index(below: 4) {
          changed[random.index(below: changed.count)] = bytes[random.index(below: bytes.count)]
        }
        exercise.run(String(decoding: changed, as: UTF8.self))
      }
    }
  }

  static let sections =
    Repository.files(in: "Fixtures/fuzz/sections") + Repository.files(in: "Fixtures/fuzz/found/sections")

  @Test(.enabled(if: !sections.isEmpty), arguments: sections) func sectionIsReadOrRefused(_ path: String) throws {
    let bytes = try Repository.bytes(path)
    let isSound = bytes.withUnsafeBytes { SectionExercise.run($0) }
    #expect(isSound || path.contains("found"))
    for seed in Trials.seeds(2000) {
      var random = SplitMix64(seed: seed)
      var changed = bytes
      for _ in 0..<1 + random.index(below: 8) {
        changed[random.index(below: changed.count)] =
          [0, 1, 0xFF, UInt8(random.index(below: 256))][random.index(below: 4)]
      }
      changed.withUnsafeBytes { _ = SectionExercise.run($0) }
    }
  }

  @Test(.enabled(if: !points.isEmpty), arguments: points) func pointsEndInATableOrATypedError(_ path: String) throws {
    let bytes = try Repository.bytes(path)
    for (skipsInvalid, decimal) in [(false, DecimalSeparator.point), (true, .point), (true, .comma)] {
      do {
        let options = ReadingOptions(skipsInvalid: skipsInvalid, keepsColumns: true, decimal: decimal)
        let table = try PointReader.read(bytes: bytes, name: "input", options: options)
        #expect(table.coordinates.allSatisfy { $0.longitude.isFinite && $0.latitude.isFinite })
      } catch let error as ReadingError { #expect(!"\(error)".isEmpty) }
    }
  }

  /// Writes the seeds that are missing. To have a seed written again, delete its file.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["TREELINE_BLESS"] != nil)) func seedsAreThere() throws {
    for index in TestIndex.all { try seed(index.name, index.bytes()) }
    let editor = try IndexEditor(TestIndex.typed)
    for (number, section) in editor.header.sections.enumerated() {
      guard let kind = SectionExercise.kinds.firstIndex(of: section.kind), section.kind != .search else { continue }
      let head = [UInt8(kind), UInt8(editor.header.pointCount)]
      try seed("\(section.kind)-\(number)", head + editor.bytes[section.range], in: "sections")
    }
    let searched = try IndexEditor(TestIndex.searched)
    let sections = searched.header.sections
    for (column, search) in zip(sections.filter { $0.kind == .column }, sections.filter { $0.kind == .search }) {
      let head = [UInt8(SectionExercise.kinds.count - 1), UInt8(searched.header.pointCount)]
      let length = [UInt8(column.length & 0xFF), UInt8(column.length >> 8)]
      let bytes = head + length + searched.bytes[column.range] + searched.bytes[search.range]
      try seed("search-\(search.offset)", bytes, in: "sections")
    }
    for damage in Damage.all { try seed(damage.description, damage.damaged().bytes) }
  }

  private func seed(_ name: String, _ bytes: [UInt8], in folder: String = "index") throws {
    let path = Repository.path("Fixtures/fuzz/\(folder)/" + name.replacingOccurrences(of: " ", with: "-"))
    if !FileManager.default.fileExists(atPath: path) { try Data(bytes).write(to: URL(fileURLWithPath: path)) }
  }
}
