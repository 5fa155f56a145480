import TestSupport
import Testing

@testable import TreelineFormats

/// Damages valid inputs at random. Reading must end in a table or in an error, and the size of the chunks must not
/// matter.
@Suite struct MutationTests {
  @Test func damagedInputs() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    var seeds = ChunkBoundaryExhaustiveTests.inputs.map { Array($0.utf8) }
    seeds += seeds.map(gzip)
    for round in 0..<Trials.count(20_000, seed: seed) {
      let bytes = damaged(seeds[round % seeds.count], seeds.randomElement(using: &generator)!, &generator)
      let options = ReadingOptions(
        // These options only affect inputs with columns, so they do not affect GeoJSON.
        columns: [
          .automatic, .automatic, .plane(x: "1", y: "2"), .sphere(longitude: "lon", latitude: "3"), .wkt("2"),
          .latitudeLongitude("2"), .longitudeLatitude("location"),
        ].randomElement(using: &generator)!, skipsInvalid: Int.random(in: 0..<4, using: &generator) > 0,
        keepsColumns: true, isPlanar: [nil, true].randomElement(using: &generator)!,
        decimal: [.point, .point, .comma].randomElement(using: &generator)!)
      let whole = outcome(bytes, options)
      let chunk = Int.random(in: 1...40, using: &generator)
      let inChunks = outcome(bytes, options, limits: ReadingLimits(chunk: chunk))
      // If both an archive and the data in it are broken, a reader of small chunks may find the broken data before the
      // broken end of the archive.
      let isSame = whole == inChunks || bytes.first == 0x1F && [whole, inChunks].allSatisfy { $0.hasPrefix("points:") }
      #expect(isSame, "\(whole) != \(inChunks): \(bytes), chunk \(chunk), seed \(seed)")
      if !isSame { return }
    }
  }

  private func damaged(_ bytes: [UInt8], _ other: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    let meaningful = Array("\"\\,;|\t\r\n{}[]():0-+.eEtfnuZM= #'\u{B0}NSWEO\u{1E}".utf8)
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let offset = Int.random(in: 0...bytes.count, using: &generator)
      let end = min(bytes.count, offset + Int.random(in: 0...12, using: &generator))
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: bytes.removeSubrange(offset..<end)
      case 1: bytes.insert(meaningful.randomElement(using: &generator)!, at: offset)
      case 2: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: offset)
      case 3 where offset < bytes.count: bytes[offset] = meaningful.randomElement(using: &generator)!
      default:
        let start = Int.random(in: 0...other.count, using: &generator)
        bytes.replaceSubrange(offset..<end, with: other[start..<min(other.count, start + 20)])
      }
    }
    return bytes
  }
}
