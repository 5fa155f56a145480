import TestSupport
import Testing

@testable import TreelineFormats

/// Checks that `RecordLines` remembers the line of every record.
@Suite struct RecordLinesTests {
  @Test func anyLines() {
    for seed in Trials.seeds(300) {
      var random = SeededGenerator(seed: seed)
      var (lines, expected, line) = (RecordLines(), [Int](), 0)
      let mostGap = Int.random(in: 0...3, using: &random)
      for _ in 0..<Int.random(in: 0...60, using: &random) {
        line += 1 + Int.random(in: 0...mostGap, using: &random)
        lines.append(line)
        expected.append(line)
      }
      #expect(expected.indices.map(lines.line(ofRecord:)) == expected, "seed \(seed)")
    }
  }

  /// Several features may be in the same line.
  @Test func oneLineForAll() {
    var lines = RecordLines()
    for _ in 0..<5 { lines.append(1) }
    #expect((0..<5).map(lines.line(ofRecord:)) == [1, 1, 1, 1, 1])
  }
}
