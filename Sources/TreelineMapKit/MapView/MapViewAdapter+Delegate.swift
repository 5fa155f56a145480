#if canImport(MapKit) && canImport(UIKit)
  import MapKit
  import Treeline
  import TreelineMap

  // First come the methods that the adapter itself needs, then all other methods of the protocol. Each method also
  // calls the same method of `delegate`, the object that the app has set.
  //
  // Methods of `MKMapViewDelegate` are optional, so the expression `app?.mapView(_:didFail:)` is a function or nil.
  // The stubs of MapKit for other platforms cannot declare optional methods. With these stubs, the expression is a
  // function whenever there is a delegate.
  extension MapViewAdapter: MKMapViewDelegate {
    /// The app's delegate, if the adapter must forward the map's calls to it; otherwise nil. The adapter forwards
    /// calls only while it is the map's delegate itself. If another object is the map's delegate, that object passes
    /// the map's calls to the adapter. If that object is also the app's `delegate`, a forwarded call would return to
    /// the object from which it came.
    private var app: (any MapViewAdapterDelegate)? { mapView.delegate === self ? delegate : nil }

    /// Requests the clusters in the visible part of the map.
    public func mapViewDidChangeVisibleRegion(_ mapView: MKMapView) {
      refresh()
      (app?.mapViewDidChangeVisibleRegion(_:))?(mapView)
    }

    /// Requests the clusters in the visible part of the map, after a movement has ended.
    public func mapView(_ mapView: MKMapView, regionDidChangeAnimated animated: Bool) {
      refresh()
      (app?.mapView(_:regionDidChangeAnimated:))?(mapView, animated)
    }

    /// Returns the view of an annotation. The adapter creates the views for the points of an open stack. All other
    /// views come from the delegate. If the delegate returns no view for a badge, the adapter creates the view.
    public func mapView(_ mapView: MKMapView, viewFor annotation: any MKAnnotation) -> MKAnnotationView? {
      if let annotation = annotation as? StackMemberAnnotation { return memberView(for: annotation) }
      let own = (app?.mapView(_:viewFor:))?(mapView, annotation) ?? nil
      guard let annotation = annotation as? ClusterAnnotation else { return own }
      let view = own ?? reusedBadgeView(for: annotation)
      view.annotation = annotation
      prepare(view, for: annotation)
      return view
    }

    private func reusedBadgeView(for annotation: ClusterAnnotation) -> MKAnnotationView {
      mapView.dequeueReusableAnnotationView(withIdentifier: ClusterBadgeView.reuseIdentifier)
        ?? ClusterBadgeView(annotation: annotation, reuseIdentifier: ClusterBadgeView.reuseIdentifier)
    }

    private func prepare(_ view: MKAnnotationView, for annotation: ClusterAnnotation) {
      // The map must not hide badges, because Treeline decides which badges are shown.
      (view.displayPriority, view.clusteringIdentifier) = (.required, nil)
      show(annotation, in: view)
      draw(annotation, in: view)
    }

    /// Called when annotations get views. If the views belong to the points of a stack that opens, spreads out these
    /// points. If a view belongs to the badge that contains the selected point, selects this badge.
    public func mapView(_ mapView: MKMapView, didAdd views: [MKAnnotationView]) {
      if mapView.delegate !== self {
        // The map's delegate may have made these views without the adapter.
        for view in views {
          if let annotation = view.annotation as? ClusterAnnotation { prepare(view, for: annotation) }
        }
      }
      spreadOut(views)
      followSelection()
      (app?.mapView(_:didAdd:))?(mapView, views)
    }

    /// Zooms into a cluster, opens a stack, or stores the selection.
    public func mapView(_ mapView: MKMapView, didSelect view: MKAnnotationView) {
      switch view.annotation {
      case let annotation as ClusterAnnotation where !isSelected(annotation): didTap(annotation)
      case let annotation as StackMemberAnnotation: delegate?.adapter(self, didSelectRow: annotation.row)
      default: break
      }
      (app?.mapView(_:didSelect:))?(mapView, view)
    }

    /// Ends the selection. If the deselected annotation is the badge or a point of an open stack, also closes the
    /// stack. But the stack stays open if another point of the stack is selected immediately. A stack is several
    /// points at one position. It is open while its points are spread out on the map.
    public func mapView(_ mapView: MKMapView, didDeselect view: MKAnnotationView) {
      if let annotation = view.annotation, openStack?.contains(annotation) == true { closeStackUnlessSelected() }
      if let annotation = view.annotation as? ClusterAnnotation, endsSelection(annotation) {
        selection.end()
        followEllipses()
      }
      (app?.mapView(_:didDeselect:))?(mapView, view)
    }

    /// Returns the adapter's renderer for an ellipse. For any other overlay, returns the delegate's renderer.
    public func mapView(_ mapView: MKMapView, rendererFor overlay: any MKOverlay) -> MKOverlayRenderer {
      renderer(of: overlay) ?? (app?.mapView(_:rendererFor:))?(mapView, overlay) ?? MKOverlayRenderer(overlay: overlay)
    }

    // MARK: - Methods that are only forwarded

    /// Tells the delegate that a movement begins.
    public func mapView(_ mapView: MKMapView, regionWillChangeAnimated animated: Bool) {
      (app?.mapView(_:regionWillChangeAnimated:))?(mapView, animated)
    }

    /// Tells the delegate that the map begins to load.
    public func mapViewWillStartLoadingMap(_ mapView: MKMapView) { (app?.mapViewWillStartLoadingMap(_:))?(mapView) }

    /// Tells the delegate that the map has loaded.
    public func mapViewDidFinishLoadingMap(_ mapView: MKMapView) { (app?.mapViewDidFinishLoadingMap(_:))?(mapView) }

    /// Tells the delegate that the map could not be loaded.
    public func mapViewDidFailLoadingMap(_ mapView: MKMapView, withError error: any Error) {
      (app?.mapViewDidFailLoadingMap(_:withError:))?(mapView, error)
    }

    /// Tells the delegate that the map begins to draw.
    public func mapViewWillStartRenderingMap(_ mapView: MKMapView) { (app?.mapViewWillStartRenderingMap(_:))?(mapView) }

    /// Tells the delegate that the map has been drawn.
    public func mapViewDidFinishRenderingMap(_ mapView: MKMapView, fullyRendered: Bool) {
      (app?.mapViewDidFinishRenderingMap(_:fullyRendered:))?(mapView, fullyRendered)
    }

    /// Tells the delegate that the map begins to track the user's location.
    public func mapViewWillStartLocatingUser(_ mapView: MKMapView) { (app?.mapViewWillStartLocatingUser(_:))?(mapView) }

    /// Tells the delegate that the map no longer tracks the user's location.
    public func mapViewDidStopLocatingUser(_ mapView: MKMapView) { (app?.mapViewDidStopLocatingUser(_:))?(mapView) }

    /// Tells the delegate that the user's location has changed.
    public func mapView(_ mapView: MKMapView, didUpdate userLocation: MKUserLocation) {
      (app?.mapView(_:didUpdate:))?(mapView, userLocation)
    }

    /// Tells the delegate that the user's location is unknown.
    public func mapView(_ mapView: MKMapView, didFailToLocateUserWithError error: any Error) {
      (app?.mapView(_:didFailToLocateUserWithError:))?(mapView, error)
    }

    /// Tells the delegate that the map tracks the user in another mode.
    public func mapView(_ mapView: MKMapView, didChange mode: MKUserTrackingMode, animated: Bool) {
      (app?.mapView(_:didChange:animated:))?(mapView, mode, animated)
    }

    /// Returns the cluster annotation for annotations that you have added. It comes from the delegate or, by default,
    /// from MapKit.
    public func mapView(
      _ mapView: MKMapView, clusterAnnotationForMemberAnnotations memberAnnotations: [any MKAnnotation]
    ) -> MKClusterAnnotation {
      (app?.mapView(_:clusterAnnotationForMemberAnnotations:))?(mapView, memberAnnotations)
        ?? MKClusterAnnotation(memberAnnotations: memberAnnotations)
    }

    /// Tells the delegate that an annotation is selected.
    public func mapView(_ mapView: MKMapView, didSelect annotation: any MKAnnotation) {
      (app?.mapView(_:didSelect:))?(mapView, annotation)
    }

    /// Tells the delegate that an annotation is no longer selected.
    public func mapView(_ mapView: MKMapView, didDeselect annotation: any MKAnnotation) {
      (app?.mapView(_:didDeselect:))?(mapView, annotation)
    }

    /// Tells the delegate that the map has added renderers of overlays.
    public func mapView(_ mapView: MKMapView, didAdd renderers: [MKOverlayRenderer]) {
      (app?.mapView(_:didAdd:))?(mapView, renderers)
    }
    #if !os(tvOS)
      /// Tells the delegate that a control of a callout was tapped.
      public func mapView(
        _ mapView: MKMapView, annotationView view: MKAnnotationView, calloutAccessoryControlTapped control: UIControl
      ) { (app?.mapView(_:annotationView:calloutAccessoryControlTapped:))?(mapView, view, control) }

      /// Tells the delegate that the drag state of an annotation has changed.
      public func mapView(
        _ mapView: MKMapView, annotationView view: MKAnnotationView, didChange newState: MKAnnotationView.DragState,
        fromOldState oldState: MKAnnotationView.DragState
      ) { (app?.mapView(_:annotationView:didChange:fromOldState:))?(mapView, view, newState, oldState) }

      /// Returns the selection accessory of the delegate; nil for no accessory.
      public func mapView(
        _ mapView: MKMapView, selectionAccessoryFor annotation: any MKAnnotation
      ) -> MKSelectionAccessory? { (app?.mapView(_:selectionAccessoryFor:))?(mapView, annotation) ?? nil }
    #endif
  }
#endif
