// swift-tools-version: 6.1

import PackageDescription

// To be opened on a Mac: `swift run` shows the map in a window; Xcode runs the same sources on an iPhone, from an app
// project that they are added to.
let package = Package(
  name: "HotelsExample", platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "treeline", path: "../..")],
  targets: [
    .executableTarget(
      name: "HotelsExample",
      dependencies: [
        .product(name: "Treeline", package: "treeline"), .product(name: "TreelineBuilder", package: "treeline"),
        .product(name: "TreelineMap", package: "treeline"), .product(name: "TreelineMapKit", package: "treeline"),
      ], path: "App")
  ], swiftLanguageModes: [.v6])
