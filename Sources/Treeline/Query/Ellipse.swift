/// The one-sigma ellipse of a cluster's points: how far they spread along their two principal axes.
///
/// Drawn at twice its size it holds most of the points of an even cloud, and follows the railway that they lie on.
public struct Ellipse: Hashable, Sendable {
  /// Standard deviations along the longer and the shorter principal axis, in plane units.
  public let semiMajor: Double
  public let semiMinor: Double

  /// The unit vector of the longer axis, on the plane: x to the east, y to the south. `axisX` is not negative.
  public let axisX: Double
  public let axisY: Double

  init(covariance: NodeSpread) {
    let (xx, xy, yy) = (Double(covariance.xx), Double(covariance.xy), Double(covariance.yy))
    let mean = (xx + yy) / 2
    let half = (xx - yy) / 2
    let radius = (half * half + xy * xy).squareRoot()
    semiMajor = (mean + radius).squareRoot()
    semiMinor = max(mean - radius, 0).squareRoot()
    // Half the angle of (half, xy), without a function of the mathematics library.
    let cosine = radius > 0 ? half / radius : 1
    axisX = ((1 + cosine) / 2).squareRoot()
    axisY = radius > 0 ? ((1 - cosine) / 2).squareRoot() * (xy < 0 ? -1 : 1) : 0
  }
}
