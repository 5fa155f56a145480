import Treeline

/// The distances at which clusters are merged, divided into bands with the numbers 0 to 254. Four bands cover a
/// doubling of the squared distance.
enum DistanceBands {
  static let last: UInt8 = 254

  /// Returns the band of a squared distance.
  @inline(__always) static func band(of squaredDistance: UInt64) -> UInt8 {
    let exponent = 63 &- (squaredDistance | 1).leadingZeroBitCount
    let quarters = exponent >= 2 ? squaredDistance &>> UInt64(exponent &- 2) : squaredDistance &<< UInt64(2 &- exponent)
    return UInt8(truncatingIfNeeded: min(exponent &<< 2 &+ Int(truncatingIfNeeded: quarters & 3), Int(last)))
  }

  /// Returns the greatest squared distance of a band.
  static func greatest(of band: UInt8) -> UInt64 {
    if band >= last { return .max }
    let (exponent, quarters) = (UInt64(band + 1) / 4, UInt64(band + 1) % 4 + 4)
    // The least squared distance of the next band, rounded up to an integer, minus 1.
    return exponent >= 2 ? quarters << (exponent - 2) - 1 : (quarters << exponent + 3) / 4 - 1
  }
}

extension BadgeCurve {
  /// Returns the greatest possible distance, in units, of two clusters that are merged at a given scaled distance (see
  /// `BadgeCurve.scaled`).
  ///
  /// - Parameters:
  ///   - scaledDistance: The square of the scaled distance.
  ///   - width: Twice the distance at which the two badges touch, see `BadgeCurve.width`.
  @inline(__always) static func reach(_ scaledDistance: UInt64, width: UInt64) -> Double {
    (Double(scaledDistance) + 1).squareRoot() * (Double(width) / 1024) + 1
  }

  /// Returns the greatest possible distance, in units, of two clusters that are merged in a given band or earlier.
  ///
  /// - Parameters:
  ///   - diameter: Greatest diameter of one badge.
  ///   - other: Greatest diameter of the other badge; `diameter` if nil.
  func reach(_ band: UInt8, _ diameter: UInt16, _ other: UInt16? = nil) -> Double {
    Self.reach(DistanceBands.greatest(of: band), width: width(diameter, other ?? diameter))
  }
}
