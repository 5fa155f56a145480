/// A node's separation, the distance at which it gives way to its children, in 16 bits and rounded down.
///
/// It is the square of the distance, in plane units, as a tiny floating-point number: exact below 2048, with 11
/// significant bits above, so that the distance is less than a 2048th too short. 0 is a node that never gives way: a
/// single position, or one whose children would never be apart.
///
/// Rounding keeps every promise. Codes grow with distances, so separations that never grow from parent to child stay
/// so. Let c be the least code that stands for a required distance T or more, and d(c) its distance: a node's code is
/// below c exactly if its separation is below d(c). So codes show at T exactly what exact separations show at d(c),
/// which is at least T and at most a 2048th longer.
package struct SeparationCode: Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Never gives way.
  package static let zero = SeparationCode(rawValue: 0)

  /// Above every distance on the plane: only the root is shown.
  package static let beyondAll = SeparationCode(rawValue: 55 << significandBits)

  /// Behind the leading one.
  private static let significandBits: UInt16 = 10

  /// The greatest code that stands for no more than the square of a distance.
  package init(roundingDown squaredDistance: UInt64) {
    // Below 2^11 the exponent is 0 and the code the number itself, the leading one included.
    let exponent = max(64 - Int(Self.significandBits) - 1 - squaredDistance.leadingZeroBitCount, 0)
    rawValue = UInt16(exponent) << Self.significandBits + UInt16(squaredDistance >> UInt64(exponent))
  }

  /// The least code that stands for no less than a distance, in plane units.
  ///
  /// - Precondition: `distance` is above 0, and a number.
  package init(atLeast distance: Double) {
    precondition(distance > 0, "Expected a distance above 0, found \(distance)")
    guard distance < 0x1p32 else {
      self = .beyondAll
      return
    }
    let square = distance * distance
    // The square of a double needs 106 bits; the rounding error is known exactly.
    let isShort = (-square).addingProduct(distance, distance) > 0
    let ceiling = square.rounded(.up)
    let least = max(UInt64(ceiling) + (isShort && ceiling == square ? 1 : 0), 1)
    let code = SeparationCode(roundingDown: least)
    rawValue = code.squaredDistance == least ? code.rawValue : code.rawValue + 1
  }

  /// The square of its distance; `beyondAll` has none.
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
  /// Rounded down to two significant bits of the squared distance: four steps an octave.
  package var coarse: SeparationCode {
    let bits = rawValue < 1 << 11 ? max(14 - rawValue.leadingZeroBitCount, 0) : 9
    return SeparationCode(rawValue: (rawValue >> UInt16(bits)) << UInt16(bits))
  }
}
