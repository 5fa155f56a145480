// swift-tools-version: 6.1

import PackageDescription

// This is a separate package, so that users of other maps do not download MapLibre's binary.
let package = Package(
  name: "treeline-maplibre", platforms: [.iOS(.v18)],
  products: [.library(name: "TreelineMapLibre", targets: ["TreelineMapLibre"])],
  dependencies: [
    .package(name: "treeline", path: "../.."),
    .package(url: "https://github.com/maplibre/maplibre-gl-native-distribution", from: "6.0.0"),
  ],
  targets: [
    .target(
      name: "TreelineMapLibre",
      dependencies: [
        .product(name: "Treeline", package: "treeline"), .product(name: "TreelineMap", package: "treeline"),
        .product(name: "TreelineMapKit", package: "treeline"),
        .product(name: "MapLibre", package: "maplibre-gl-native-distribution"),
      ], path: ".", sources: ["MapLibreAdapter.swift"])
  ], swiftLanguageModes: [.v6])
