import Foundation
import Treeline

/// Compares a published site with its index.
package struct PageVerifier {
  private let site: URL
  private let manifest: PageManifest
  private let file: FileHandle?

  /// The most bytes of a page before compression. A node of very many points at one position has a long leaf page.
  private static let greatestPageLength = 1 << 36

  package init(site: String) throws {
    self.site = URL(fileURLWithPath: site)
    let path = self.site.appendingPathComponent(PageManifest.fileName)
    let json: Data
    do { json = try Data(contentsOf: path) } catch {
      throw PageError("\(path.path): expected a manifest that 'publish' wrote, found none that can be read")
    }
    do { manifest = try PageManifest(json: json) } catch {
      throw PageError(
        "\(path.path): expected a manifest that 'publish' wrote, found other JSON; publish the index again")
    }
    guard manifest.format == PageManifest.formatName, manifest.version == PageManifest.version else {
      throw PageError(
        "\(path.path): expected \(PageManifest.formatName) of version \(PageManifest.version), found "
          + "\(manifest.format) of version \(manifest.version)")
    }
    let folder = self.site
    file = try manifest.file.map { try FileHandle(forReadingFrom: folder.appendingPathComponent($0)) }
  }

  /// Returns what differs between the site and an index; nil if nothing does.
  package func problem(with tree: ClusterTree, contentHash: UInt64, giveBack: () -> Void = {}) throws -> String? {
    guard let sizes = manifest.sizes.pageSizes, let values = manifest.values.reference else {
      return "\(PageManifest.fileName): expected sizes of pages above 0 and a checksum, found others"
    }
    let expected = PageManifest(
      tree, sizes, contentHash: contentHash, file: manifest.file, values: values, first: Array(manifest.first))
    if manifest != expected {
      return "\(PageManifest.fileName): expected the description of the index, found another; publish it again"
    }
    return try tree.withStorage { storage in
      let pages = try PageTree(storage, sizes: sizes)
      let encoder = PageEncoder(storage: storage, pages: pages)
      do throws(Difference) {
        try compare(pages.first, compressed: Array(manifest.first), encoder, giveBack)
        try compareValues(values, encoder, storage, giveBack)
        return nil
      } catch { return error.description }
    }
  }

  private struct Difference: Error { var description: String }

  private func compare(
    _ page: PagePlan, compressed: [UInt8], _ encoder: PageEncoder, _ giveBack: () -> Void
  ) throws(Difference) {
    let found = try inflated(compressed, name: "the first page")
    try compare(page, found, name: "the first page", encoder, giveBack)
  }

  /// - Parameter expectedChildren: The child pages according to the page above the parent; nil if it names none.
  private func compare(
    _ page: PagePlan, _ found: [UInt8], name: String, expectedChildren: ArraySlice<PageReference>? = nil,
    _ encoder: PageEncoder, _ giveBack: () -> Void
  ) throws(Difference) {
    switch page.content {
    case .leaf:
      let expected: [UInt8]
      do { expected = try encoder.leaf(page) } catch { throw Difference(description: "\(error)") }
      try require(found == expected, name)
    case .upper(_, let children):
      // The places of other pages are the site's own. Everything else follows from the index.
      let pagesAhead = children.map { encoder.pagesAhead(below: $0).count }
      let count = children.count + pagesAhead.reduce(0, +)
      try require(found.count >= PageEncoder.upperHeaderLength + PageReference.byteCount * count, name)
      let references = found.withUnsafeBytes { bytes in
        (0..<count).map {
          PageReference(bytes, at: PageEncoder.upperHeaderLength + PageReference.byteCount * $0)
        }
      }
      var ahead = references[children.count...]
      try require(found == encoder.upper(page, children: Array(references[..<children.count]), ahead: Array(ahead)), name)
      if let expectedChildren { try require(expectedChildren.elementsEqual(references[..<children.count]), name) }
      for (number, child) in children.enumerated() {
        let (bytes, name) = try read(references[number])
        let own = pagesAhead[number] > 0 ? ahead.prefix(pagesAhead[number]) : nil
        ahead = ahead.dropFirst(pagesAhead[number])
        try compare(child, bytes, name: name, expectedChildren: own, encoder, giveBack)
        giveBack()
      }
    }
  }

  private func compareValues(
    _ reference: PageReference, _ encoder: PageEncoder, _ storage: TreeStorage, _ giveBack: () -> Void
  ) throws(Difference) {
    let (directory, name) = try read(reference)
    let size = manifest.sizes.values
    let count = (storage.pointCount + size - 1) / size
    try require(directory.count == 16 + PageReference.byteCount * count, name)
    let references = directory.withUnsafeBytes { bytes in
      (0..<count).map { PageReference(bytes, at: 16 + PageReference.byteCount * $0) }
    }
    try require(directory == encoder.valueDirectory(references, pointsPerPage: size), name)
    for (number, reference) in references.enumerated() {
      let (bytes, name) = try read(reference)
      try require(bytes == encoder.values(number * size..<min((number + 1) * size, storage.pointCount)), name)
      giveBack()
    }
  }

  /// Returns the content of a page, and its name in errors.
  private func read(_ reference: PageReference) throws(Difference) -> (bytes: [UInt8], name: String) {
    let name = manifest.file.map { "\($0), byte \(reference.offset)" } ?? "\(PageFolder.name)/\(reference.fileName)"
    let data: Data?
    if let file {
      data = (try? file.seek(toOffset: reference.offset)).flatMap { try? file.read(upToCount: Int(reference.length)) }
    } else {
      data = try? Data(contentsOf: site.appendingPathComponent("\(PageFolder.name)/\(reference.fileName)"))
    }
    guard let data else {
      throw Difference(description: "\(name): expected a page, found none; publish the index again")
    }
    let bytes = Array(data)
    let checksum = bytes.withUnsafeBytes { XXHash64.hash($0) }
    guard checksum == reference.checksum, bytes.count == Int(reference.length) else {
      throw Difference(
        description: "\(name): expected \(reference.length) bytes of the checksum \(hexadecimal(reference.checksum)), "
          + "found \(bytes.count) bytes of the checksum \(hexadecimal(checksum)); publish the index again")
    }
    return (try inflated(bytes, name: name), name)
  }

  private func inflated(_ bytes: [UInt8], name: String) throws(Difference) -> [UInt8] {
    guard let inflated = PageCompression.inflated(bytes, limit: Self.greatestPageLength) else {
      throw Difference(
        description: "\(name): expected a page compressed by zlib, found other bytes; publish the index again")
    }
    return inflated
  }

  private func require(_ isEqual: Bool, _ name: String) throws(Difference) {
    if !isEqual {
      throw Difference(
        description: "\(name): expected the content of the index, found another; publish the index again")
    }
  }
}

extension PageReference {
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    checksum = bytes.read(at: offset)
    self.offset = bytes.read(at: offset + 8)
    length = bytes.read(at: offset + 16)
  }
}
