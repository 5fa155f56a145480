// swift-tools-version: 6.1

import PackageDescription

// Compiles the code for Apple's platforms, and runs its tests, on systems without Apple's frameworks: against stubs of
// the few declarations that are used. It is a separate package, so that a stub never meets a real framework.
//
// To use another declaration of Apple's, add its stub to the file of its framework in `Stubs`, with a link to its
// documentation and exactly the signature there. Mark what only tests need as belonging to the stub. Avoid `@objc`,
// which Linux does not compile: use, for example, `MKPointAnnotation`, whose coordinate is observable, or
// `UIUpdateLink`. Code under a condition that does not hold with the stubs fails `scripts/check/mapkit`, since nothing
// would compile it.
#if !os(Linux)
  fatalError("There are real frameworks here; run the tests of the package treeline")
#endif

/// Declares one of Treeline's own modules, by a link to its sources.
func linked(_ name: String, _ dependencies: Target.Dependency...) -> Target {
  .target(name: name, dependencies: dependencies, path: "Sources/\(name)", exclude: excluded[name] ?? [])
}

let excluded = ["Treeline": ["Treeline.docc"]]

/// Declares a stub in Swift 5, whose closures behave as in Objective-C frameworks: a closure of the main actor
/// traps when it is called on another thread.
func stub(_ name: String, _ dependencies: Target.Dependency...) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Stubs/\(name)", swiftSettings: [.swiftLanguageMode(.v5)])
}

let package = Package(
  name: "apple-stubs",
  targets: [
    stub("CoreLocation"),
    stub("UIKit"),
    stub("AppKit"),
    stub("SwiftUI"),
    stub("MapKit", "CoreLocation", "UIKit", "SwiftUI"),
    stub("MapLibre", "CoreLocation", "UIKit"),

    .systemLibrary(name: "CPrefetch", path: "Sources/CPrefetch"),
    linked("Treeline", "CPrefetch", "CoreLocation"),
    linked("TreelineBuilder", "Treeline", "CPrefetch"),
    linked("TreelineMap", "Treeline"),
    linked("TreelineMapKit", "Treeline", "TreelineMap", "MapKit", "SwiftUI"),
    .target(
      name: "TreelineMapLibre", dependencies: ["Treeline", "TreelineMap", "TreelineMapKit", "MapLibre"],
      path: "Sources/TreelineMapLibre", exclude: ["Package.swift"]),
    .executableTarget(
      name: "HotelsExample",
      dependencies: ["Treeline", "TreelineBuilder", "TreelineMap", "TreelineMapKit", "SwiftUI", "AppKit"],
      path: "Sources/HotelsExample/App"),
    .target(name: "PointSets", path: "PointSets", sources: ["SplitMix64.swift"]),
    .testTarget(
      name: "TreelineMapKitTests",
      dependencies: [
        "PointSets", "Treeline", "TreelineBuilder", "TreelineMap", "TreelineMapKit", "TreelineMapLibre",
        "HotelsExample", "MapKit",
        "SwiftUI", "MapLibre",
      ], path: "TreelineMapKitTests"),
  ],
  swiftLanguageModes: [.v6]
)
