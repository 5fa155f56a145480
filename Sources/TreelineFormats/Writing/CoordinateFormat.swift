import Treeline

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Writes coordinates with the decimals that a plane resolves and no more: 7 on the sphere (1 cm).
///
/// A unit of the plane is less than the last decimal, so what was read with that many decimals or fewer is written as it
/// was read.
public struct CoordinateFormat: Hashable, Sendable {
  let decimals: Int

  public init(of plane: Plane) {
    let unit = plane.projection == .planar ? plane.side / 0x1p32 : 360 / 0x1p32
    decimals = unit > 0 && unit < 1 ? Int((-log10(unit)).rounded(.down)) : unit == 0 ? .max : 0
  }

  public func string(_ value: Double) -> String {
    var text = ""
    append(value, to: &text)
    return text
  }

  /// The number that is written for a number.
  public func rounded(_ value: Double) -> Double {
    let scale = pow(10.0, Double(min(decimals, 300)))
    let scaled = (value * scale).rounded()
    return decimals <= 15 && abs(scaled) < 0x1p53 ? scaled / scale : value
  }

  /// Appends a number that JSON and CSV readers take, without an exponent where decimals are few.
  public func append(_ value: Double, to text: inout String) {
    let scale = pow(10.0, Double(min(decimals, 300)))
    let scaled = (value * scale).rounded()
    guard decimals <= 15, abs(scaled) < 0x1p53 else {
      text += value == 0 ? "0" : "\(value)"
      return
    }
    let whole = Int64(scaled)
    if whole < 0 { text += "-" }
    let digits = String(whole.magnitude)
    guard decimals > 0 else {
      text += digits
      return
    }
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    text += padded.dropLast(decimals)
    let fraction = padded.suffix(decimals).trimmingTrailingZeros
    if !fraction.isEmpty { text += "." + fraction }
  }
}

extension Substring {
  fileprivate var trimmingTrailingZeros: Substring {
    var rest = self
    while rest.last == "0" { rest.removeLast() }
    return rest
  }
}
