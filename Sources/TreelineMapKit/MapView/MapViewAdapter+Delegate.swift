#if canImport(MapKit) && canImport(UIKit)
  import MapKit
  import Treeline
  import TreelineMap

  /// Provides views to a ``MapViewAdapter``, and is notified of events. All methods are optional.
  @MainActor public protocol MapViewAdapterDelegate: AnyObject {
    /// Returns the view of a badge; nil for a ``ClusterBadgeView``. Use `dequeueReusableAnnotationView`. The adapter
    /// moves and hides the view, and prevents the map from hiding or clustering it.
    func adapter(_ adapter: MapViewAdapter, viewFor annotation: ClusterAnnotation) -> MKAnnotationView?

    /// Returns the view of an annotation that you have added; nil for the map's default view.
    func adapter(_ adapter: MapViewAdapter, viewForOther annotation: any MKAnnotation) -> MKAnnotationView?

    /// Returns the renderer of an overlay that you have added; nil to draw nothing.
    func adapter(_ adapter: MapViewAdapter, rendererForOther overlay: any MKOverlay) -> MKOverlayRenderer?

    /// Called when a badge is selected, and when the selected point moves to another badge.
    func adapter(_ adapter: MapViewAdapter, didSelect annotation: ClusterAnnotation)

    /// Called when a point of an open stack (several points at one position) is selected.
    func adapter(_ adapter: MapViewAdapter, didSelectRow row: Int)

    /// Called when the user taps a stack that the adapter does not spread out, because of
    /// `MapViewAdapter.Options.stacks`. For example, the stack may have too many points.
    func adapter(_ adapter: MapViewAdapter, didOpen stack: ClusterAnnotation, members: RowNumbers)

    /// Called after the badges on the map have changed.
    func adapterDidUpdate(_ adapter: MapViewAdapter)

    /// Called when all motions have ended.
    func adapterDidComeToRest(_ adapter: MapViewAdapter)

    /// Called when a query fails, for example because the tree lacks data that the cut needs.
    func adapter(_ adapter: MapViewAdapter, didFail error: any Error)
  }

  extension MapViewAdapterDelegate {
    public func adapter(_ adapter: MapViewAdapter, viewFor annotation: ClusterAnnotation) -> MKAnnotationView? { nil }
    public func adapter(_ adapter: MapViewAdapter, viewForOther annotation: any MKAnnotation) -> MKAnnotationView? {
      nil
    }
    public func adapter(_ adapter: MapViewAdapter, rendererForOther overlay: any MKOverlay) -> MKOverlayRenderer? {
      nil
    }
    public func adapter(_ adapter: MapViewAdapter, didSelect annotation: ClusterAnnotation) {}
    public func adapter(_ adapter: MapViewAdapter, didSelectRow row: Int) {}
    public func adapter(_ adapter: MapViewAdapter, didOpen stack: ClusterAnnotation, members: RowNumbers) {}
    public func adapterDidUpdate(_ adapter: MapViewAdapter) {}
    public func adapterDidComeToRest(_ adapter: MapViewAdapter) {}
    public func adapter(_ adapter: MapViewAdapter, didFail error: any Error) {}
  }

  extension MapViewAdapter: MKMapViewDelegate {
    /// Requests the clusters in the visible part of the map.
    public func mapViewDidChangeVisibleRegion(_ mapView: MKMapView) { refresh() }

    /// Requests the clusters in the visible part of the map, after a movement has ended.
    public func mapView(_ mapView: MKMapView, regionDidChangeAnimated animated: Bool) { refresh() }

    /// Returns the view of a badge, or asks the delegate for the view of another annotation.
    public func mapView(_ mapView: MKMapView, viewFor annotation: any MKAnnotation) -> MKAnnotationView? {
      switch annotation {
      case let annotation as ClusterAnnotation:
        let view = delegate?.adapter(self, viewFor: annotation) ?? reusedBadgeView(for: annotation)
        view.annotation = annotation
        // The map must not hide badges, because Treeline decides which badges are shown.
        (view.displayPriority, view.clusteringIdentifier) = (.required, nil)
        show(annotation, in: view)
        draw(annotation, in: view)
        return view
      case let annotation as StackMemberAnnotation: return memberView(for: annotation)
      default: return delegate?.adapter(self, viewForOther: annotation)
      }
    }

    private func reusedBadgeView(for annotation: ClusterAnnotation) -> MKAnnotationView {
      mapView.dequeueReusableAnnotationView(withIdentifier: ClusterBadgeView.reuseIdentifier)
        ?? ClusterBadgeView(annotation: annotation, reuseIdentifier: ClusterBadgeView.reuseIdentifier)
    }

    /// Spreads out the points of a stack that opens, and selects annotations that had no views before.
    public func mapView(_ mapView: MKMapView, didAdd views: [MKAnnotationView]) {
      spreadOut(views)
      followSelection()
    }

    /// Zooms into a cluster, opens a stack, or stores the selection.
    public func mapView(_ mapView: MKMapView, didSelect view: MKAnnotationView) {
      switch view.annotation {
      case let annotation as ClusterAnnotation where !isSelected(annotation): didTap(annotation)
      case let annotation as StackMemberAnnotation: delegate?.adapter(self, didSelectRow: annotation.row)
      default: break
      }
    }

    /// Ends the selection. If a point of the open stack was deselected, closes the stack.
    public func mapView(_ mapView: MKMapView, didDeselect view: MKAnnotationView) {
      if let annotation = view.annotation, openStack?.contains(annotation) == true { closeStackUnlessSelected() }
      guard let annotation = view.annotation as? ClusterAnnotation, endsSelection(annotation) else { return }
      selectedTreeIndex = nil
      followEllipses()
    }

    /// Returns the renderer of an ellipse, or asks the delegate for the renderer of another overlay.
    public func mapView(_ mapView: MKMapView, rendererFor overlay: any MKOverlay) -> MKOverlayRenderer {
      renderer(of: overlay)
    }
  }
#endif
