import Foundation
import Synchronization

/// The time as replies tell it (RFC 9110, section 6.6.1), written once a second.
final class DateField: Sendable {
  private let written = Mutex((second: 0, text: ""))

  var text: String {
    let now = time(nil)
    return written.withLock { written in
      if written.second != now { written = (now, Self.text(of: now)) }
      return written.text
    }
  }

  static func text(of second: Int) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.string(from: Date(timeIntervalSince1970: Double(second)))
  }
}
