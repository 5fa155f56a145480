#if canImport(SwiftUI)
  import MapKit
  import SwiftUI
  import Treeline
  import TreelineMapKit

  /// The hotels on SwiftUI's `Map`.
  struct HotelsMap: View {
    let model: MapModel
    // The position is set, because an automatic position would follow the badges, which follow the camera.
    @State private var position = MapCameraPosition.rect(.world)

    var body: some View {
      Map(position: $position) {
        ForEach(model.badges) { badge in
          Annotation(badge.title, coordinate: badge.coordinate) {
            ClusterBadge(badge).onTapGesture {
              if let inside = model.position(inside: badge) { withAnimation { position = inside } }
            }
          }
          .annotationTitles(.hidden)
        }
      }
      .onMapCameraChange(frequency: .continuous) { model.show($0) }
      .onGeometryChange(for: CGSize.self) {
        $0.size
      } action: {
        model.size = $0
      }
    }
  }

  extension MapModel {
    /// Creates a model of the hotels.
    convenience init(_ hotels: ClusterMap<Hotel>) {
      var texts = BadgeTexts(hotels, title: { $0.name })
      texts.clusterTitle = "{count} hotels"
      self.init(hotels.tree, cut: .badges(), texts: texts)
    }
  }
#endif
