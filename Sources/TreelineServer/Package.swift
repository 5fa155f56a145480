// swift-tools-version: 6.2

import PackageDescription

// The server is a separate package. So the library and the command-line tool can be used without fetching or building
// an HTTP server.
//
// The server needs 25 packages and takes minutes to build. Without the server, a fresh clone fetches only
// swift-argument-parser, as `scripts/check/runtime` proves. The server could also be a trait of the main package, but
// this would have two disadvantages. Every source file of the server would need `#if`. And the main package supports
// Swift 6.1, but its manifest would name packages that need Swift 6.2.
let package = Package(
  // The title of the documentation site is the name of the package.
  name: Context.environment["TREELINE_DOCS"] == nil ? "treeline-server" : "Treeline", platforms: [.macOS(.v15)],
  products: [
    .library(name: "TreelineServer", targets: ["TreelineServer"]),
    .executable(name: "treelinemap-server", targets: ["TreelineServerCommand"]),
  ],
  dependencies: [
    // The server does not use the trait that calls LAPACK. So the server loads no library except the C library. Test
    // builds use the trait, because they share their build folder with the main package. Without the trait, they would
    // rebuild everything.
    .package(
      name: "treeline", path: "../..",
      traits: Context.environment["TREELINE_SHARED_BUILD"] == nil ? [] : [.defaults]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.0"),
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.34.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    // Leaves out Hummingbird's trait for settings from files and the environment, because the trait needs one more
    // package.
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: ["FullFoundation"]),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .target(
      name: "TreelineServer",
      dependencies: [
        .product(name: "Treeline", package: "treeline"), .product(name: "GridBaseline", package: "treeline"),
        .product(name: "TreelineBuilder", package: "treeline"),
        .product(name: "TreelineFormats", package: "treeline"),
        .product(name: "TreelineComparison", package: "treeline"),
        .product(name: "TreelineTiles", package: "treeline"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HummingbirdHTTP2", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "NIOHTTP2", package: "swift-nio-http2"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ], path: ".", exclude: ["README.md", "Tool", "Tests"],
      resources: [.copy("Resources/openapi.json"), .copy("Resources/viewer")]),
    .executableTarget(
      name: "TreelineServerCommand",
      dependencies: [
        "TreelineServer", .product(name: "Treeline", package: "treeline"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
      ], path: "Tool"),
    .testTarget(
      name: "TreelineServerTests",
      dependencies: [
        "TreelineServer", .product(name: "Treeline", package: "treeline"),
        .product(name: "TreelineBuilder", package: "treeline"), .product(name: "TreelineTiles", package: "treeline"),
        .product(name: "Hummingbird", package: "hummingbird"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "Logging", package: "swift-log"),
      ], path: "Tests"),
  ], swiftLanguageModes: [.v6])

// Without optimization, tests compile in a fraction of the time.
for target in package.targets where target.type == .test {
  target.swiftSettings = [.unsafeFlags(["-Onone", "-no-whole-module-optimization", "-enable-batch-mode"])]
}

// Only scripts/build/docs sets this variable, so that users of the server do not fetch the documentation plugin.
if Context.environment["TREELINE_DOCS"] != nil {
  package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
  // The site documents these modules too, although the server does not need them.
  for name in ["TreelineMap", "TreelineVerification"] {
    package.targets[0].dependencies.append(.product(name: name, package: "treeline"))
  }
}
