/// Returns a number with 0 to 9 decimals, rounded half away from zero. For example, `fixed(2.25, 1)` is "2.3".
func fixed(_ value: Double, _ decimals: Int) -> String {
  var scale = 1.0
  for _ in 0..<decimals { scale *= 10 }
  let scaled = (abs(value) * scale).rounded()
  guard scaled < 0x1p62 else { return "\(value)" }
  let digits = String(Int64(scaled))
  let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
  let sign = value < 0 && scaled > 0 ? "-" : ""
  return decimals == 0 ? sign + padded : sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
}

/// Removes zeros at the end of the decimals. For example, `trimmed("12.50")` is "12.5" and `trimmed("3.0")` is "3".
func trimmed(_ text: String) -> String {
  guard text.contains("."), !text.contains("e") else { return text }
  let digits = text.prefix(through: text.lastIndex { $0 != "0" }!)
  return String(digits.last == "." ? digits.dropLast() : digits)
}

/// Returns the shortest text that identifies a number, without ".0" at the end.
func shortest(_ value: Double) -> String { trimmed("\(value)") }

/// Returns a length in a picture, rounded to 0.1 px, such as 12 or -3.5.
func coordinate(_ value: Double) -> String { trimmed(fixed(value, 1)) }

/// Returns a whole number with a comma between groups of three digits, such as 139,409.
func grouped(_ value: Int) -> String {
  guard value.magnitude >= 1000 else { return "\(value)" }
  let last = "\(value.magnitude % 1000)"
  return grouped(value / 1000) + "," + String(repeating: "0", count: 3 - last.count) + last
}

/// Returns a number with a noun, such as `1 point` or `2,500 points`.
func counted(_ value: Int, _ noun: String) -> String { "\(grouped(value)) \(noun)\(value == 1 ? "" : "s")" }

/// Returns a zoom with two decimals, or without decimals if it is whole.
func zoomText(_ zoom: Double) -> String { fixed(zoom, zoom == zoom.rounded() ? 0 : 2) }
