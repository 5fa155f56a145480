#if canImport(SwiftUI)
  import MapKit
  import SwiftUI
  import Treeline
  import TreelineMapKit

  /// The hotels on SwiftUI's `Map`.
  struct HotelsMap: View {
    @Bindable var model: MapModel

    var body: some View {
      Map(position: $model.position, selection: $model.selection) {
        ForEach(model.badges) { badge in
          Annotation(badge.title, coordinate: badge.coordinate) { ClusterBadge(badge) }.annotationTitles(.hidden)
        }
      }
      .updates(model)
    }
  }

  extension MapModel {
    /// Creates a model of the hotels.
    convenience init(_ hotels: ClusterMap<Hotel>) {
      var texts = BadgeTexts(hotels, title: { $0.name })
      texts.clusterTitle = { cluster, _ in "\(cluster.pointCount.formatted()) hotels" }
      self.init(hotels.tree, cut: .badges(), texts: texts)
    }
  }
#endif
