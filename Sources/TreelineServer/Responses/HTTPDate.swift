import Foundation

enum HTTPDate {
  /// Returns a time in the format of the header field `Date` (RFC 9110, 5.6.7).
  static func text(of time: time_t) -> String {
    let (names, months) = ("SunMonTueWedThuFriSat", "JanFebMarAprMayJunJulAugSepOctNovDec")
    var (time, parts) = (time, tm())
    gmtime_r(&time, &parts)
    func name(_ number: Int32, of names: String) -> Substring { names.dropFirst(3 * Int(number)).prefix(3) }
    func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(name(parts.tm_wday, of: names)), \(digits(parts.tm_mday)) \(name(parts.tm_mon, of: months)) "
      + "\(parts.tm_year + 1900) \(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec)) GMT"
  }
}
