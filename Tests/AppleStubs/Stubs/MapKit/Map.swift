// MapKit's views for SwiftUI belong to both frameworks. They exist only in files that import both.
import SwiftUI

/// https://developer.apple.com/documentation/mapkit/mapcontent
@MainActor @preconcurrency public protocol MapContent {
  /// Only in the stub: the annotations shown, each with its identity.
  var shown: [ShownAnnotation] { get }
}

/// Only in the stub: an annotation of a `Map`.
public struct ShownAnnotation: Sendable {
  nonisolated(unsafe) public var id: AnyHashable?
  public let title: String
  public let coordinate: CLLocationCoordinate2D
  public let texts: [String]
  /// Size of the area that reacts to taps, if the view sets it.
  public let targetSize: CGSize?
}

/// https://developer.apple.com/documentation/mapkit/mapcontentbuilder
@resultBuilder public struct MapContentBuilder {
  public static func buildBlock<Content: MapContent>(_ content: Content) -> Content { content }
  @MainActor public static func buildBlock<each Content: MapContent>(_ content: repeat each Content) -> TupleMapContent
  {
    var shown: [ShownAnnotation] = []
    repeat shown += (each content).shown
    return TupleMapContent(shown: shown)
  }
}

public struct TupleMapContent: MapContent {
  public let shown: [ShownAnnotation]
}

extension ForEach: MapContent where Content: MapContent {
  public init(_ data: Data, @MapContentBuilder content: @escaping (Data.Element) -> Content)
  where Data.Element: Identifiable, ID == Data.Element.ID {
    self.init(data: data, id: \.id, content: content)
  }

  public var shown: [ShownAnnotation] {
    data.flatMap { element in
      content(element).shown.map { annotation in
        var annotation = annotation
        annotation.id = AnyHashable(id(element))
        return annotation
      }
    }
  }
}

/// https://developer.apple.com/documentation/mapkit/annotation
public struct Annotation<Label: View, Content: View>: MapContent {
  public let shown: [ShownAnnotation]

  /// https://developer.apple.com/documentation/mapkit/annotation/init(_:coordinate:anchor:content:)-6wnoh
  public init<Title: StringProtocol>(
    _ title: Title, coordinate: CLLocationCoordinate2D, @ViewBuilder content: () -> Content
  ) where Label == Text {
    let content = content()
    shown = [
      ShownAnnotation(
        id: nil, title: String(title), coordinate: coordinate, texts: content.texts, targetSize: content.targetSize)
    ]
  }

  /// https://developer.apple.com/documentation/mapkit/mapcontent/annotationtitles(_:)
  public func annotationTitles(_ visibility: Visibility) -> Annotation { self }
}

extension MapContent {
  /// https://developer.apple.com/documentation/mapkit/mapcontent/annotationtitles(_:)
  public func annotationTitles(_ visibility: Visibility) -> some MapContent { self }
}

/// https://developer.apple.com/documentation/swiftui/visibility
public enum Visibility: Sendable { case automatic, visible, hidden }

/// https://developer.apple.com/documentation/mapkit/mapcamera
public struct MapCamera: Hashable, Sendable {
  public var heading: Double
}

/// https://developer.apple.com/documentation/mapkit/mapcameraposition
public struct MapCameraPosition: Sendable {
  /// Only in the stub: the rectangle that the position shows.
  public let shownRect: MKMapRect?
  public static let automatic = MapCameraPosition(shownRect: nil)
  public static func rect(_ rect: MKMapRect) -> MapCameraPosition { MapCameraPosition(shownRect: rect) }
  public static func region(_ region: MKCoordinateRegion) -> MapCameraPosition { MapCameraPosition(shownRect: nil) }
}

/// https://developer.apple.com/documentation/mapkit/mapcameraupdatecontext
public struct MapCameraUpdateContext: Sendable {
  public let camera: MapCamera
  public let rect: MKMapRect

  /// Only in the stub: creates a context with the visible rectangle and the heading.
  public init(rect: MKMapRect, heading: Double) { (camera, self.rect) = (MapCamera(heading: heading), rect) }
}

/// https://developer.apple.com/documentation/mapkit/mapproxy
public struct MapProxy {
  /// Only in the stub: the map view whose camera is that of the map.
  nonisolated(unsafe) public static weak var mapView: MKMapView?

  /// Only in the stub: creates a proxy of `mapView`.
  public init() {}

  /// https://developer.apple.com/documentation/mapkit/mapproxy/convert(_:from:)
  public func convert(_ point: CGPoint, from space: some CoordinateSpaceProtocol) -> CLLocationCoordinate2D? {
    MainActor.assumeIsolated { Self.mapView?.convert(point, toCoordinateFrom: nil) }
  }
}

/// https://developer.apple.com/documentation/mapkit/mapreader
public struct MapReader<Content: View>: PrimitiveView {
  let content: Content

  /// https://developer.apple.com/documentation/mapkit/mapreader/init(content:)
  public init(@ViewBuilder content: (MapProxy) -> Content) { self.content = content(MapProxy()) }

  public var texts: [String] { content.texts }
  public var actions: [Any] { content.actions }
}

/// https://developer.apple.com/documentation/mapkit/mapcameraupdatefrequency
public enum MapCameraUpdateFrequency: Sendable { case continuous, onEnd }

/// https://developer.apple.com/documentation/mapkit/map
public struct Map<Content: View>: PrimitiveView {
  /// Only in the stub: the annotations of the map.
  public let shown: [ShownAnnotation]

  /// The initializer with a selection and a position: https://developer.apple.com/documentation/mapkit/map
  public init<SelectedValue: Hashable, Annotations: MapContent>(
    position: Binding<MapCameraPosition>, selection: Binding<SelectedValue?>,
    @MapContentBuilder content: () -> Annotations
  ) where Content == MapContentView {
    shown = content().shown
  }

  /// https://developer.apple.com/documentation/mapkit/map/init(position:bounds:interactionmodes:scope:content:)
  public init<Annotations: MapContent>(
    position: Binding<MapCameraPosition>, @MapContentBuilder content: () -> Annotations
  ) where Content == MapContentView {
    shown = content().shown
  }

  /// https://developer.apple.com/documentation/mapkit/map/init(initialposition:bounds:interactionmodes:scope:content:)
  public init<Annotations: MapContent>(
    initialPosition: MapCameraPosition = .automatic, @MapContentBuilder content: () -> Annotations
  ) where Content == MapContentView {
    shown = content().shown
  }

  public var texts: [String] { shown.flatMap(\.texts) }
}

public typealias MapContentView = EmptyView

extension View {
  /// https://developer.apple.com/documentation/swiftui/view/onmapcamerachange(frequency:_:)
  public func onMapCameraChange(
    frequency: MapCameraUpdateFrequency = .onEnd, _ action: @escaping (MapCameraUpdateContext) -> Void
  ) -> some View { modified(action: action) }
}
