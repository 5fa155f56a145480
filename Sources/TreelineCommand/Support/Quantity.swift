import Foundation

/// An amount as a person takes it in at a glance: up to four digits, of thousands (k), millions (M) and so on.
struct Quantity: CustomStringConvertible {
  let amount: Double
  /// Of what.
  let unit: String

  var description: String {
    // Each prefix ends where rounding would come to 1000.
    guard amount >= 999.5 else { return "\(Int(amount.rounded())) \(unit)" }
    var scaled = amount / 1000
    var prefixes = ["k", "M", "G", "T"][...]
    while scaled >= 999.95, prefixes.count > 1 {
      scaled /= 1000
      prefixes.removeFirst()
    }
    return String(format: "%.1f", scaled) + " \(prefixes.first!)" + (unit == "B" ? "" : " ") + unit
  }
}
