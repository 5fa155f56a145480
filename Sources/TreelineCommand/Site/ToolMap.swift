import Foundation
import TreelinePages

extension MapPage {
  static let remedy = "run scripts/build/map-page and build the tool again"

  /// The map of the tool; nil if `scripts/build/map-page` did not make its files before the tool was built.
  static var ofTool: MapPage? {
    Bundle.module.url(forResource: "map", withExtension: nil).flatMap { try? MapPage(folder: $0.path) }
  }

  /// Writes the map into a published folder.
  func write(site: String, title: String) throws {
    let folder = URL(fileURLWithPath: site)
    for name in Self.files {
      try Data(bytes(name)).write(to: folder.appendingPathComponent(name), options: .atomic)
    }
    try Data(self.site(title: title)).write(to: folder.appendingPathComponent("index.html"), options: .atomic)
  }
}

extension PageManifest {
  init(json: some Sequence<UInt8>) throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    self = try decoder.decode(PageManifest.self, from: Data(json))
  }
}
