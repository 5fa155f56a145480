// swift-tools-version: 6.1

import PackageDescription

// Compiles the code for Apple's platforms on systems without Apple's frameworks, and runs its tests there. Stubs
// declare the few parts of the frameworks that are used. This package is separate, so that a stub never meets a real
// framework.
//
// To use another declaration of Apple's, add its stub to the file of its framework in `Stubs`. The stub needs a link
// to Apple's documentation, and exactly the signature that is given there. If only tests need something, mark it as
// existing only in the stub. Avoid `@objc`, which Linux does not compile: use, for example, `MKPointAnnotation`, whose
// coordinate is observable, or `UIUpdateLink`. Code under a condition that is false with the stubs fails
// `scripts/check/mapkit`, because nothing would compile it.
#if !os(Linux)
  fatalError("There are real frameworks here; run the tests of the package treeline")
#endif

/// Declares one of Treeline's own modules. Its folder is a link to the module's sources.
func linked(_ name: String, _ dependencies: Target.Dependency...) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(name)", exclude: excluded[name] ?? [],
    swiftSettings: [.define("POSIX")])
}

let excluded = Dictionary(
  uniqueKeysWithValues: ["Treeline", "TreelineBuilder", "TreelineMap", "TreelineMapKit"].map { ($0, ["\($0).docc"]) })

/// Declares a stub, written in Swift 5. Its closures behave as in frameworks in Objective-C: a closure of the main
/// actor traps if it is called on another thread.
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
    linked("CLibrary"),
    linked("Treeline", "CLibrary", "CPrefetch", "CoreLocation"),
    linked("TreelineBuilder", "Treeline", "CLibrary", "CPrefetch"),
    linked("TreelineMap", "Treeline"),
    linked("TreelineMapKit", "Treeline", "TreelineMap", "MapKit", "SwiftUI"),
    .target(
      name: "TreelineMapLibre", dependencies: ["Treeline", "TreelineMap", "TreelineMapKit", "MapLibre"],
      path: "Sources/TreelineMapLibre", exclude: ["Package.swift", "TreelineMapLibre.docc"]),
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
