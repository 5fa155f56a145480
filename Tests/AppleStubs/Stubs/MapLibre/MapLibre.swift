@_exported import CoreLocation
@_exported import UIKit

/// https://maplibre.org/maplibre-native/ios/latest/documentation/maplibre/mlncoordinatebounds
public struct MLNCoordinateBounds: Sendable {
  public var sw, ne: CLLocationCoordinate2D
  public init(sw: CLLocationCoordinate2D, ne: CLLocationCoordinate2D) { (self.sw, self.ne) = (sw, ne) }
}

/// https://maplibre.org/maplibre-native/ios/latest/documentation/maplibre/mlnshape
open class MLNShape: NSObject {
  public override init() { super.init() }
}

/// https://maplibre.org/maplibre-native/ios/latest/documentation/maplibre/mlnpointannotation
open class MLNPointAnnotation: MLNShape {
  public var coordinate = CLLocationCoordinate2D()
}

/// https://maplibre.org/maplibre-native/ios/latest/documentation/maplibre/mlnfeature
public protocol MLNFeature: NSObjectProtocol {
  var identifier: Any? { get set }
  var attributes: [String: Any] { get set }
  func attribute(forKey key: String) -> Any?
}

/// https://maplibre.org/maplibre-native/ios/latest/documentation/maplibre/mlnpointfeature
public final class MLNPointFeature: MLNPointAnnotation, MLNFeature {
  public var identifier: Any?
  public var attributes: [String: Any] = [:]
  public func attribute(forKey key: String) -> Any? { attributes[key] }
}

/// https://maplibre.org/maplibre-native/ios/latest/documentation/maplibre/mlnshapecollectionfeature
public final class MLNShapeCollectionFeature: MLNShape {
  public let shapes: [MLNShape & MLNFeature]
  public init(shapes: [MLNShape & MLNFeature]) { self.shapes = shapes }
}

/// https://maplibre.org/maplibre-native/ios/latest/documentation/maplibre/mlnsource
open class MLNSource: NSObject {
  public let identifier: String
  fileprivate(set) var isInStyle = false
  init(named identifier: String) { self.identifier = identifier }
}

/// https://maplibre.org/maplibre-native/ios/latest/documentation/maplibre/mlnshapesourceoption
public struct MLNShapeSourceOption: Hashable, Sendable {}

/// https://maplibre.org/maplibre-native/ios/latest/documentation/maplibre/mlnshapesource
public final class MLNShapeSource: MLNSource {
  /// Only in the stub: number of updates of its features.
  public private(set) var updateCount = 0

  public var shape: MLNShape? {
    didSet {
      precondition(isInStyle, "A source has no shape before it is in a style")
      updateCount += 1
    }
  }

  public init(identifier: String, shape: MLNShape?, options: [MLNShapeSourceOption: Any]? = nil) {
    self.shape = shape
    super.init(named: identifier)
  }
}

/// https://maplibre.org/maplibre-native/ios/latest/documentation/maplibre/mlnstyle
public final class MLNStyle: NSObject {
  public private(set) var sources: [MLNSource] = []
  public override init() { super.init() }
  public func addSource(_ source: MLNSource) {
    precondition(self.source(withIdentifier: source.identifier) == nil, "A style has a source of this identifier")
    precondition(!source.isInStyle, "A source is of one style alone")
    source.isInStyle = true
    sources.append(source)
  }
  public func source(withIdentifier identifier: String) -> MLNSource? {
    sources.first { $0.identifier == identifier }
  }
}

/// https://maplibre.org/maplibre-native/ios/latest/documentation/maplibre/mlnmapview
@MainActor open class MLNMapView: UIView {
  public var zoomLevel = 0.0
  public var visibleCoordinateBounds = MLNCoordinateBounds(
    sw: CLLocationCoordinate2D(latitude: -85, longitude: -180), ne: CLLocationCoordinate2D(latitude: 85, longitude: 180)
  )

  /// Only in the stub: center of the last requested move.
  public private(set) var shownCenter: CLLocationCoordinate2D?

  public func setCenter(_ centerCoordinate: CLLocationCoordinate2D, zoomLevel: Double, animated: Bool) {
    (self.shownCenter, self.zoomLevel) = (centerCoordinate, zoomLevel)
  }
}
