/// How large badges are drawn: the curve of the article on quadtree clustering, as in its iOS app.
public enum BadgeSize {
  /// The diameter in pixels of the badge of some points: `44 / (1 + exp(-0.3 n^0.4))`, from 25.3 for one point, rising
  /// towards 44.
  public static func diameter(pointCount: Int) -> Double {
    44 / (1 + exponential(-0.3 * power(Double(pointCount), 0.4)))
  }
}
