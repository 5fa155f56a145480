import TestSupport
import Testing

@testable import TreelineFormats

@Suite struct DecimalTests {
  private func parse(_ text: String) -> Double? { Array(text.utf8).withUnsafeBufferPointer { parseDecimal($0) } }

  @Test(arguments: [
    ("0", 0.0), (" 1.5\t", 1.5), ("+2", 2), ("-.5", -0.5), ("5.", 5), ("1e3", 1000), ("1E-3", 0.001),
    ("00012.50", 12.5), ("9007199254740993", 9007199254740992), ("9007199254740993.0000000000001", 9007199254740994),
    ("1e400", .infinity), ("1e-400", 0), ("4.9e-324", 5e-324), ("1e99999999999999999999", .infinity),
    ("0e99999999999999999999", 0),
  ]) func values(_ text: String, _ expected: Double) { #expect(parse(text) == expected) }

  @Test func negativeZeroKeepsItsSign() { #expect(parse("-0.0")?.sign == .minus) }

  @Test(arguments: [
    "", " ", ".", "-", "+-1", "1e", "1e+", "e5", "1.2.3", "1,5", "0x10", "nan", "inf", "1 2", "1_0", "١", "1\0", "--1",
  ]) func otherTexts(_ text: String) { #expect(parse(text) == nil) }

  /// Compares with `strtod` of the C library, bit for bit.
  @Test func randomDecimals() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<Trials.count(300_000, seed: seed) {
      let text = decimal(&generator)
      let value = parse(text)
      #expect(value?.bitPattern == Double(text)?.bitPattern, "\(text), seed \(seed)")
      if value?.bitPattern != Double(text)?.bitPattern { return }
    }
  }

  /// Tests texts of numbers halfway between two neighboring doubles, and slightly beside the middle.
  @Test func halfwayDecimals() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<Trials.count(50_000, seed: seed) {
      // An odd integer of 54 bits, divided by a power of two up to 8, lies halfway between two doubles. Its text has at
      // most 19 digits.
      let odd = UInt64.random(in: 1 << 53...(1 << 54) - 1, using: &generator) | 1
      for shift in 0...2 {
        let fraction = (odd & (1 << UInt64(shift) - 1)) * [1, 5, 25][shift]
        let whole = odd >> UInt64(shift)
        let text = shift == 0 ? "\(whole)" : "\(whole).\(shift == 2 && fraction < 10 ? "0" : "")\(fraction)"
        #expect(parse(text)?.bitPattern == Double(text)?.bitPattern, "\(text), seed \(seed)")
        #expect(parse(text + "e-7")?.bitPattern == Double(text + "e-7")?.bitPattern, "\(text), seed \(seed)")
      }
    }
  }

  private func decimal(_ generator: inout SeededGenerator) -> String {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return "\(Double.random(in: -180...180, using: &generator))"
    case 1:
      return "\(Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &generator)))".replacing("nan", with: "1")
        .replacing("inf", with: "1")
    default:
      let digits = (0..<Int.random(in: 1...24, using: &generator)).map { _ in
        String(Int.random(in: 0...9, using: &generator))
      }.joined()
      let point = Int.random(in: 0...digits.count, using: &generator)
      let text = "-" + digits.prefix(point) + "." + digits.dropFirst(point)
      return Bool.random(using: &generator) ? text : text + "e\(Int.random(in: -30...30, using: &generator))"
    }
  }
}
