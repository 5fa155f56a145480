#if canImport(MapKit) && canImport(UIKit)
  import MapKit
  import Treeline
  import TreelineMap

  /// Is asked for views by a ``MapViewAdapter``, and told of what happens. All of it is optional.
  @MainActor public protocol MapViewAdapterDelegate: AnyObject {
    /// The view of a badge; nil for a ``ClusterBadgeView``. Take one by `dequeueReusableAnnotationView`. The adapter
    /// sets what moves and hides it, and has the map neither hide it for others nor cluster it.
    func adapter(_ adapter: MapViewAdapter, viewFor annotation: ClusterAnnotation) -> MKAnnotationView?

    /// The view of an annotation of your own; nil for the map's.
    func adapter(_ adapter: MapViewAdapter, viewForOther annotation: any MKAnnotation) -> MKAnnotationView?

    /// What draws an overlay of your own; nil for nothing.
    func adapter(_ adapter: MapViewAdapter, rendererForOther overlay: any MKOverlay) -> MKOverlayRenderer?

    /// A badge was selected, or has become part of what is.
    func adapter(_ adapter: MapViewAdapter, didSelect annotation: ClusterAnnotation)

    /// A point of a stack that is open was selected.
    func adapter(_ adapter: MapViewAdapter, didSelectRow row: Int)

    /// A stack was tapped that the adapter does not spread, or has more points than it spreads.
    func adapter(_ adapter: MapViewAdapter, didOpen stack: ClusterAnnotation, members: RowNumbers)

    /// What is shown has changed.
    func adapterDidUpdate(_ adapter: MapViewAdapter)

    /// Nothing moves any more.
    func adapterDidComeToRest(_ adapter: MapViewAdapter)

    /// There is no answer, as where the tree lacks what the cut needs.
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
    /// Asks for the clusters of what the map shows now.
    public func mapViewDidChangeVisibleRegion(_ mapView: MKMapView) { refresh() }

    /// Asks for the clusters of where the map has come to rest.
    public func mapView(_ mapView: MKMapView, regionDidChangeAnimated animated: Bool) { refresh() }

    /// The view of a badge, or of an annotation of the delegate's.
    public func mapView(_ mapView: MKMapView, viewFor annotation: any MKAnnotation) -> MKAnnotationView? {
      switch annotation {
      case let annotation as ClusterAnnotation:
        let view = delegate?.adapter(self, viewFor: annotation) ?? reusedBadgeView(for: annotation)
        view.annotation = annotation
        // Which badges are shown is Treeline's to say.
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

    /// Spreads out the points of a stack that opens, and selects what had no view yet.
    public func mapView(_ mapView: MKMapView, didAdd views: [MKAnnotationView]) {
      spreadOut(views)
      followSelection()
    }

    /// Zooms into a cluster, opens a stack, or keeps what is selected.
    public func mapView(_ mapView: MKMapView, didSelect view: MKAnnotationView) {
      switch view.annotation {
      case let annotation as ClusterAnnotation where !isSelected(annotation): didTap(annotation)
      case let annotation as StackMemberAnnotation: delegate?.adapter(self, didSelectRow: annotation.row)
      default: break
      }
    }

    /// Nothing is selected any more.
    public func mapView(_ mapView: MKMapView, didDeselect view: MKAnnotationView) {
      if let annotation = view.annotation, openStack?.contains(annotation) == true { closeStackUnlessSelected() }
      guard let annotation = view.annotation as? ClusterAnnotation, endsSelection(annotation) else { return }
      selectedTreeIndex = nil
      followEllipses()
    }

    /// Draws ellipses, and has the delegate draw overlays of its own.
    public func mapView(_ mapView: MKMapView, rendererFor overlay: any MKOverlay) -> MKOverlayRenderer {
      renderer(of: overlay)
    }
  }
#endif
