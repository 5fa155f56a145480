/// A fork that is to be looked at once the distance has fallen to some length.
struct Appointment {
  /// The square of that length.
  var squaredDistance: UInt64
  var fork: UInt32
  /// That of the fork when this was made: if the two differ, something else has come of it.
  var stamp: UInt32

  /// Greater distances come first and, among equal ones, forks in tree order.
  @inline(__always)
  func precedes(_ other: Appointment) -> Bool {
    squaredDistance != other.squaredDistance
      ? squaredDistance > other.squaredDistance : fork < other.fork
  }

  /// A number that grows in that order.
  @inline(__always)
  var rank: UInt128 { UInt128(~squaredDistance) << 32 | UInt128(fork) }
}
