import Foundation
import TreelinePages

/// The map that a published folder and a page of `treelinemap map` contain.
///
/// `scripts/build/map-page` makes its files before the tool is built.
enum MapPage {
  static let remedy = "run scripts/build/map-page and build the tool again"

  /// The files of the map besides the page itself.
  private static let files = ["library.js", "map.js", "map.css", "assets.json.gz"]

  /// Writes the map into a folder. Returns false if the tool was built without it.
  static func write(site: String, title: String) throws -> Bool {
    guard let resources, let page = template("site.html") else { return false }
    let folder = URL(fileURLWithPath: site)
    for name in files {
      try Data(contentsOf: resources.appendingPathComponent(name))
        .write(to: folder.appendingPathComponent(name), options: .atomic)
    }
    let text = filled(page, ["title": escaped(title)])
    try Data(text.utf8).write(to: folder.appendingPathComponent("index.html"), options: .atomic)
    return true
  }

  /// Returns a page that contains an index.
  static func page(_ manifest: PageManifest, pages: [UInt8], title: String) throws -> String {
    guard let resources, let page = template("page.html") else {
      throw Failure.inputOutput("the tool was built without its map; \(remedy)")
    }
    func text(_ name: String) throws -> String {
      // HTML ends a script at `</script`, even inside a JavaScript string.
      try String(contentsOf: resources.appendingPathComponent(name), encoding: .utf8)
        .replacingOccurrences(of: "</script", with: "<\\/script")
    }
    return filled(
      page,
      [
        "title": escaped(title), "library": try text("library.js"), "script": try text("map.js"),
        "assets": try Data(contentsOf: resources.appendingPathComponent("assets.json.gz")).base64EncodedString(),
        "manifest": try manifest.json.base64EncodedString(), "pages": Data(pages).base64EncodedString(),
      ])
  }

  /// The folder of the map's files; nil if they were not made before the tool was built.
  private static var resources: URL? {
    guard let folder = Bundle.module.url(forResource: "map", withExtension: nil) else { return nil }
    let isWhole = files.allSatisfy { FileManager.default.fileExists(atPath: folder.appendingPathComponent($0).path) }
    return isWhole ? folder : nil
  }

  private static func template(_ name: String) -> String? {
    resources.flatMap { try? String(contentsOf: $0.appendingPathComponent(name), encoding: .utf8) }
  }

  /// Replaces names in double braces. A text that replaces a name may contain any braces.
  private static func filled(_ template: String, _ texts: [String: String]) -> String {
    var result = ""
    for (number, piece) in template.components(separatedBy: "{{").enumerated() {
      guard number > 0, let end = piece.range(of: "}}"), let text = texts[String(piece[..<end.lowerBound])] else {
        result += number == 0 ? piece : "{{" + piece
        continue
      }
      result += text + piece[end.upperBound...]
    }
    return result
  }

  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: "\"", with: "&quot;")
  }
}
