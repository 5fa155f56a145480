@_exported import UIKit

/// The title and the subtitle are optional requirements. On a Mac, reading them from `any MKAnnotation` gives a
/// `String??`.
///
/// https://developer.apple.com/documentation/mapkit/mkannotation
public protocol MKAnnotation: NSObjectProtocol {
  var coordinate: CLLocationCoordinate2D { get }
  var title: String? { get }
  var subtitle: String? { get }
}

extension MKAnnotation {
  public var title: String? { nil }
  public var subtitle: String? { nil }
}

/// https://developer.apple.com/documentation/mapkit/mkshape
open class MKShape: NSObject, MKAnnotation {
  /// Observers that use key-value observing, on platforms that support it.
  fileprivate(set) var observers: [(AnyObject, String) -> Void] = []

  open var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D() }
  open var title: String? { didSet { didChange("title") } }
  open var subtitle: String? { didSet { didChange("subtitle") } }

  public override init() { super.init() }

  fileprivate func didChange(_ key: String) { for observer in observers { observer(self, key) } }
}

/// https://developer.apple.com/documentation/mapkit/mkpointannotation
open class MKPointAnnotation: MKShape {
  private var position = CLLocationCoordinate2D()

  open override var coordinate: CLLocationCoordinate2D {
    get { position }
    set {
      position = newValue
      didChange("coordinate")
    }
  }
}

extension MKShape {
  /// Adds an observer, in the way in which a map view observes its annotations.
  func observe(_ observer: @escaping (AnyObject, String) -> Void) { observers = [observer] }
  func stopObserving() { observers = [] }
}

/// https://developer.apple.com/documentation/mapkit/mkfeaturedisplaypriority
public struct MKFeatureDisplayPriority: RawRepresentable, Hashable, Sendable {
  public var rawValue: Float
  public init(rawValue: Float) { self.rawValue = rawValue }
  public static let required = MKFeatureDisplayPriority(rawValue: 1000)
  public static let defaultHigh = MKFeatureDisplayPriority(rawValue: 750)
}

/// https://developer.apple.com/documentation/mapkit/mkannotationviewzpriority
public struct MKAnnotationViewZPriority: RawRepresentable, Hashable, Sendable {
  public var rawValue: Float
  public init(rawValue: Float) { self.rawValue = rawValue }
  public static let defaultUnselected = MKAnnotationViewZPriority(rawValue: 500)
  public static let max = MKAnnotationViewZPriority(rawValue: 1000)
}

/// https://developer.apple.com/documentation/mapkit/mkannotationview
@MainActor open class MKAnnotationView: UIView {
  open var annotation: (any MKAnnotation)?
  public let reuseIdentifier: String?
  open var isEnabled = true
  open var canShowCallout = false
  open var centerOffset = CGPoint.zero
  open var displayPriority = MKFeatureDisplayPriority.required
  open var zPriority = MKAnnotationViewZPriority.defaultUnselected
  open var clusteringIdentifier: String?
  open var isSelected: Bool = false

  /// https://developer.apple.com/documentation/mapkit/mkannotationview/dragstate-swift.enum
  public enum DragState: UInt, Sendable { case none, starting, dragging, canceling, ending }

  /// https://developer.apple.com/documentation/mapkit/mkannotationview/init(annotation:reuseidentifier:)
  public init(annotation: (any MKAnnotation)?, reuseIdentifier: String?) {
    (self.annotation, self.reuseIdentifier) = (annotation, reuseIdentifier)
    super.init(frame: .zero)
  }

  public required init?(coder aDecoder: NSCoder) {
    reuseIdentifier = nil
    super.init(coder: aDecoder)
  }

  /// https://developer.apple.com/documentation/mapkit/mkannotationview/prepareforreuse()
  open func prepareForReuse() {}

  /// https://developer.apple.com/documentation/mapkit/mkannotationview/preparefordisplay()
  open func prepareForDisplay() {}

  /// https://developer.apple.com/documentation/mapkit/mkannotationview/setselected(_:animated:)
  open func setSelected(_ selected: Bool, animated: Bool) { isSelected = selected }
}

/// https://developer.apple.com/documentation/mapkit/mkclusterannotation
public final class MKClusterAnnotation: NSObject, MKAnnotation {
  public let memberAnnotations: [any MKAnnotation]
  public var coordinate: CLLocationCoordinate2D { memberAnnotations.first?.coordinate ?? CLLocationCoordinate2D() }

  /// https://developer.apple.com/documentation/mapkit/mkclusterannotation/init(memberannotations:)
  public init(memberAnnotations: [any MKAnnotation]) { self.memberAnnotations = memberAnnotations }
}

/// https://developer.apple.com/documentation/mapkit/mkuserlocation
public final class MKUserLocation: NSObject, MKAnnotation {
  public var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D() }
  /// Only in the stub: the map view makes it.
  public override init() { super.init() }
}

/// https://developer.apple.com/documentation/mapkit/mkusertrackingmode
public enum MKUserTrackingMode: Int, Sendable { case none, follow, followWithHeading }

/// https://developer.apple.com/documentation/mapkit/mkselectionaccessory
@MainActor public final class MKSelectionAccessory: NSObject {
  /// Only in the stub: an accessory is made by a function of the class.
  public override init() { super.init() }
}

/// https://developer.apple.com/documentation/mapkit/mkoverlay
public protocol MKOverlay: MKAnnotation {
  var boundingMapRect: MKMapRect { get }
}

/// https://developer.apple.com/documentation/mapkit/mkmultipoint
open class MKMultiPoint: MKShape {
  /// Only in the stub: the corners of the shape.
  public fileprivate(set) var corners: [MKMapPoint] = []
}

/// https://developer.apple.com/documentation/mapkit/mkpolygon
public final class MKPolygon: MKMultiPoint, MKOverlay {
  public var boundingMapRect: MKMapRect { .null }

  /// https://developer.apple.com/documentation/mapkit/mkpolygon/init(points:count:)
  public convenience init(points: UnsafePointer<MKMapPoint>, count: Int) {
    self.init()
    corners = Array(UnsafeBufferPointer(start: points, count: count))
  }
}

/// https://developer.apple.com/documentation/mapkit/mkoverlayrenderer
@MainActor open class MKOverlayRenderer: NSObject {
  public let overlay: any MKOverlay
  public init(overlay: any MKOverlay) { self.overlay = overlay }
}

/// https://developer.apple.com/documentation/mapkit/mkpolygonrenderer
@MainActor public final class MKPolygonRenderer: MKOverlayRenderer {
  public var fillColor: UIColor?
  public var strokeColor: UIColor?
  public var lineWidth: CGFloat = 0

  /// https://developer.apple.com/documentation/mapkit/mkpolygonrenderer/init(polygon:)
  public init(polygon: MKPolygon) { super.init(overlay: polygon) }
}
