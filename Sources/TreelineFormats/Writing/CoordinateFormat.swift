import CLibrary
import Treeline

/// Writes coordinates with the number of decimals that the plane resolves. On the sphere, coordinates have 7 decimals,
/// and so a resolution of 1 cm.
///
/// A unit of the plane is smaller than a unit of the last decimal. So a number that was read with at most this many
/// decimals is written back unchanged.
@_spi(Server) public struct CoordinateFormat: Hashable, Sendable {
  let decimals: Int
  /// 10 to the power of `decimals`, if this is an exact whole number; otherwise 0.
  private let scale: UInt64
  /// Factor that extends a fraction to 8 decimals, or to 16 decimals if the fraction has more than 8.
  private let padding: UInt64

  private static let sphereScale: UInt64 = 10_000_000

  public init(of plane: Plane) {
    let unit = plane.projection == .planar ? plane.side / 0x1p32 : 360 / 0x1p32
    decimals = unit > 0 && unit < 1 ? Int((-log10(unit)).rounded(.down)) : unit == 0 ? .max : 0
    func power(_ exponent: Int) -> UInt64 { (0..<exponent).reduce(1) { power, _ in power * 10 } }
    scale = decimals <= 15 ? power(decimals) : 0
    padding = decimals <= 15 ? power((decimals <= 8 ? 8 : 16) - decimals) : 0
  }

  package func string(_ value: Double) -> String {
    var bytes = OutputBytes()
    append(value, to: &bytes)
    return bytes.text
  }

  /// Returns a coordinate, rounded in the same way as when it is written.
  public func rounded(_ value: Double) -> Double { scaled(value).map { $0 / Double(scale) } ?? value }

  /// Appends a number in a form that JSON and CSV readers accept. Only very large numbers, and numbers of a very small
  /// plane, may have an exponent.
  func append(_ value: Double, to bytes: inout OutputBytes) {
    guard let scaled = scaled(value) else {
      bytes.append(text: value == 0 ? "0" : "\(value)")
      return
    }
    let whole = Int64(scaled)
    if whole < 0 { bytes.append(byte: UInt8(ascii: "-")) }
    // For the sphere the divisor is a constant, which makes the division fast.
    let (integer, fraction) =
      scale == Self.sphereScale
      ? whole.magnitude.quotientAndRemainder(dividingBy: Self.sphereScale)
      : whole.magnitude.quotientAndRemainder(dividingBy: scale)
    bytes.append(integer)
    guard fraction > 0 else { return }
    bytes.append(byte: UInt8(ascii: "."))
    // The fraction has 8 decimals, or 16 decimals in two halves.
    let (high, low) =
      decimals <= 8 ? (fraction * padding, 0) : (fraction * padding).quotientAndRemainder(dividingBy: Digits.endOfEight)
    if low == 0 { return bytes.append(fraction: UInt32(high)) }
    bytes.append(eight: UInt32(high))
    bytes.append(fraction: UInt32(low))
  }

  /// Appends two numbers, separated by a comma.
  func append(_ first: Double, _ second: Double, to bytes: inout OutputBytes) {
    append(first, to: &bytes)
    bytes.append(byte: UInt8(ascii: ","))
    append(second, to: &bytes)
  }

  /// Appends a box as the member `bbox` of a JSON object that already has a member.
  func append(_ box: BoundingBox, to bytes: inout OutputBytes) {
    bytes.append(",\"bbox\":[")
    append(box.west, box.south, to: &bytes)
    bytes.append(",")
    append(box.east, box.north, to: &bytes)
    bytes.append("]")
  }

  /// Returns the value in units of the last decimal, as a whole number; nil if this number is too large to be exact.
  private func scaled(_ value: Double) -> Double? {
    guard scale > 0 else { return nil }
    let scaled = (value * Double(scale)).rounded()
    return abs(scaled) < 0x1p53 ? scaled : nil
  }
}
