#if canImport(MapKit) && canImport(UIKit)
  import MapKit
  import Treeline
  import TreelineMap

  extension MapViewAdapter {
    /// Updates the ellipses on the map as the options require.
    func followEllipses() {
      var wanted: [MapBadge.ID: Cluster] = [:]
      switch options.ellipses {
      case .none: break
      case .selected:
        if let treeIndex = selection.treeIndex, let badge = animator?.scene.badge(containingTreeIndex: treeIndex) {
          wanted[badge.id] = badge.cluster
        }
      case .all:
        for badge in animator?.scene.answerBadges ?? [] { wanted[badge.id] = badge.cluster }
      }
      for (id, ellipse) in ellipses where wanted[id] != ellipse.cluster {
        mapView.removeOverlay(ellipse.polygon)
        ellipses[id] = nil
      }
      for (id, cluster) in wanted where ellipses[id] == nil {
        guard let polygon = MKPolygon(ellipseOf: cluster) else { continue }
        ellipses[id] = (cluster, polygon)
        mapView.addOverlay(polygon)
      }
    }

    /// Returns the renderer of an ellipse; nil for an overlay of the app.
    func renderer(of overlay: any MKOverlay) -> MKOverlayRenderer? {
      guard let polygon = ellipses.values.first(where: { $0.polygon === overlay })?.polygon else { return nil }
      let renderer = MKPolygonRenderer(polygon: polygon)
      renderer.fillColor = UIColor.tintColor.withAlphaComponent(0.15)
      renderer.strokeColor = UIColor.tintColor.withAlphaComponent(0.6)
      renderer.lineWidth = 1
      return renderer
    }
  }

  extension MKPolygon {
    /// Creates the ellipse of a cluster's points, at two standard deviations. Returns nil if all points share one
    /// position. If the ellipse crosses the antimeridian, the polygon extends beyond the edge of the world, as MapKit
    /// expects.
    convenience init?(ellipseOf cluster: Cluster) {
      let ellipse = cluster.ellipse
      guard ellipse.semiMajor > 0 else { return nil }
      let (x, y) = (cluster.meanX + Double(cluster.plane.seam), cluster.meanY)
      let corners = 48
      let points = (0..<corners).map { corner in
        let angle = 2 * .pi * Double(corner) / Double(corners)
        let (along, across) = (2 * ellipse.semiMajor * cos(angle), 2 * ellipse.semiMinor * sin(angle))
        return MKMapPoint(
          x: (x + along * ellipse.axisX - across * ellipse.axisY) * MKMapRect.pointsPerUnit,
          y: (y + along * ellipse.axisY + across * ellipse.axisX) * MKMapRect.pointsPerUnit)
      }
      self.init(points: points, count: points.count)
    }
  }
#endif
