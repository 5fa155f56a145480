/// The text on and beside a badge.
public enum BadgeText {
  /// A count in four characters or so: `999`, `1.2k`, `12k`, `3.4M`, `2B`. Halves are rounded up.
  public static func abbreviated(_ count: Int) -> String {
    let parts = parts(of: count)
    let fraction = parts.tenths > 0 ? ".\(parts.tenths)" : ""
    let suffix = parts.suffix.map { String(UnicodeScalar($0)) } ?? ""
    return "\(parts.whole)" + fraction + suffix
  }

  /// The parts of an abbreviated count: 1, 2 and the letter of `1.2k`.
  package static func parts(of count: Int) -> (whole: Int, tenths: Int, suffix: UInt8?) {
    guard count >= 1000 else { return (count, 0, nil) }
    var unit = 1000
    var suffixes = "kMBT".utf8[...]
    while suffixes.count > 1, rounded(count, to: unit) >= 1000 {
      unit *= 1000
      suffixes.removeFirst()
    }
    let tenths = rounded(count, to: unit / 10)
    return tenths < 100 ? (tenths / 10, tenths % 10, suffixes.first) : (rounded(count, to: unit), 0, suffixes.first)
  }

  private static func rounded(_ count: Int, to unit: Int) -> Int {
    count / unit + (count % unit >= unit - unit / 2 ? 1 : 0)
  }

  /// A title for a cluster: `{count}` in the template becomes its number of points, `{abbreviated}` the short form.
  ///
  /// ```swift
  /// BadgeText.title("{count} hotels", pointCount: 12)    // 12 hotels
  /// ```
  public static func title(_ template: String, pointCount: Int) -> String {
    template.replacing("{count}", with: "\(pointCount)").replacing("{abbreviated}", with: abbreviated(pointCount))
  }
}
