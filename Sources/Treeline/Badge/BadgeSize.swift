#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The size of badges by point count: the curves of two well-known map apps.
public enum BadgeSize {
  /// The diameter of the article on quadtree clustering, `largest / (1 + exp(-0.3 n^0.4))`: from 57 % of the largest
  /// for one point, rising towards it.
  ///
  /// Source: thoughtbot, How To Efficiently Display Large Amounts of Data on iOS Maps (2014).
  ///
  /// - Parameters:
  ///   - pointCount: Of the cluster.
  ///   - largest: The diameter that none exceeds, in the unit of the result, usually pixels.
  public static func diameter(pointCount: Int, largest: Double = 44) -> Double {
    largest / (1 + exp(-0.3 * pow(Double(pointCount), 0.4)))
  }

  /// A factor that grows without bound, ever more slowly: `1 + ln n`, 1 for one point.
  ///
  /// Source: Raizlabs, BentoMap (2016).
  public static func logarithmicScale(pointCount: Int) -> Double { 1 + log(Double(max(pointCount, 1))) }
}
