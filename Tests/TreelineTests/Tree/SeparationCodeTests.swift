import PointSets
import Testing
import Treeline

@Suite struct SeparationCodeTests {
  static let greatest: UInt16 = SeparationCode.beyondAll.rawValue - 1

  @Test func everyCodeStandsForMoreThanTheOneBefore() {
    let squares = (0...Self.greatest).map { SeparationCode(rawValue: $0).squaredDistance }
    #expect(zip(squares, squares.dropFirst()).allSatisfy(<))
    #expect(squares[..<2048].elementsEqual(0..<2048))
  }

  @Test func everyCodeIsThatOfWhatItStandsForAndOfAllUpToTheNext() {
    for rawValue in 0...Self.greatest {
      let code = SeparationCode(rawValue: rawValue)
      #expect(SeparationCode(roundingDown: code.squaredDistance) == code)
      let last = rawValue == Self.greatest ? UInt64.max : SeparationCode(rawValue: rawValue + 1).squaredDistance - 1
      #expect(SeparationCode(roundingDown: last) == code)
      #expect(code < .beyondAll)
    }
  }

  @Test func distancesAreLessThanTheirTwoThousandthPartTooShort() {
    for rawValue in 1...Self.greatest {
      let code = SeparationCode(rawValue: rawValue)
      let most = rawValue == Self.greatest ? UInt64.max : SeparationCode(rawValue: rawValue + 1).squaredDistance - 1
      let ratio = (Double(code.squaredDistance) / Double(most)).squareRoot()
      #expect(ratio > 1 - 1 / 2048.0)
    }
  }

  /// Checks, in exact arithmetic, that the code of a distance is the least code whose square is at least the square of
  /// the distance.
  @Test func aDistanceHasTheLeastCodeThatReachesIt() {
    var random = SplitMix64(seed: 81)
    var distances = (0..<20_000).map { _ in random.number(from: 1, to: 2) * Double(1 << random.index(below: 32)) }
    for rawValue in stride(from: 1, through: Self.greatest, by: 7) {
      let distance = Double(SeparationCode(rawValue: rawValue).squaredDistance).squareRoot()
      distances += [distance.nextDown, distance, distance.nextUp]
    }
    distances += [
      .leastNonzeroMagnitude, 1e-200, 0.5, 1, Double(1).nextUp, Double(1).nextDown, 0x1p32, Double(0x1p32).nextDown,
    ]
    for distance in distances {
      let code = SeparationCode(atLeast: distance)
      #expect(code == .beyondAll || reaches(code, distance), "\(distance)")
      #expect(!reaches(SeparationCode(rawValue: code.rawValue - 1), distance), "\(distance)")
    }
  }

  @Test func fewDistancesAreBeyondAll() {
    #expect(SeparationCode(atLeast: 0x1p32) == .beyondAll)
    #expect(SeparationCode(atLeast: .infinity) == .beyondAll)
    #expect(SeparationCode(atLeast: 0x1p32 * (1 - 1 / 2048.0)) < .beyondAll)
    #expect(SeparationCode(atLeast: .leastNonzeroMagnitude).rawValue == 1)
  }

  @Test func distancesMustBeAboveZero() async {
    await #expect(processExitsWith: .failure) { _ = SeparationCode(atLeast: 0) }
    await #expect(processExitsWith: .failure) { _ = SeparationCode(atLeast: -1) }
    await #expect(processExitsWith: .failure) { _ = SeparationCode(atLeast: Double.nan) }
  }

  /// Returns whether the square of a code is at least the square of a distance. A distance has 53 bits, so its square
  /// fits in 128 bits.
  private func reaches(_ code: SeparationCode, _ distance: Double) -> Bool {
    guard code.rawValue > 0 else { return false }
    guard distance >= 1 else { return true }
    // distance = significand x 2^-shift, with a significand of 53 bits.
    let shift = UInt128(52 - distance.exponent)
    let significand = UInt128(distance * Double(sign: .plus, exponent: Int(shift), significand: 1))
    let square = significand * significand
    let scaled = UInt128(code.squaredDistance).multipliedReportingOverflow(by: 1 << (2 * shift))
    return scaled.overflow || scaled.partialValue >= square
  }
}
