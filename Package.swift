// swift-tools-version: 6.1

import PackageDescription

/// LAPACK, which finds eigenvectors on Linux. On other platforms, and without the trait, a formula finds them.
let lapacke = Target.Dependency.target(name: "CLAPACKE", condition: .when(platforms: [.linux], traits: ["LAPACKE"]))

/// Set on platforms with the C library of POSIX, whose files can be mapped, locked and renamed.
let posix = SwiftSetting.define(
  "POSIX",
  .when(platforms: [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS, .linux, .android, .openbsd]))

let package = Package(
  name: "treeline",
  // Int128, in which the builder computes exact moments, came with these systems. watchOS is not supported: offsets
  // into an index need an Int of 64 bits, and Int has 32 bits on arm64_32.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
  products: [
    .library(name: "Treeline", targets: ["Treeline"]),
    .library(name: "TreelineBuilder", targets: ["TreelineBuilder"]),
    .library(name: "TreelineFoundation", targets: ["TreelineFoundation"]),
    .library(name: "TreelineMap", targets: ["TreelineMap"]),
    .library(name: "TreelineMapKit", targets: ["TreelineMapKit"]),
    .library(name: "TreelinePages", targets: ["TreelinePages"]),
    .library(name: "TreelineVerification", targets: ["TreelineVerification"]),
    .library(name: "GridBaseline", targets: ["GridBaseline"]),
    .library(name: "TreelineFormats", targets: ["TreelineFormats"]),
    // These libraries are for the server alone. Their interfaces are not stable for other users.
    .library(name: "TreelineTiles", targets: ["TreelineTiles"]),
    .library(name: "TreelineComparison", targets: ["TreelineComparison"]),
    .executable(name: "treelinemap", targets: ["TreelineCommand"]),
    // This library is for C and languages that call C. Sources/CTreeline/treeline.h declares its functions.
    .library(name: "TreelineC", type: .dynamic, targets: ["TreelineC"]),
  ],
  traits: [
    .trait(
      name: "LAPACKE",
      description: "Takes principal axes from LAPACKE, on Linux. Trees are the same without it, to the byte."),
    .default(enabledTraits: ["LAPACKE"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
  ],
  targets: [
    .target(name: "CLibrary"),
    .target(name: "Treeline", dependencies: ["CLibrary", "CPrefetch"], swiftSettings: [posix]),
    .target(
      name: "TreelineBuilder", dependencies: ["Treeline", lapacke, "CLibrary", "CPrefetch"], swiftSettings: [posix]),
    .target(
      name: "TreelineFoundation",
      dependencies: ["Treeline", "TreelineBuilder", "TreelineFormats", "TreelinePages", "GridBaseline"]),
    .target(name: "TreelineMap", dependencies: ["Treeline"]),
    // Compiled to almost nothing on platforms without MapKit. Tests/AppleStubs compiles the rest.
    .target(name: "TreelineMapKit", dependencies: ["Treeline", "TreelineMap"]),
    .target(name: "TreelineVerification", dependencies: ["Treeline"]),
    .target(
      name: "TreelineC",
      dependencies: [
        "Treeline", "TreelineBuilder", "TreelineFormats", "TreelineVerification", "TreelinePages", "CLibrary",
        "CTreeline",
      ]),
    .target(name: "GridBaseline", dependencies: ["Treeline"]),
    .target(name: "TreelineFormats", dependencies: ["Treeline", "GridBaseline", "CLibrary", "CZlib"]),
    .target(name: "TreelineTiles", dependencies: ["Treeline", "TreelineFormats"]),
    .target(name: "TreelinePages", dependencies: ["Treeline", "TreelineBuilder", "CLibrary", "CZlib"]),
    .target(
      name: "TreelineComparison",
      dependencies: ["Treeline", "GridBaseline"],
      resources: [.embedInCode("Report/HTML/report.css")]),
    .executableTarget(
      name: "TreelineCommand",
      dependencies: [
        "Treeline", "TreelineBuilder", "TreelineVerification", "GridBaseline", "TreelineFormats",
        "TreelineComparison", "TreelineTiles", "TreelinePages", "CSQLite",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      resources: [
        .copy("Resources/land_50m.geojson.gz"), .copy("Resources/land_iceland_10m.geojson.gz"),
        // The map of published folders. scripts/build/map-page makes most of its files.
        .copy("Resources/map"),
      ]),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "Treeline", "TreelineBuilder", "TreelineMap", "TreelineFormats", "PointSets",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    .systemLibrary(name: "CPrefetch"),
    .systemLibrary(name: "CTreeline"),
    .systemLibrary(
      name: "CLAPACKE", pkgConfig: "lapacke", providers: [.apt(["liblapacke-dev"]), .brew(["lapack"])]),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),

    .target(name: "PointSets", dependencies: ["Treeline", "TreelineBuilder"], path: "Tests/PointSets"),
    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .executableTarget(name: "TracedQueries", dependencies: ["Treeline"], path: "Tests/TracedQueries"),
    .testTarget(name: "TreelineTests", dependencies: ["Treeline", "TreelineBuilder", "PointSets", "TestSupport"]),
    .testTarget(
      name: "TreelineBuilderTests",
      dependencies: [
        "Treeline", "TreelineBuilder", "TreelineFormats", "TreelineFoundation", "TreelinePages", "GridBaseline",
        lapacke, "PointSets", "TestSupport",
      ]),
    .testTarget(
      name: "TreelineMapTests",
      dependencies: ["Treeline", "TreelineBuilder", "TreelineMap", "PointSets", "TestSupport"]),
    // On a Mac only the tests without map views run. On Linux, Tests/AppleStubs runs all of them against stubs.
    .testTarget(
      name: "TreelineMapKitTests",
      dependencies: ["Treeline", "TreelineBuilder", "TreelineMap", "TreelineMapKit", "PointSets"]),
    .testTarget(
      name: "GridBaselineTests",
      dependencies: ["Treeline", "TreelineBuilder", "GridBaseline", "PointSets", "TestSupport"]),
    .testTarget(
      name: "TreelineFormatsTests",
      dependencies: ["Treeline", "TreelineBuilder", "TreelineFormats", "GridBaseline", "PointSets", "TestSupport"]),
    .testTarget(
      name: "TreelineTilesTests",
      dependencies: ["Treeline", "TreelineBuilder", "TreelineTiles", "CZlib", "PointSets", "TestSupport"]),
    .testTarget(
      name: "TreelinePagesTests",
      dependencies: ["Treeline", "TreelineBuilder", "TreelinePages", "TreelineCommand", "PointSets", "TestSupport"]),
    .testTarget(
      name: "TreelineComparisonTests",
      dependencies: ["Treeline", "TreelineBuilder", "GridBaseline", "TreelineComparison", "PointSets", "TestSupport"]),
    .testTarget(
      name: "TreelineCommandTests",
      dependencies: [
        "Treeline", "TreelineBuilder", "TreelineFormats", "TreelineCommand", "PointSets", "TestSupport",
      ]),
    .testTarget(
      name: "TreelineIndexTests",
      dependencies: [
        "Treeline", "TreelineBuilder", "TreelineVerification", "TreelineFormats", "TreelinePages", "TreelineCommand",
        "PointSets", "TestSupport",
      ]),
    .testTarget(
      name: "PerformanceCountTests",
      dependencies: ["Treeline", "TreelineBuilder", "Benchmarks", "TracedQueries", "TestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

// Tests compile in a fraction of the time without optimization, also in optimized builds of the code that they test.
// But where tests compute for long, optimized tests save more time than their compilation takes.
let hasManyTrials = ["full", "thorough"].contains(Context.environment["TREELINE_TRIALS"])
let computingTests =
  ["TreelineTests", "TreelineBuilderTests", "PerformanceCountTests"] + (hasManyTrials ? ["TreelineIndexTests"] : [])
for target in package.targets where target.type == .test && !computingTests.contains(target.name) {
  target.swiftSettings = [.unsafeFlags(["-Onone", "-no-whole-module-optimization", "-enable-batch-mode"])]
}

// scripts/test --filter and --module set this to names of modules, so that only the tests of these modules are built
// and linked.
if let modules = Context.environment["TREELINE_TESTED_MODULES"]?.split(separator: " ") {
  package.targets.removeAll { $0.type == .test && !modules.contains($0.name.dropLast("Tests".count)) }
}
