import TestSupport
import Testing

@testable import TreelineFormats

/// Checks that bytes are accepted as UTF-8 exactly if Swift accepts them.
@Suite struct UTF8ValidityExhaustiveTests {
  /// Bytes at which the range of one of the rules of UTF-8 begins or ends.
  private static let edges: [UInt8] = [
    0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
    0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
  ]

  private func agrees(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBufferPointer(isValidUTF8) == (String(validating: bytes, as: UTF8.self) != nil)
  }

  @Test func everyPairOfBytes() {
    for first in UInt8.min...UInt8.max {
      #expect(agrees([first]))
      for second in UInt8.min...UInt8.max where !agrees([first, second]) { Issue.record("\(first) \(second)") }
    }
  }

  /// Tests each sequence alone and between other text.
  @Test func everySequenceOfEdges() {
    for first in Self.edges {
      for second in Self.edges {
        for third in Trials.some(of: Self.edges, atLeast: 5) {
          for fourth in Self.edges {
            let bytes = [first, second, third, fourth]
            let before = [UInt8](repeating: 0x41, count: Int(first ^ second ^ third ^ fourth) % 9)
            if !agrees(bytes) || !agrees(before + bytes + [0x41]) { Issue.record("\(before) \(bytes)") }
          }
        }
      }
    }
  }
}
