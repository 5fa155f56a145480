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
  /// 10 to the power of the decimals, as far as that is a whole number and exact; 0 where it is not.
  private let scale: UInt64

  public init(of plane: Plane) {
    let unit = plane.projection == .planar ? plane.side / 0x1p32 : 360 / 0x1p32
    decimals = unit > 0 && unit < 1 ? Int((-log10(unit)).rounded(.down)) : unit == 0 ? .max : 0
    scale = decimals <= 15 ? (0..<decimals).reduce(1) { power, _ in power * 10 } : 0
  }

  public func string(_ value: Double) -> String {
    var bytes = OutputBytes()
    append(value, to: &bytes)
    return bytes.text
  }

  /// The number that is written for a number.
  public func rounded(_ value: Double) -> Double {
    scaled(value).map { $0 / Double(scale) } ?? value
  }

  /// Appends a number that JSON and CSV readers take, without an exponent where decimals are few.
  public func append(_ value: Double, to bytes: inout OutputBytes) {
    guard let scaled = scaled(value) else {
      bytes.append(text: value == 0 ? "0" : "\(value)")
      return
    }
    let whole = Int64(scaled)
    if whole < 0 { bytes.append(byte: UInt8(ascii: "-")) }
    let (integer, fraction) = whole.magnitude.quotientAndRemainder(dividingBy: scale)
    bytes.append(integer)
    guard fraction > 0 else { return }
    bytes.append(byte: UInt8(ascii: "."))
    var (rest, digits) = (fraction, decimals)
    while rest % 10 == 0 { (rest, digits) = (rest / 10, digits - 1) }
    bytes.append(digits: rest, least: digits)
  }

  /// The value in units of the last decimal; nil where these are too many to be told apart.
  private func scaled(_ value: Double) -> Double? {
    guard scale > 0 else { return nil }
    let scaled = (value * Double(scale)).rounded()
    return abs(scaled) < 0x1p53 ? scaled : nil
  }
}
