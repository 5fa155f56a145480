/// All requirements of the protocol are optional.
///
/// https://developer.apple.com/documentation/mapkit/mkmapviewdelegate
@MainActor public protocol MKMapViewDelegate: NSObjectProtocol {
  func mapView(_ mapView: MKMapView, regionWillChangeAnimated animated: Bool)
  func mapView(_ mapView: MKMapView, regionDidChangeAnimated animated: Bool)
  func mapViewDidChangeVisibleRegion(_ mapView: MKMapView)
  func mapView(_ mapView: MKMapView, viewFor annotation: any MKAnnotation) -> MKAnnotationView?
  func mapView(_ mapView: MKMapView, didAdd views: [MKAnnotationView])
  func mapView(_ mapView: MKMapView, didSelect view: MKAnnotationView)
  func mapView(_ mapView: MKMapView, didDeselect view: MKAnnotationView)
  func mapView(_ mapView: MKMapView, rendererFor overlay: any MKOverlay) -> MKOverlayRenderer
}

extension MKMapViewDelegate {
  public func mapView(_ mapView: MKMapView, regionWillChangeAnimated animated: Bool) {}
  public func mapView(_ mapView: MKMapView, regionDidChangeAnimated animated: Bool) {}
  public func mapViewDidChangeVisibleRegion(_ mapView: MKMapView) {}
  public func mapView(_ mapView: MKMapView, viewFor annotation: any MKAnnotation) -> MKAnnotationView? { nil }
  public func mapView(_ mapView: MKMapView, didAdd views: [MKAnnotationView]) {}
  public func mapView(_ mapView: MKMapView, didSelect view: MKAnnotationView) {}
  public func mapView(_ mapView: MKMapView, didDeselect view: MKAnnotationView) {}
  public func mapView(_ mapView: MKMapView, rendererFor overlay: any MKOverlay) -> MKOverlayRenderer {
    MKOverlayRenderer(overlay: overlay)
  }
}

/// A map view that draws nothing and records its calls.
///
/// https://developer.apple.com/documentation/mapkit/mkmapview
@MainActor open class MKMapView: UIView {
  /// Only in the stub: a recorded call or observation.
  public enum Event {
    case added([any MKAnnotation])
    case removed([any MKAnnotation])
    /// A coordinate was set. If this was animated, `animated` is the duration of the animation.
    case moved(any MKAnnotation, CLLocationCoordinate2D, animated: TimeInterval?)
    case selected(any MKAnnotation)
    case deselected(any MKAnnotation)
    case showed(MKMapRect, animated: Bool)
  }

  /// Only in the stub: recorded events, in order.
  public var events: [Event] = []

  public weak var delegate: (any MKMapViewDelegate)?
  public private(set) var annotations: [any MKAnnotation] = []
  public private(set) var overlays: [any MKOverlay] = []
  public private(set) var selectedAnnotations: [any MKAnnotation] = []
  public var visibleMapRect = MKMapRect.world
  public var camera = MKMapCamera()

  /// Only in the stub: number of views ever created.
  public var madeViewCount: Int { known.count }

  /// Only in the stub: whether views are created by `makeViews()` instead of at once.
  public var defersViews = false

  private var waiting: [any MKAnnotation] = []
  private var known = Set<ObjectIdentifier>()
  private var views: [ObjectIdentifier: MKAnnotationView] = [:]
  private var reusable: [String: [MKAnnotationView]] = [:]

  // MARK: - Annotations

  open func addAnnotation(_ annotation: any MKAnnotation) { addAnnotations([annotation]) }

  open func addAnnotations(_ added: [any MKAnnotation]) {
    for annotation in added {
      precondition(!contains(annotation), "An annotation was added twice")
      annotations.append(annotation)
      (annotation as? MKShape)?.observe { [weak self] annotation, key in
        nonisolated(unsafe) let annotation = annotation
        MainActor.assumeIsolated { self?.observe(annotation as! any MKAnnotation, key) }
      }
      waiting.append(annotation)
    }
    events.append(.added(added))
    if !defersViews { makeViews() }
  }

  /// Only in the stub: creates the views of all annotations that have no view yet. A real map view may also create
  /// views later.
  public func makeViews() {
    let annotations = waiting
    waiting = []
    var made: [MKAnnotationView] = []
    for annotation in annotations where contains(annotation) {
      guard let view = delegate?.mapView(self, viewFor: annotation) else { continue }
      views[ObjectIdentifier(annotation)] = view
      known.insert(ObjectIdentifier(view))
      made.append(view)
    }
    if !made.isEmpty { delegate?.mapView(self, didAdd: made) }
  }

  open func removeAnnotation(_ annotation: any MKAnnotation) { removeAnnotations([annotation]) }

  open func removeAnnotations(_ removed: [any MKAnnotation]) {
    for annotation in removed {
      precondition(contains(annotation), "An annotation was removed that is not there")
      if selectedAnnotations.contains(where: { $0 === annotation }) { deselectAnnotation(annotation, animated: false) }
      (annotation as? MKShape)?.stopObserving()
      if let view = views.removeValue(forKey: ObjectIdentifier(annotation)), let name = view.reuseIdentifier {
        reusable[name, default: []].append(view)
      }
    }
    let gone = Set(removed.map(ObjectIdentifier.init))
    annotations.removeAll { gone.contains(ObjectIdentifier($0)) }
    events.append(.removed(removed))
  }

  open func view(for annotation: any MKAnnotation) -> MKAnnotationView? { views[ObjectIdentifier(annotation)] }

  open func dequeueReusableAnnotationView(withIdentifier identifier: String) -> MKAnnotationView? {
    let view = reusable[identifier]?.popLast()
    view?.prepareForReuse()
    return view
  }

  private func contains(_ annotation: any MKAnnotation) -> Bool { annotations.contains { $0 === annotation } }

  private func observe(_ annotation: any MKAnnotation, _ key: String) {
    guard key == "coordinate" else { return }
    events.append(.moved(annotation, annotation.coordinate, animated: AnimationRecord.current))
  }

  // MARK: - Selection

  open func selectAnnotation(_ annotation: any MKAnnotation, animated: Bool) {
    guard contains(annotation), !selectedAnnotations.contains(where: { $0 === annotation }) else { return }
    selectedAnnotations.append(annotation)
    view(for: annotation)?.setSelected(true, animated: animated)
    events.append(.selected(annotation))
    if let view = view(for: annotation) { delegate?.mapView(self, didSelect: view) }
  }

  open func deselectAnnotation(_ annotation: (any MKAnnotation)?, animated: Bool) {
    guard let annotation, selectedAnnotations.contains(where: { $0 === annotation }) else { return }
    selectedAnnotations.removeAll { $0 === annotation }
    view(for: annotation)?.setSelected(false, animated: animated)
    events.append(.deselected(annotation))
    if let view = view(for: annotation) { delegate?.mapView(self, didDeselect: view) }
  }

  // MARK: - What is visible

  open func setVisibleMapRect(_ mapRect: MKMapRect, animated: Bool) {
    events.append(.showed(mapRect, animated: animated))
    delegate?.mapView(self, regionWillChangeAnimated: animated)
    visibleMapRect = mapRect.fitted(in: bounds.size, margins: layoutMargins)
    delegate?.mapViewDidChangeVisibleRegion(self)
    delegate?.mapView(self, regionDidChangeAnimated: animated)
  }

  /// https://developer.apple.com/documentation/mapkit/mkmapview/setvisiblemaprect(_:edgepadding:animated:)
  open func setVisibleMapRect(_ mapRect: MKMapRect, edgePadding insets: UIEdgeInsets, animated animate: Bool) {
    setVisibleMapRect(mapRect, animated: animate)
  }

  // MARK: - Overlays

  open func addOverlay(_ overlay: any MKOverlay) { overlays.append(overlay) }
  open func removeOverlay(_ overlay: any MKOverlay) { overlays.removeAll { $0 === overlay } }
}

extension MKMapRect {
  /// Only in the stub: returns the visible rectangle of a map that shows all of this rectangle between its margins.
  public func fitted(in size: CGSize, margins: UIEdgeInsets) -> MKMapRect {
    guard margins != .zero else { return self }
    let (across, down) = (size.width - margins.left - margins.right, size.height - margins.top - margins.bottom)
    let scale = max(width / across, height / down)
    return MKMapRect(
      x: midX - (margins.left + across / 2) * scale, y: midY - (margins.top + down / 2) * scale,
      width: size.width * scale, height: size.height * scale)
  }
}
