import Foundation

/// A line on standard error that shows the current stage, how much of the stage is done, and how fast the work is
/// done. Nothing is shown in the first half second, or if standard error is not a terminal.
///
/// Any thread may show progress, but only one thread at a time. The builds of `ClusterTree` ensure this.
final class ProgressBar: @unchecked Sendable {
  private let isShown = !Notes.areSilent && isatty(STDERR_FILENO) == 1
  private let start = ContinuousClock.now
  private var stage: (name: String, start: ContinuousClock.Instant)?
  private var lastDrawn: ContinuousClock.Instant?

  private static let patience = Duration.milliseconds(500)
  private static let pause = Duration.milliseconds(100)
  private static let width = 30

  /// Shows the amount that is done, its share of the total if the total is known, and the rate since the stage began.
  func show(_ stage: String, done: Double, of total: Double?, unit: String) {
    draw(stage, done, of: total) { seconds in
      "\(Quantity(amount: done, unit: unit)), \(Quantity(amount: done / seconds, unit: unit))/s"
    }
  }

  /// Shows which pass over all points is running, and the approximate number of passes.
  func show(_ stage: String, pass: Int, ofAbout total: Int) {
    draw(stage, Double(pass - 1), of: Double(total)) { _ in "pass \(pass) of about \(max(pass, total))" }
  }

  /// - Parameter detail: Function that returns the text after the bar. Its argument is the number of seconds since the
  ///   stage began.
  private func draw(_ stage: String, _ done: Double, of total: Double?, _ detail: (Double) -> String) {
    let now = ContinuousClock.now
    if self.stage?.name != stage { self.stage = (stage, now) }
    guard isShown, now - start > Self.patience else { return }
    if let lastDrawn, now - lastDrawn < Self.pause { return }
    lastDrawn = now
    let seconds = max((now - self.stage!.start) / .seconds(1), 0.001)
    write("\r\u{1B}[K\(stage) \(bar(done, of: total))\(detail(seconds))")
  }

  private func bar(_ done: Double, of total: Double?) -> String {
    guard let total else { return "" }
    let filled = Int((min(max(done / max(total, 1e-9), 0), 1) * Double(Self.width)).rounded())
    return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled) + "] "
  }

  /// Removes the line from the terminal.
  func clear() {
    if lastDrawn != nil { write("\r\u{1B}[K") }
    lastDrawn = nil
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}

/// A readable amount with at most four digits: in thousands (k), millions (M) and so on.
struct Quantity: CustomStringConvertible {
  let amount: Double
  let unit: String

  var description: String {
    // An amount that would be rounded to 1000 gets the next larger prefix.
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
