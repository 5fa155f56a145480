import Foundation
import TestSupport
import Testing
import Treeline

/// Checks that opening reads only the header and the list of sections, however large the sections are.
@Suite struct OpeningTimeTests {
  /// Opens a file with a hundred million points that takes almost no space on disk. All bytes except the header and the
  /// root's record are holes.
  @Test func hundredMillionPointsOpenWithinAMillisecond() throws {
    let folder = try TemporaryFolder()
    let path = try sparseIndex(pointCount: 100_000_000, in: folder)
    var best = Duration.seconds(1)
    for _ in 0..<20 {
      let clock = ContinuousClock()
      var tree: ClusterTree?
      let time = try clock.measure { tree = try ClusterTree(contentsOfFile: path) }
      #expect(tree?.pointCount == 100_000_000)
      best = min(best, time)
    }
    print("Opening 100,000,000 points takes \(best)")
    #expect(best < .milliseconds(1))
  }

  private func sparseIndex(pointCount: Int, in folder: TemporaryFolder) throws -> String {
    // There are as many records per point as in real data. Their number is odd.
    let nodeCount = pointCount / 6 | 1
    let pairs = (nodeCount - 1) / 2
    var sections: [IndexSection] = []
    var end: UInt64 = 320
    for (kind, length) in [
      (IndexSection.Kind.points, 8 * pointCount), (.gaps, (pointCount + 1) / 2), (.nodes, 24 * nodeCount),
      (.sums, 16 * pairs), (.spreads, 12 * pairs), (.rows, 4 * pointCount),
    ] {
      let offset = (end + 63) / 64 * 64
      sections.append(IndexSection(kind: kind, isRequired: true, offset: offset, length: UInt64(length), checksum: 0))
      end = offset + UInt64(length)
    }
    var header = try IndexEditor(TestIndex.tiny).header
    (header.pointCount, header.nodeCount, header.fileLength, header.sections) = (pointCount, nodeCount, end, sections)

    let path = folder.path("sparse")
    #expect(FileManager.default.createFile(atPath: path, contents: Data(header.bytes)))
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: end)
    try file.seek(toOffset: sections[2].offset + 16)
    var count = UInt32(pointCount).littleEndian
    try file.write(contentsOf: Data(bytes: &count, count: 4))
    try file.close()
    return path
  }
}
