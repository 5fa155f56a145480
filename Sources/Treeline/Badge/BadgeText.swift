/// What is written on a badge and beside it.
public enum BadgeText {
  /// A count in four characters or so: `999`, `1.2k`, `12k`, `3.4M`, `2B`. Halves are rounded up.
  public static func abbreviated(_ count: Int) -> String {
    let parts = parts(of: count)
    let fraction = parts.tenths > 0 ? ".\(parts.tenths)" : ""
    let suffix = parts.suffix.map { String(UnicodeScalar($0)) } ?? ""
    return "\(parts.whole)" + fraction + suffix
  }

  /// What a count in short consists of, for who writes bytes: `1.2k` of 1, 2 and the letter.
  package static func parts(of count: Int) -> (whole: Int, tenths: Int, suffix: UInt8?) {
    guard count >= 1000 else { return (count, 0, nil) }
    var unit = 1000
    for suffix in [UInt8(ascii: "k"), UInt8(ascii: "M"), UInt8(ascii: "B")] {
      if let parts = parts(of: count, in: unit) { return (parts.whole, parts.tenths, suffix) }
      unit *= 1000
    }
    let parts = parts(of: count, in: unit) ?? (rounded(count, to: unit), 0)
    return (parts.whole, parts.tenths, UInt8(ascii: "T"))
  }

  /// With a tenth below 10 units; nil where it takes four digits.
  private static func parts(of count: Int, in unit: Int) -> (whole: Int, tenths: Int)? {
    let tenths = rounded(count, to: unit / 10)
    if tenths < 100 { return (tenths / 10, tenths % 10) }
    let whole = rounded(count, to: unit)
    return whole < 1000 ? (whole, 0) : nil
  }

  private static func rounded(_ count: Int, to unit: Int) -> Int {
    count / unit + (count % unit >= unit - unit / 2 ? 1 : 0)
  }

  /// A title for a cluster: `{count}` in the template becomes its number of points, `{abbreviated}` the same in short.
  ///
  /// ```swift
  /// BadgeText.title("{count} hotels", pointCount: 12)    // 12 hotels
  /// ```
  public static func title(_ template: String, pointCount: Int) -> String {
    var title = ""
    var rest = template[...]
    while let brace = rest.firstIndex(of: "{") {
      title += rest[..<brace]
      rest = rest[brace...]
      let words = [("{count}", "\(pointCount)"), ("{abbreviated}", abbreviated(pointCount))]
      if let (name, value) = words.first(where: { rest.hasPrefix($0.0) }) {
        title += value
        rest = rest.dropFirst(name.count)
      } else {
        title += "{"
        rest = rest.dropFirst()
      }
    }
    return title + rest
  }
}
