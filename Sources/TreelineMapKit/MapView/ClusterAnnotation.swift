#if canImport(MapKit) && canImport(UIKit)
  import MapKit
  import Treeline
  import TreelineMap

  /// A badge on an `MKMapView`. It shows a single point or a cluster of several points.
  ///
  /// The coordinate, the title, the subtitle and the number of points change while the annotation is on the map. All
  /// four can be observed by key-value observing, like the properties of any `MKPointAnnotation`.
  public final class ClusterAnnotation: MKPointAnnotation {
    /// Copy of the badge from the latest change that added or updated the badge.
    public internal(set) var badge: MapBadge { didSet { followCount() } }

    /// Number of points in the cluster. If the tree has a filter, only points that pass the filter are counted.
    #if canImport(ObjectiveC)
      @objc
    #endif
    public private(set) dynamic var pointCount: Int

    /// Current position, size and opacity, for a view that is created later.
    var place: MapMotion.Place

    init(_ badge: MapBadge) {
      (self.badge, pointCount, place) = (badge, badge.pointCount, badge.appearance.place)
      super.init()
      coordinate = CLLocationCoordinate2D(badge.coordinate)
    }

    /// The cluster of the badge.
    public var cluster: Cluster { badge.cluster }

    /// Row of the point; nil if the cluster has several points.
    public var row: Int? { cluster.row }

    private func followCount() { if pointCount != badge.pointCount { pointCount = badge.pointCount } }
  }

  /// A point of an open stack (several points at one position). The annotation has the coordinate of the stack, and its
  /// view is drawn at an offset.
  public final class StackMemberAnnotation: MKPointAnnotation {
    /// Row of the point.
    public let row: Int

    /// Offset of the view from the stack, in points of the screen.
    let offset: StackSpread.Offset

    init(row: Int, of stack: ClusterAnnotation, offset: StackSpread.Offset) {
      (self.row, self.offset) = (row, offset)
      super.init()
      coordinate = stack.coordinate
    }
  }
#endif
