#if canImport(SwiftUI)
  import SwiftUI
  import TreelineMapKit

  #if canImport(AppKit)
    import AppKit
  #endif

  @main struct HotelsApp: App {
    var body: some Scene {
      WindowGroup {
        ContentView()
          #if canImport(AppKit) && !targetEnvironment(macCatalyst)
            .onAppear {
              // `swift run` starts the app as a command. Without these calls, its window would stay behind other apps.
              NSApplication.shared.setActivationPolicy(.regular)
              NSApplication.shared.activate()
            }
          #endif
      }
    }
  }

  /// Builds the tree, then shows the map.
  struct ContentView: View {
    @State private var model: MapModel?
    @State private var problem: String?

    var body: some View {
      if let model {
        HotelsMap(model: model).ignoresSafeArea()
      } else if let problem {
        Text(problem)
      } else {
        ProgressView("Building…").task {
          do { model = MapModel(try await Hotel.map(of: Hotel.sample(100_000))) } catch { problem = "\(error)" }
        }
      }
    }
  }
#endif
