import Treeline

/// The map in published folders and in pages that open from disk. The script `scripts/build/bundle_map.py` makes a
/// folder with the files of the map. The tool and the Python package contain this folder.
package struct MapPage {
  /// Greatest length of a page, in bytes. Browsers open longer pages slowly.
  static let greatestLength = 20_000_000

  /// The files of the map, except the HTML templates.
  static let files = ["library.js", "map.js", "map.css", "assets.json.gz"]

  private let folder: String

  /// - Throws: `PageError` if the folder does not contain the whole map.
  package init(folder: String) throws {
    self.folder = folder
    for name in Self.files + ["page.html", "site.html"] { _ = try bytes(name) }
  }

  func bytes(_ name: String) throws -> [UInt8] {
    do {
      let file = try MappedFile(path: "\(folder)/\(name)")
      defer { withExtendedLifetime(file) {} }
      return Array(file.bytes)
    } catch { throw PageError("\(folder): expected the files of a map, found no file '\(name)'") }
  }

  /// Returns the page `index.html` of a published folder.
  func site(title: String) throws -> [UInt8] {
    try filled("site.html", ["title": Array(Self.escaped(title).utf8)])
  }

  /// Returns a page that contains a tree and opens from disk.
  ///
  /// - Parameters:
  ///   - contentHash: The content hash of the tree.
  ///   - title: Title of the page, which replaces the tree's own title.
  ///   - basemap: JSON text with a MapLibre style, or with the address of a style; nil to show the land from the map's
  ///     own files.
  ///   - progress: As in `PagePublisher`.
  /// - Throws: `PageError`
  package func page(
    of tree: ClusterTree, contentHash: UInt64, title: String, basemap: String? = nil,
    giveBack: @escaping @Sendable () -> Void = {}, progress: (Int) -> Void = { _ in }
  ) throws -> [UInt8] {
    let pages = PageMemory()
    var manifest = try PagePublisher(tree, contentHash: contentHash, giveBack: giveBack)
      .write(to: pages, threads: processorCount, progress: progress)
    manifest.title = title
    let page = try filled(
      "page.html",
      [
        "title": Array(Self.escaped(title).utf8), "assets": Base64.bytes(of: bytes("assets.json.gz")),
        "library": Base64.bytes(of: PageCompression.compressed(bytes("library.js"))),
        "script": Self.inline(bytes("map.js")),
        "manifest": Base64.bytes(of: manifest.json), "pages": Base64.bytes(of: pages.bytes),
        "basemap": Base64.bytes(of: (basemap ?? "").utf8),
      ])
    guard page.count <= Self.greatestLength else {
      throw PageError(
        "expected a page of at most \(Self.greatestLength / 1_000_000) MB, found \(page.count / 1_000_000) MB; build "
          + "the index with fewer columns, or publish it as a folder with 'treelinemap publish'")
    }
    return page
  }

  /// Fills in a template: replaces each name in double braces by its text. Double braces within a text stay.
  private func filled(_ template: String, _ texts: [String: [UInt8]]) throws -> [UInt8] {
    var result: [UInt8] = []
    var rest = try bytes(template)[...]
    while let start = Self.range(of: "{{", in: rest), let end = Self.range(of: "}}", in: rest[start.upperBound...]) {
      result += rest[..<start.lowerBound]
      result += texts[String(decoding: rest[start.upperBound..<end.lowerBound], as: UTF8.self)] ?? []
      rest = rest[end.upperBound...]
    }
    return result + rest
  }

  /// Returns a script that can be embedded in HTML. HTML ends a script at `</script`, even inside a JavaScript string.
  /// So `</script` is escaped.
  private static func inline(_ script: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = script[...]
    while let end = range(of: "</script", in: rest) {
      result += rest[..<end.lowerBound] + "<\\/script".utf8
      rest = rest[end.upperBound...]
    }
    return result + rest
  }

  /// Returns the range of the first occurrence of a word.
  private static func range(of word: String, in bytes: ArraySlice<UInt8>) -> Range<Int>? {
    let word = Array(word.utf8)
    return bytes.indices.first { bytes[$0] == word[0] && bytes[$0...].starts(with: word) }
      .map { $0..<$0 + word.count }
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case "\"": escaped += "&quot;"
      default: escaped.append(character)
      }
    }
  }
}
