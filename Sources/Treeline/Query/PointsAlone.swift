/// Which points are shown by themselves though a cluster could stand for them. Points of one position stay together: no
/// zoom tells them apart.
///
/// ```swift
/// try tree.clusters(in: box, zoom: 12, detail: 20, alone: PointsAlone(leastMembers: 4, fromZoom: 17))
/// ```
///
/// It goes by all points of a cluster, whether they are in the box or not. So what holds of answers without it holds with
/// it, but that clusters may stand closer than a spacing: without a limit, a pan changes nothing but at the edge, and zooming in
/// only splits.
///
/// A limit holds. Clusters are then found as if there were nothing to be shown by itself; after that as many as there is
/// room for are taken apart, those of the fewest points first, of equals the first in tree order. The last of them may be
/// taken apart in part.
public struct PointsAlone: Hashable, Sendable {
  /// A cluster of fewer points than this is shown as its points.
  public let leastMembers: Int

  /// From this zoom on there are no clusters: every position is shown by itself.
  public let fromZoom: Double

  /// Wherever a cluster can stand for points it does.
  public static let never = PointsAlone()

  /// - Parameters:
  ///   - leastMembers: 1 or more; 2 or less takes nothing apart.
  ///   - fromZoom: May be fractional; infinity for none.
  public init(leastMembers: Int = 2, fromZoom: Double = .infinity) {
    precondition(
      leastMembers >= 1, "Expected 1 or more as the least members of a cluster, found \(leastMembers)")
    precondition(!fromZoom.isNaN, "Expected a number as the zoom from which points stand alone")
    self.leastMembers = leastMembers
    self.fromZoom = fromZoom
  }

  /// Below how many points a cluster is taken apart.
  func leastMembers(atZoom zoom: Double) -> Int { zoom < fromZoom ? leastMembers : .max }
}
