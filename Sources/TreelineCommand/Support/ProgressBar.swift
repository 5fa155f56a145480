import Foundation

/// One line on standard error that says what goes on and how far it is; silent unless a person is looking, and for the
/// first half second.
final class ProgressBar {
  private let isShown = isatty(STDERR_FILENO) == 1
  private let start = ContinuousClock.now
  private var lastDrawn: ContinuousClock.Instant?

  private static let patience = Duration.milliseconds(500)
  private static let pause = Duration.milliseconds(100)
  private static let width = 30

  /// - Parameter fraction: how much is done, 0 to 1; nil where that is not known.
  func show(_ stage: String, fraction: Double?, detail: String = "") {
    let now = ContinuousClock.now
    guard isShown, now - start > Self.patience else { return }
    if let lastDrawn, now - lastDrawn < Self.pause { return }
    lastDrawn = now
    let bar = fraction.map { fraction in
      let filled = Int((min(max(fraction, 0), 1) * Double(Self.width)).rounded())
      return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
        + "] "
    }
    write("\r\u{1B}[K\(stage) \(bar ?? "")\(detail)")
  }

  /// An amount and, as time goes on, how much of it a second.
  func rate(_ amount: Double, _ unit: String) -> String {
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return "\(Int(amount)) \(unit), \(Int(amount / max(seconds, 0.001))) \(unit)/s"
  }

  /// Takes the line away again.
  func clear() {
    if lastDrawn != nil { write("\r\u{1B}[K") }
    lastDrawn = nil
  }

  private func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}
