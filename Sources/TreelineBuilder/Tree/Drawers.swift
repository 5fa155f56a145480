import Treeline

/// The points whose dot products with an axis are in one of the ranges of a scale, by their sums.
struct Drawer {
  var count: UInt32 = 0
  /// Where its points go next among those that are looked into; `closed` if they are not.
  var place: UInt32 = 0
  var x: UInt64 = 0
  var y: UInt64 = 0
  /// No place inside has more of the scatter between the halves.
  var mostBetween = 0.0

  static let closed = UInt32.max
}

/// The values of some dot products cut into ranges of equal width, a power of two.
struct DrawerScale {
  let count: Int
  private let least: Int64
  private let shift: UInt64

  /// The sums of more would not stay in the cache.
  private static let mostBits = 11

  /// About eight points go to each of the drawers, or to every second.
  init(over range: ClosedRange<Int64>, forCount count: Int) {
    least = range.lowerBound
    // Products have 62 bits and a sign, so no difference overflows.
    let width = UInt64(range.upperBound &- range.lowerBound)
    let bits = min(Int.bitWidth - (count >> 3).leadingZeroBitCount, Self.mostBits)
    shift = UInt64(max(0, UInt64.bitWidth - width.leadingZeroBitCount - bits))
    self.count = Int(width >> shift) + 1
  }

  @inline(__always)
  func drawer(of product: Int64) -> Int {
    Int(truncatingIfNeeded: UInt64(bitPattern: product &- least) &>> shift)
  }

  /// The greatest value in a drawer.
  @inline(__always)
  func end(of drawer: Int) -> Int64 {
    least &+ Int64(drawer &+ 1) &<< Int64(shift) &- 1
  }

  /// How far two values in a drawer are apart at most.
  var width: Double { Double(1 &<< Int64(shift) &- 1) }
}
