import Foundation
import TreelinePages

extension MapPage {
  static let remedy = "run scripts/build/map-page and build the tool again"

  /// The map that is built into the tool; nil if the tool was built before `scripts/build/map-page` made the files of
  /// the map.
  static var ofTool: MapPage? { folderOfTool.flatMap { try? MapPage(folder: $0) } }

  /// The folder with the files of the map; nil if files are missing.
  static var folderOfTool: String? {
    guard let path = Bundle.module.url(forResource: "map", withExtension: nil)?.path else { return nil }
    return (try? MapPage(folder: path)) == nil ? nil : path
  }
}

extension PageManifest {
  init(json: some Sequence<UInt8>) throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    self = try decoder.decode(PageManifest.self, from: Data(json))
  }
}

extension PageSizes {
  /// - Parameter json: The member `sizes` of a manifest.
  init?(json: String) {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard let sizes = try? decoder.decode(PageSizes.self, from: Data(json.utf8)), sizes.isValid else { return nil }
    self = sizes
  }
}
