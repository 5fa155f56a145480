/// An endless sequence of round values at which bins begin, such as the multiples of 5 or the beginnings of all
/// months. The round values are counted in ticks. A tick is the unit in which the column stores its values: a power of
/// ten for numbers, and a second or a decimal fraction of a second for times.
enum BinStep {
  /// Multiples of a number of ticks, counted from an origin.
  case ticks(Int128, from: Int128 = 0)
  /// The beginning of every n-th month, counted from January of the year 0.
  case months(Int, ticksPerDay: Int128)

  /// Returns the number of the bin that contains a tick.
  func bin(of tick: Int128) -> Int128 {
    switch self {
    case .ticks(let step, let origin): return Self.floor(tick - origin, by: step)
    case .months(let step, let ticksPerDay):
      let date = Instant.date(ofDay: Int64(Self.floor(tick, by: ticksPerDay)))
      return Self.floor(Int128(date.year * 12 + date.month - 1), by: Int128(step))
    }
  }

  /// Returns the first tick of a bin.
  func start(ofBin bin: Int128) -> Int128 {
    switch self {
    case .ticks(let step, let origin): return origin + bin * step
    case .months(let step, let ticksPerDay):
      let month = Int(bin) * step
      let year = Int(Self.floor(Int128(month), by: 12))
      return Int128(Instant.days(since1970: year, month - 12 * year + 1, 1)) * ticksPerDay
    }
  }

  private static func floor(_ a: Int128, by b: Int128) -> Int128 {
    let (quotient, remainder) = a.quotientAndRemainder(dividingBy: b)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// Returns the range of bins from the bin of the least tick through the bin of the greatest tick.
  func bins(from least: Int128, through greatest: Int128) -> ClosedRange<Int128> {
    bin(of: least)...bin(of: greatest)
  }

  // MARK: - Choosing a step

  /// Returns the first step with which at most `count` bins cover the ticks from `least` through `greatest`.
  static func first(
    of steps: some Sequence<BinStep>, atMost count: Int, from least: Int128, through greatest: Int128
  ) -> BinStep {
    steps.first { step in
      let bins = step.bins(from: least, through: greatest)
      return bins.upperBound - bins.lowerBound < Int128(count)
    }!
  }

  /// The powers of ten, each multiplied by 1, 2 and 5.
  static let decimals: [Int128] = (0...37).flatMap { exponent in
    let power = (0..<exponent).reduce(Int128(1)) { power, _ in power * 10 }
    return [1, 2, 5].map { $0 * power }
  }

  /// Steps for numbers. Each step is 1, 2 or 5 times a power of ten, counted in ticks. A tick of a column of numbers
  /// is itself a power of ten, such as 0.01. So bins begin at round numbers, however many decimals the column has.
  static let ofNumbers = decimals.map { BinStep.ticks($0) }

  /// Returns the steps for times with `digits` decimals of a second. A tick is 10^-`digits` seconds. Steps for dates
  /// are whole days or longer.
  static func ofTimes(digits: Int, isDates: Bool) -> [BinStep] {
    let second = Int128(powerOfTen(digits))
    let day = second * Int128(Instant.secondsOfDay)
    // 1970 began on a Thursday, so the day three days earlier was a Monday.
    let monday = -3 * day
    let days: [BinStep] = [.ticks(day), .ticks(2 * day), .ticks(7 * day, from: monday), .ticks(14 * day, from: monday)]
    let months = [1, 2, 3, 6].map { BinStep.months($0, ticksPerDay: day) }
    let years = decimals.prefix(3 * 13).map { BinStep.months(12 * Int($0), ticksPerDay: day) }
    let seconds = [1, 2, 5, 10, 15, 30]
    let clock = seconds + seconds.map { 60 * $0 } + [1, 2, 3, 6, 12].map { 3600 * $0 }
    let ofDay = decimals.prefix { $0 < second }.map { BinStep.ticks($0) } + clock.map { .ticks(Int128($0) * second) }
    return (isDates ? [] : ofDay) + days + months + years
  }
}

/// The round doubles at which bins begin.
struct RealBins {
  /// Edges of the bins, as decimals. Values are compared with the doubles nearest to these edges.
  private(set) var edges: [DecimalNumber] = []

  /// Creates at most `count` bins for all values from `least` through `greatest`, which are finite.
  init(atMost count: Int, from least: Double, through greatest: Double) {
    // Halves both values before the subtraction, because the difference of very large doubles may be infinite.
    let width = (greatest / 2 - least / 2) / Double(count) * 2
    let scale = width > 0 ? width : max(least.magnitude, .leastNormalMagnitude)
    // Edges are decimals. To convert an edge to a double, the edge is written as text and the text is parsed, because
    // Swift rounds correctly on every platform when it parses a number.
    var exponent = DecimalNumber(scale)!.magnitudeExponent - 1
    while true {
      for factor in [Int128(1), 2, 5] {
        let edges = Self.edges(factor, exponent, least, greatest, atMost: count)
        if let edges {
          self.edges = edges
          return
        }
      }
      exponent += 1
    }
  }

  /// Returns the multiples of `factor` times a power of ten, from the last multiple at or below `least` through the
  /// first multiple above `greatest`; nil if there are too many multiples.
  private static func edges(
    _ factor: Int128, _ exponent: Int, _ least: Double, _ greatest: Double, atMost count: Int
  ) -> [DecimalNumber]? {
    func edge(_ multiple: Int128) -> DecimalNumber { DecimalNumber(significand: multiple * factor, exponent: exponent) }
    let step = edge(1).double
    guard step > 0, (least / step).magnitude < 0x1p100, (greatest / step).magnitude < 0x1p100 else { return nil }
    var first = Int128((least / step).rounded(.down))
    let isFew = { (last: Int128) in last - first <= Int128(count) }
    var last = Int128((greatest / step).rounded(.down)) + 1
    guard last - first <= Int128(count) + 2 else { return nil }
    // The two quotients are rounded, so `first` and `last` may be slightly wrong. Both are corrected by comparing the
    // edges with `least` and `greatest`.
    while edge(first).double > least { first -= 1 }
    while first < last, edge(first + 1).double <= least { first += 1 }
    while edge(last).double <= greatest { last += 1 }
    while last - 1 > first, edge(last - 1).double > greatest { last -= 1 }
    return isFew(last) ? (0...Int(last - first)).map { edge(first + Int128($0)) } : nil
  }
}

extension DecimalNumber {
  /// Exponent of the power of ten that belongs to the first digit: 2 for 345, and 0 for the number 0.
  fileprivate var magnitudeExponent: Int {
    var (rest, exponent) = (significand.magnitude, exponent)
    while rest >= 10 { (rest, exponent) = (rest / 10, exponent + 1) }
    return exponent
  }
}

/// Edges of bins whose width grows with the distance from 0. Such bins suit columns whose values differ by powers of
/// ten.
enum LogarithmicBins {
  /// Lists of factors. Bins begin at the powers of ten, each multiplied by every factor of one list. Later lists give
  /// fewer bins.
  static let factors: [[Int128]] = [[1, 2, 3, 4, 5, 6, 8], [1, 2, 3, 5], [1, 2, 5], [1, 3], [1]]

  /// Number of powers of ten that have their own bins in a column of doubles. The power of the column's greatest
  /// magnitude is not counted. All magnitudes below the lowest of these powers share a bin that begins at 0.
  static let realDecades = 8

  /// Returns the edges of at most `count` bins for integers. If there are more than `count` bins even at the greatest
  /// width, returns the edges of the widest bins.
  static func edges(atMost count: Int, from least: Int128, through greatest: Int128) -> [Int128] {
    let powers = (0...37).map { exponent in (0..<exponent).reduce(Int128(1)) { power, _ in power * 10 } }
    return first(atMost: count) { factors in
      edges(
        powers.flatMap { power in factors.map { $0 * power } }, zero: 0, negated: { -$0 }, value: { $0 }, from: least,
        through: greatest)
    }
  }

  /// Returns the edges of at most `count` bins for doubles. If there are more than `count` bins even at the greatest
  /// width, returns the edges of the widest bins.
  static func edges(atMost count: Int, from least: Double, through greatest: Double) -> [DecimalNumber] {
    let magnitude = max(least.magnitude, greatest.magnitude, .leastNormalMagnitude)
    let top = DecimalNumber(magnitude)!.magnitudeExponent
    return first(atMost: count) { factors in
      edges(
        (top - realDecades...top + 1).flatMap { exponent in
          factors.map { DecimalNumber(significand: $0, exponent: exponent) }
        },
        zero: DecimalNumber(significand: 0, exponent: 0),
        negated: { DecimalNumber(significand: -$0.significand, exponent: $0.exponent) }, value: \.double, from: least,
        through: greatest)
    }
  }

  private static func first<Edge>(atMost count: Int, of edges: ([Int128]) -> [Edge]) -> [Edge] {
    for factors in factors.dropLast() {
      let found = edges(factors)
      if found.count <= count + 1 { return found }
    }
    return edges(factors.last!)
  }

  /// - Parameter magnitudes: Positive edges in ascending order; the last one is greater than all values.
  private static func edges<Edge, Value: Comparable & SignedNumeric>(
    _ magnitudes: [Edge], zero: Edge, negated: (Edge) -> Edge, value: (Edge) -> Value, from least: Value,
    through greatest: Value
  ) -> [Edge] {
    func part(_ low: Value, _ high: Value) -> [Edge] {
      let start = magnitudes.lastIndex { value($0) <= low } ?? 0
      let end = magnitudes.firstIndex { value($0) > high } ?? magnitudes.count - 1
      return start < end ? Array(magnitudes[start...end]) : [magnitudes[end]]
    }
    let negative = least < 0 ? part(greatest < 0 ? -greatest : 0, -least).reversed().map(negated) : []
    let positive = greatest < 0 ? [] : part(least, greatest)
    let hasZero = least <= 0 || positive.first.map { value($0) > least } ?? true
    return negative + (hasZero ? [zero] : []) + positive
  }
}
