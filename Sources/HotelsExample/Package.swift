// swift-tools-version: 6.1

import PackageDescription

// Open this package on a Mac: `swift run` shows the map in a window. To run the sources on an iPhone, add them to an
// app project in Xcode.
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
