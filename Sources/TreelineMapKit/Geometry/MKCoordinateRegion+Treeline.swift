#if canImport(MapKit)
  import MapKit
  import Treeline

  extension BoundingBox {
    /// The box of a region, in degrees to both sides of its center: `west` is greater than `east` where it crosses the
    /// antimeridian, and no latitude is beyond a pole. It is nil where a number is not finite or a span less than none.
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

    /// A longitude from -180 to 180.
    ///
    /// - Parameter antimeridian: -180 or 180, which both are.
    static func inOneTurn(_ longitude: Double, antimeridian: Double) -> Double {
      let inOneTurn = longitude - ((longitude + 180) / 360).rounded(.down) * 360
      return inOneTurn == -180 ? antimeridian : inOneTurn
    }
  }

  extension MKCoordinateRegion {
    /// The region of a box, whose center is halfway between its edges in degrees; across the antimeridian, halfway
    /// between these on that side.
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
    /// What a screen shows of a map: a map rectangle at the zoom at which it does.
    ///
    /// ```swift
    /// Viewport(map.visibleMapRect, width: map.bounds.width, height: map.bounds.height, heading: map.camera.heading)
    /// ```
    ///
    /// It is nil where a map shows nothing, as before it has a size.
    ///
    /// - Parameters:
    ///   - rect: Such as `MKMapView.visibleMapRect`, or that of a `MapCameraUpdateContext`.
    ///   - width: The screen's, in points, which are Treeline's pixels.
    ///   - height: The screen's, in points.
    ///   - heading: The camera's, in degrees; see ``MapKit/MKMapRect/zoom(width:height:heading:)``.
    ///   - margin: How many points around it are looked at, too.
    public init?(_ rect: MKMapRect, width: Double, height: Double, heading: Double = 0, margin: Double = 0) {
      guard let box = BoundingBox(rect), let zoom = rect.zoom(width: width, height: height, heading: heading) else {
        return nil
      }
      self.init(box, zoom: zoom, margin: margin)
    }
  }
#endif
