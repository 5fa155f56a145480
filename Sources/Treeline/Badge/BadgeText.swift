/// What is written on a badge and beside it.
public enum BadgeText {
  /// A count in four characters or so: `999`, `1.2k`, `12k`, `3.4M`, `2B`. Halves are rounded up.
  public static func abbreviated(_ count: Int) -> String {
    var unit = 1
    for suffix in ["", "k", "M", "B", "T"] {
      if unit == 1, count < 1000 { return "\(count)" }
      if unit > 1 {
        let tenths = rounded(count, to: unit / 10)
        if tenths < 100 {
          return tenths % 10 == 0 ? "\(tenths / 10)\(suffix)" : "\(tenths / 10).\(tenths % 10)\(suffix)"
        }
        let whole = rounded(count, to: unit)
        if whole < 1000 || suffix == "T" { return "\(whole)\(suffix)" }
      }
      unit *= 1000
    }
    return "\(count)"
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
