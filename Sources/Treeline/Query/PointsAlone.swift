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
/// That is so within a limit, too. Points that stand alone count like clusters, and where there are too many of both the
/// answer is that of a greater detail or spacing: clusters grow, and points go into those that have the least members or more.
/// Where there is no room for every position from the zoom on that asks for it, clusters are what they would be below that zoom.
/// Only where the whole tree has fewer points than these, and more than the limit are in view, there are clusters
/// as if nothing were to be shown by itself.
public struct PointsAlone: Hashable, Sendable {
  /// A cluster of fewer points than this is shown as its points.
  public let leastMembers: Int

  /// From this zoom on there are no clusters: every position is shown by itself, if a limit has room for all in view.
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

  /// Whether there are no clusters, if a limit has room for every position.
  func isAll(atZoom zoom: Double) -> Bool { zoom >= fromZoom }

  /// Below how many points a cluster is taken apart.
  func leastMembers(atZoom zoom: Double) -> Int { isAll(atZoom: zoom) ? .max : leastMembers }
}
