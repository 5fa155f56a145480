#if canImport(MapKit)
  import MapKit
  import Treeline

  extension BoundingBox {
    /// Creates the box of a region. Each edge of the box is half a span away from the region's center. `west` is
    /// greater than `east` if the box crosses the antimeridian. Latitudes are limited to the range from -90 to 90.
    /// Returns nil if a number is not finite or if a span is negative.
    public init?(_ region: MKCoordinateRegion) {
      let (center, span) = (region.center, region.span)
      guard [center.latitude, center.longitude].allSatisfy(\.isFinite), span.latitudeDelta >= 0,
        span.longitudeDelta >= 0, span.latitudeDelta.isFinite, span.longitudeDelta.isFinite
      else { return nil }
      let isWholeTurn = span.longitudeDelta >= 360
      self.init(
        west: isWholeTurn ? -180 : Self.inOneTurn(center.longitude - span.longitudeDelta / 2, antimeridian: -180),
        south: max(center.latitude - span.latitudeDelta / 2, -90),
        east: isWholeTurn ? 180 : Self.inOneTurn(center.longitude + span.longitudeDelta / 2, antimeridian: 180),
        north: min(center.latitude + span.latitudeDelta / 2, 90))
    }

    /// Returns a longitude reduced to the range from -180 to 180.
    ///
    /// - Parameter antimeridian: Result for a longitude on the antimeridian: -180 or 180.
    static func inOneTurn(_ longitude: Double, antimeridian: Double) -> Double {
      let inOneTurn = longitude - ((longitude + 180) / 360).rounded(.down) * 360
      return inOneTurn == -180 ? antimeridian : inOneTurn
    }
  }

  extension MKCoordinateRegion {
    /// Creates the region of a box. The center is halfway between the edges, measured in degrees. It lies inside the
    /// box even if the box crosses the antimeridian.
    public init(_ box: BoundingBox) {
      let degrees = box.east < box.west ? box.east - box.west + 360 : min(box.east - box.west, 360)
      self.init(
        center: CLLocationCoordinate2D(
          latitude: (box.south + box.north) / 2,
          longitude: BoundingBox.inOneTurn(box.west + degrees / 2, antimeridian: 180)),
        span: MKCoordinateSpan(latitudeDelta: box.north - box.south, longitudeDelta: degrees))
    }
  }

  extension Viewport {
    /// Creates the viewport of a screen that shows a map rectangle. The zoom is computed from the widths of the screen
    /// and of the rectangle, so the map must be neither turned nor tilted. Returns nil if the map shows nothing.
    ///
    /// - Parameters:
    ///   - rect: The visible rectangle, such as the `MKMapSnapshotter.Options.mapRect` of a picture of a map.
    ///   - width: Width of the screen in points. One point of the screen is one pixel of a viewport.
    ///   - margin: Width in points of a margin around the screen. The viewport includes this margin.
    public init?(_ rect: MKMapRect, width: Double, margin: Double = 0) {
      guard let box = BoundingBox(rect), let zoom = rect.zoom(width: width) else { return nil }
      self.init(box, zoom: zoom, margin: margin)
    }
  }

  #if canImport(UIKit)
    extension Viewport {
      /// Creates the viewport of a map view. The zoom is measured at the center of the view, so the map may be turned
      /// and tilted. Returns nil if the map shows nothing, for example because it has no size yet.
      ///
      /// ```swift
      /// let shown = try hotels.clusters(.spacing(44), in: Viewport(mapView) ?? Viewport(.world))
      /// ```
      ///
      /// On a tilted map, distant areas are drawn smaller, so badges far from the viewer may touch.
      ///
      /// - Parameters:
      ///   - mapView: The map view.
      ///   - margin: Width in points of a margin around the view. The viewport includes this margin.
      @MainActor public init?(_ mapView: MKMapView, margin: Double = 0) {
        guard let box = BoundingBox(mapView.visibleMapRect), let zoom = mapView.zoomAtCenter else { return nil }
        self.init(box, zoom: zoom, margin: margin)
      }
    }

    extension MKMapView {
      /// Zoom for 256 px tiles at the center of the view; nil if the view has no size.
      var zoomAtCenter: Double? {
        MKMapRect.zoom(at: CGPoint(x: bounds.midX, y: bounds.midY)) { convert($0, toCoordinateFrom: self) }
          ?? visibleMapRect.zoom(width: bounds.width)
      }
    }
  #endif
#endif
