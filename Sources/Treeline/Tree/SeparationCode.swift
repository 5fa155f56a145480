/// A node's separation, rounded down to a code of 16 bits. The separation is the distance at which the node is
/// replaced by its children.
///
/// The code is the square of the distance, in squared plane units, as a floating-point number of 16 bits. Squares
/// below 2048 are stored exactly. Greater squares are rounded down to 11 significant bits. So rounding shortens the
/// distance by less than 1/2048. The code 0 means that the node is never replaced: it is a single position, or its
/// children would never be far enough apart.
///
/// Rounding keeps every guarantee about distances. A greater distance never has a smaller code. So separations that
/// never grow from parent to child still never grow after they are rounded. Let T be a required distance, c the least
/// code whose distance is at least T, and d(c) the distance of c. A node's code is below c exactly if its separation
/// is below d(c). So a cut at T that compares codes shows exactly the clusters that a cut at d(c) would show if it
/// compared exact separations. The distance d(c) is at least T, and at most 1/2048 longer than T.
package struct SeparationCode: Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The code of a node that is never replaced.
  package static let zero = SeparationCode(rawValue: 0)

  /// A code that is greater than the code of every distance on the plane. A cut at this code shows only the root.
  package static let beyondAll = SeparationCode(rawValue: 55 << significandBits)

  /// The number of bits that follow the leading 1 in a significand.
  private static let significandBits: UInt16 = 10

  /// Makes the greatest code whose squared distance is at most `squaredDistance`.
  package init(roundingDown squaredDistance: UInt64) {
    // If `squaredDistance` is below 2^11, the exponent is 0 and the code is equal to `squaredDistance`.
    let exponent = max(64 - Int(Self.significandBits) - 1 - squaredDistance.leadingZeroBitCount, 0)
    rawValue = UInt16(exponent) << Self.significandBits + UInt16(squaredDistance >> UInt64(exponent))
  }

  /// Makes the least code whose distance is at least `distance`, in plane units.
  ///
  /// - Precondition: `distance` is above 0 and not NaN.
  package init(atLeast distance: Double) {
    precondition(distance > 0, "Expected a distance above 0, found \(distance)")
    guard distance < 0x1p32 else {
      self = .beyondAll
      return
    }
    let square = distance * distance
    // The exact square of a double needs 106 bits. A fused multiply-add finds the sign of the rounding error.
    let isShort = (-square).addingProduct(distance, distance) > 0
    let ceiling = square.rounded(.up)
    let least = max(UInt64(ceiling) + (isShort && ceiling == square ? 1 : 0), 1)
    let code = SeparationCode(roundingDown: least)
    rawValue = code.squaredDistance == least ? code.rawValue : code.rawValue + 1
  }

  /// The square of the code's distance. The value is not valid for `beyondAll`, which is not the code of a distance.
  package var squaredDistance: UInt64 {
    let exponent = max(rawValue >> Self.significandBits, 1) - 1
    let significand = rawValue - exponent << Self.significandBits
    return UInt64(significand) << UInt64(exponent)
  }
}

extension SeparationCode: Comparable {
  @inline(__always) package static func < (a: SeparationCode, b: SeparationCode) -> Bool { a.rawValue < b.rawValue }
}

extension SeparationCode {
  /// The code, rounded down so that the squared distance has only two significant bits. This leaves four codes for
  /// each doubling of the distance.
  package var coarse: SeparationCode {
    let bits = rawValue < 1 << 11 ? max(14 - rawValue.leadingZeroBitCount, 0) : 9
    return SeparationCode(rawValue: (rawValue >> UInt16(bits)) << UInt16(bits))
  }
}
