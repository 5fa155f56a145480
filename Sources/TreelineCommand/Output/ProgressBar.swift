import Foundation

/// One line on standard error that says what goes on, how far it is and how fast; silent unless a person is looking,
/// and for the first half second.
///
/// Whoever shows progress from several threads does so from one at a time, as `ClusterTree`'s builds do.
final class ProgressBar: @unchecked Sendable {
  private let isShown = !Notes.areSilent && isatty(STDERR_FILENO) == 1
  private let start = ContinuousClock.now
  private var stage: (name: String, start: ContinuousClock.Instant)?
  private var lastDrawn: ContinuousClock.Instant?

  private static let patience = Duration.milliseconds(500)
  private static let pause = Duration.milliseconds(100)
  private static let width = 30

  /// Shows that so many of a total, if that is known, are done; the rate counts from the stage's first showing.
  func show(_ stage: String, done: Double, of total: Double?, unit: String) {
    let now = ContinuousClock.now
    if self.stage?.name != stage { self.stage = (stage, now) }
    guard isShown, now - start > Self.patience else { return }
    if let lastDrawn, now - lastDrawn < Self.pause { return }
    lastDrawn = now
    let seconds = max((now - self.stage!.start) / .seconds(1), 0.001)
    let amount = Quantity(amount: done, unit: unit)
    let rate = Quantity(amount: done / seconds, unit: unit)
    write("\r\u{1B}[K\(stage) \(bar(done, of: total))\(amount), \(rate)/s")
  }

  private func bar(_ done: Double, of total: Double?) -> String {
    guard let total else { return "" }
    let filled = Int((min(max(done / max(total, 1e-9), 0), 1) * Double(Self.width)).rounded())
    return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled) + "] "
  }

  /// Takes the line away again.
  func clear() {
    if lastDrawn != nil { write("\r\u{1B}[K") }
    lastDrawn = nil
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}

/// An amount as a person takes it in at a glance: up to four digits, of thousands (k), millions (M) and so on.
struct Quantity: CustomStringConvertible {
  let amount: Double
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
