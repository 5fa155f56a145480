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
  public var visibleMapRect = MKMapRect.world { didSet { gaze = nil } }
  public private(set) var camera = MKMapCamera()

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
      view.prepareForDisplay()
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
    delegate?.mapView(self, didSelect: annotation)
  }

  open func deselectAnnotation(_ annotation: (any MKAnnotation)?, animated: Bool) {
    guard let annotation, selectedAnnotations.contains(where: { $0 === annotation }) else { return }
    selectedAnnotations.removeAll { $0 === annotation }
    view(for: annotation)?.setSelected(false, animated: animated)
    events.append(.deselected(annotation))
    if let view = view(for: annotation) { delegate?.mapView(self, didDeselect: view) }
    delegate?.mapView(self, didDeselect: annotation)
  }

  // MARK: - What is visible

  open func setVisibleMapRect(_ mapRect: MKMapRect, animated: Bool) {
    events.append(.showed(mapRect, animated: animated))
    move(animated: animated) {
      (camera.heading, camera.pitch) = (0, 0)
      visibleMapRect = mapRect.fitted(in: bounds.size, margins: layoutMargins)
    }
  }

  private func move(animated: Bool, _ body: () -> Void) {
    delegate?.mapView(self, regionWillChangeAnimated: animated)
    body()
    delegate?.mapViewDidChangeVisibleRegion(self)
    delegate?.mapView(self, regionDidChangeAnimated: animated)
  }

  /// Only in the stub: what a turned or tilted camera looks at; nil if the map is upright.
  private var gaze: Gaze?

  /// Only in the stub: shows a place from a turned and tilted camera, as after a gesture. The zoom is the zoom at the
  /// center of the map.
  public func look(at center: MKMapPoint, zoom: Double, heading: Double, pitch: Double) {
    move(animated: true) {
      (camera.heading, camera.pitch) = (heading, pitch)
      let gaze = Gaze(center: center, scale: exp2(20 - zoom), heading: heading, pitch: pitch, size: bounds.size)
      let corners = [
        CGPoint.zero, CGPoint(x: bounds.width, y: 0), CGPoint(x: 0, y: bounds.height),
        CGPoint(x: bounds.width, y: bounds.height),
      ].map(gaze.mapPoint)
      let (xs, ys) = (corners.map(\.x), corners.map(\.y))
      visibleMapRect = MKMapRect(
        x: xs.min()!, y: ys.min()!, width: xs.max()! - xs.min()!, height: ys.max()! - ys.min()!)
      self.gaze = gaze
    }
  }

  /// https://developer.apple.com/documentation/mapkit/mkmapview/convert(_:tocoordinatefrom:)
  open func convert(_ point: CGPoint, toCoordinateFrom view: UIView?) -> CLLocationCoordinate2D {
    let upright = MKMapPoint(
      x: visibleMapRect.minX + point.x / bounds.width * visibleMapRect.width,
      y: visibleMapRect.minY + point.y / bounds.height * visibleMapRect.height)
    return (gaze?.mapPoint(at: point) ?? upright).coordinate
  }

  /// https://developer.apple.com/documentation/mapkit/mkmapview/setvisiblemaprect(_:edgepadding:animated:)
  open func setVisibleMapRect(_ mapRect: MKMapRect, edgePadding insets: UIEdgeInsets, animated animate: Bool) {
    setVisibleMapRect(mapRect, animated: animate)
  }

  // MARK: - Overlays

  open func addOverlay(_ overlay: any MKOverlay) { overlays.append(overlay) }
  open func removeOverlay(_ overlay: any MKOverlay) { overlays.removeAll { $0 === overlay } }
}

/// Only in the stub: a camera above a plane.
struct Gaze {
  let center: MKMapPoint
  /// Number of map points in a point of the screen, at the center of the screen.
  let scale: Double
  /// Angles of the camera in degrees.
  let heading: Double
  let pitch: Double
  let size: CGSize

  /// Returns the point of the plane that is drawn at a point of the screen.
  func mapPoint(at point: CGPoint) -> MKMapPoint {
    let (right, up) = (point.x - size.width / 2, size.height / 2 - point.y)
    let (tilt, turn) = (pitch * .pi / 180, heading * .pi / 180)
    // The camera is at this distance from the center, in points of the screen.
    let distance = 3 * size.height
    let ahead = up * distance / (distance * cos(tilt) - up * sin(tilt))
    let aside = right * (distance + ahead * sin(tilt)) / distance
    return MKMapPoint(
      x: center.x + scale * (aside * cos(turn) + ahead * sin(turn)),
      y: center.y + scale * (aside * sin(turn) - ahead * cos(turn)))
  }
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
