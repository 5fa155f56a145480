/// The ranges of the two coordinates of a valid position, and how messages name them.
struct Axes {
  let isPlanar: Bool
  private let firstLimit: Double
  private let secondLimit: Double

  /// Degrees.
  static let sphere = Axes(isPlanar: false, firstLimit: 180, secondLimit: 90)
  /// Far enough below the largest Double that extents and their squares' roots stay finite.
  static let plane = Axes(isPlanar: true, firstLimit: 1e300, secondLimit: 1e300)

  // Comparisons with NaN are false, so these hold for finite numbers only.
  @inline(__always)
  func holdsFirst(_ value: Double) -> Bool { value.magnitude <= firstLimit }
  @inline(__always)
  func holdsSecond(_ value: Double) -> Bool { value.magnitude <= secondLimit }

  var first: String { isPlanar ? "an x from -1e300 to 1e300" : "a longitude from -180 to 180" }
  var second: String { isPlanar ? "a y from -1e300 to 1e300" : "a latitude from -90 to 90" }
}
