import Foundation
import Treeline

/// Dates can be columns of a `ClusterMap`. A date is rounded to the microsecond. More digits would not be reliable,
/// because `Date` stores present-day dates only to a tenth of a microsecond.
extension Date: ColumnValue {
  /// Seconds from the beginning of 1970 to the reference date of `Date`, the beginning of 2001.
  private static let reference: Int64 = 978_307_200

  /// Returns a date as an `Instant`, rounded to the microsecond; nil if the date is too far from the present.
  public static func stored(_ value: Date) -> Instant? {
    let whole = value.timeIntervalSinceReferenceDate.rounded(.down)
    guard let seconds = Int64(exactly: whole), seconds <= .max - reference else { return nil }
    let microseconds = ((value.timeIntervalSinceReferenceDate - whole) * 1e6).rounded()
    return Instant(seconds: seconds + reference, nanoseconds: UInt32(microseconds) * 1000)
  }

  /// Returns the date of a moment.
  public static func restored(_ stored: Instant) -> Date? {
    Date(timeIntervalSinceReferenceDate: Double(stored.seconds) - Double(reference) + Double(stored.nanoseconds) / 1e9)
  }
}
