import TestSupport
import Testing
@_spi(Server) import Treeline

/// Flips every bit of an index, and truncates its file at every byte. A fast run tries only about every tenth
/// position.
@Suite struct DamageExhaustiveTests {
  @Test(arguments: (TestIndex.all + [.described]).filter { $0.name != "none" }) func verificationReportsEveryFlippedBit(
    _ index: TestIndex
  ) throws {
    let bytes = try index.bytes()
    #expect(try IndexBytes(bytes).problems() == [])
    var missed: [Int] = []
    for bit in Self.some(of: 8 * bytes.count) {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      let damaged = IndexBytes(flipped)
      if !isReported(damaged) { missed.append(bit) }
      // If a bit is flipped in the header, opening fails. In all other cases queries read the damaged index.
      _ = IndexExercise(damaged, queries: 20)
    }
    #expect(missed == [])
  }

  /// Flips bits and repairs the checksums, so that queries read the damaged hierarchy. Nothing may crash.
  @Test(arguments: (TestIndex.all + [.described]).filter { $0.name != "none" })
  func noFlippedBitBehindAGoodChecksumCrashes(
    _ index: TestIndex
  ) throws {
    let bytes = try index.bytes()
    for bit in Self.some(of: 8 * bytes.count) {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      flipped.withUnsafeMutableBytes { ChecksumRepair.repair($0) }
      _ = IndexExercise(IndexBytes(flipped), queries: 10)
    }
  }

  @Test(arguments: TestIndex.all + [.described]) func everyTruncationIsReported(_ index: TestIndex) throws {
    let bytes = try index.bytes()
    for length in Self.some(of: bytes.count) {
      let damaged = IndexBytes(Array(bytes[..<length]))
      #expect(throws: IndexError.self, "\(length) bytes") { _ = try damaged.problems() }
      _ = IndexExercise(damaged, queries: 20)
      var repaired = Array(bytes[..<length])
      repaired.withUnsafeMutableBytes { ChecksumRepair.repair($0) }
      _ = IndexExercise(IndexBytes(repaired), queries: 5)
    }
  }

  @Test(arguments: TestIndex.all + [.described]) func moreBytesAreReported(_ index: TestIndex) throws {
    let damaged = IndexBytes(try index.bytes() + [0])
    #expect(throws: IndexError.self) { _ = try damaged.open() }
  }

  /// Returns evenly spread numbers below a count. The step is odd, so that every bit of a byte is used.
  private static func some(of count: Int) -> StrideTo<Int> {
    // Returns at least a hundred numbers, or all numbers if there are fewer.
    let tried = Trials.chosen == .fast ? min(count, max(count / 40, 100)) : count
    return stride(from: 0, to: count, by: count / tried | 1)
  }

  private func isReported(_ index: IndexBytes) -> Bool {
    do throws(IndexError) { return try !index.problems().isEmpty } catch { return true }
  }
}
