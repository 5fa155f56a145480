#if canImport(MapKit) && canImport(UIKit)
  import MapKit
  import Treeline
  import TreelineMap

  /// Receives the events of a ``MapViewAdapter``, and all calls that the map makes to its delegate.
  ///
  /// The map's delegate is the adapter, which forwards each call to your delegate. All methods are optional, so
  /// implement only the methods of `MKMapViewDelegate` that you need. `mapView(_:viewFor:)` may return your view for a
  /// ``ClusterAnnotation``; if it returns nil, the badge is a ``ClusterBadgeView``. The adapter moves and hides your
  /// view, and prevents the map from hiding or clustering the view. The adapter never changes the drawing, the callout
  /// or the accessibility of your view.
  ///
  /// ```swift
  /// func mapView(_ mapView: MKMapView, viewFor annotation: any MKAnnotation) -> MKAnnotationView? {
  ///   guard let annotation = annotation as? ClusterAnnotation else { return nil }
  ///   let view = mapView.dequeueReusableAnnotationView(withIdentifier: "hotels", for: annotation)
  ///   (view as? HotelsView)?.count = annotation.pointCount
  ///   return view
  /// }
  /// ```
  @MainActor public protocol MapViewAdapterDelegate: MKMapViewDelegate {
    /// Updates your own view of a badge. Called when the number of points, the title or the subtitle has changed, for
    /// example after a filter. By default, the map requests a new view from `mapView(_:viewFor:)`.
    func adapter(_ adapter: MapViewAdapter, update view: MKAnnotationView, for annotation: ClusterAnnotation)

    /// Called when a badge is selected, and when the selected point moves to another badge.
    func adapter(_ adapter: MapViewAdapter, didSelect annotation: ClusterAnnotation)

    /// Called when a point of an open stack (several points at one position) is selected.
    func adapter(_ adapter: MapViewAdapter, didSelectRow row: Int)

    /// Called when a stack opens and not all of its points are shown around it. `MapViewAdapter.Options.stacks` limits
    /// the number of points that are shown.
    func adapter(_ adapter: MapViewAdapter, didOpen stack: ClusterAnnotation, members: RowNumbers)

    /// Called after the badges on the map have changed.
    func adapterDidUpdate(_ adapter: MapViewAdapter)

    /// Called when all motions have ended.
    func adapterDidComeToRest(_ adapter: MapViewAdapter)

    /// Called when a query fails, for example because the tree lacks data that the cut needs.
    func adapter(_ adapter: MapViewAdapter, didFail error: any Error)
  }

  extension MapViewAdapterDelegate {
    public func adapter(_ adapter: MapViewAdapter, update view: MKAnnotationView, for annotation: ClusterAnnotation) {
      adapter.replaceView(of: annotation)
    }
    public func adapter(_ adapter: MapViewAdapter, didSelect annotation: ClusterAnnotation) {}
    public func adapter(_ adapter: MapViewAdapter, didSelectRow row: Int) {}
    public func adapter(_ adapter: MapViewAdapter, didOpen stack: ClusterAnnotation, members: RowNumbers) {}
    public func adapterDidUpdate(_ adapter: MapViewAdapter) {}
    public func adapterDidComeToRest(_ adapter: MapViewAdapter) {}
    public func adapter(_ adapter: MapViewAdapter, didFail error: any Error) {}
  }
#endif
