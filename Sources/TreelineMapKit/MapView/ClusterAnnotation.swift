#if canImport(MapKit) && canImport(UIKit)
  import MapKit
  import Treeline
  import TreelineMap

  /// A badge on an `MKMapView`: a point, or a cluster of several.
  ///
  /// Its coordinate is that of an `MKPointAnnotation`, which the map observes, so it moves without being replaced.
  public final class ClusterAnnotation: MKPointAnnotation {
    /// What it shows, as it was when it was last added or updated.
    public internal(set) var badge: MapBadge

    /// Where it is drawn now. Its view may be made later.
    var place: MapMotion.Place

    init(_ badge: MapBadge) {
      (self.badge, place) = (badge, badge.appearance.place)
      super.init()
      coordinate = CLLocationCoordinate2D(badge.coordinate)
    }

    /// What it stands for.
    public var cluster: Cluster { badge.cluster }

    /// How many points it stands for.
    public var pointCount: Int { badge.pointCount }

    /// The row number of its point where it has just one.
    public var row: Int? { cluster.row }
  }

  /// A point of a stack that is open: it has the stack's coordinate, and its view an offset from there.
  public final class StackMemberAnnotation: MKPointAnnotation {
    /// The row number of the point.
    public let row: Int

    /// How far from the stack it is drawn, in points of the screen.
    let offset: StackSpread.Offset

    init(row: Int, of stack: ClusterAnnotation, offset: StackSpread.Offset) {
      (self.row, self.offset) = (row, offset)
      super.init()
      coordinate = stack.coordinate
    }
  }
#endif
