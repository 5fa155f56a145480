#if canImport(SwiftUI) && canImport(MapKit)
  import MapKit
  import SwiftUI

  extension View {
    /// Gives a model the camera of a `Map`, the size of the map, and the user's Reduce Motion setting. Without this
    /// modifier, the model shows no badges.
    ///
    /// ```swift
    /// Map(position: $model.position, selection: $model.selection) { ... }.updates(model)
    /// ```
    public func updates(_ model: MapModel) -> some View { UpdatingMap(content: self, model: model) }
  }

  private struct UpdatingMap<Content: View>: View {
    let content: Content
    let model: MapModel
    @Environment(\.accessibilityReduceMotion) private var reducesMotion

    var body: some View {
      MapReader { proxy in
        content
          .onMapCameraChange(frequency: .continuous) { model.show($0, through: proxy) }
          .onGeometryChange(for: CGSize.self) {
            $0.size
          } action: {
            model.size = $0
          }
          .onChange(of: reducesMotion, initial: true) { model.prefersReducedMotion = reducesMotion }
      }
    }
  }
#endif
