/// A generator of random numbers that gives equal numbers for equal seeds on every machine (Steele, Lea and Flood
/// 2014, doi:10.1145/2660193.2660195).
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

extension SplitMix64 {
  /// Returns a random number of 0 ..< 1, evenly distributed. The standard library may change how it converts bits to a
  /// double, so its function is not used.
  public mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  public mutating func number(from least: Double, to greatest: Double) -> Double {
    least + (greatest - least) * fraction()
  }

  /// Returns a random index of 0 ..< count, evenly distributed except for a bias of count / 2^64.
  public mutating func index(below count: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(count)).high) }

  /// Returns a nearly normal random number with mean 0 and standard deviation 1. It is a sum of twelve evenly
  /// distributed numbers, so it needs no functions of the C library.
  public mutating func bell() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += fraction() }
    return sum
  }

  public mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
    var elements = elements
    for last in elements.indices.dropFirst().reversed() { elements.swapAt(last, index(below: last + 1)) }
    return elements
  }
}
