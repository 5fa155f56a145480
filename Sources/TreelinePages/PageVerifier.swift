import Treeline

/// Compares a published site with its index.
package struct PageVerifier {
  private let site: String
  private let manifest: PageManifest
  private let first: [UInt8]
  private let file: MappedFile?

  /// Greatest length of an uncompressed page. If very many points share one position, their leaf page is long.
  private static let greatestPageLength = 1 << 36

  /// - Parameters:
  ///   - site: The folder of the manifest.
  ///   - decoded: Decodes a manifest.
  package init(site: String, _ decoded: (UnsafeRawBufferPointer) throws -> PageManifest) throws {
    self.site = site
    let path = "\(site)/\(PageManifest.fileName)"
    let json: MappedFile
    do { json = try MappedFile(path: path) } catch {
      throw PageError("\(path): expected a manifest that 'publish' wrote, found no readable file")
    }
    guard let manifest = try? decoded(json.bytes), let first = Base64.decoded(manifest.first) else {
      throw PageError("\(path): expected a manifest that 'publish' wrote, found other JSON; publish the index again")
    }
    withExtendedLifetime(json) {}
    (self.manifest, self.first) = (manifest, first)
    guard manifest.format == PageManifest.formatName, manifest.version == PageManifest.version else {
      throw PageError(
        "\(path): expected \(PageManifest.formatName) of version \(PageManifest.version), found "
          + "\(manifest.format) of version \(manifest.version)")
    }
    file = try manifest.file.map { try MappedFile(path: "\(site)/\($0)") }
  }

  /// Returns a description of the first difference between the site and an index; nil if there is no difference.
  package func problem(with tree: ClusterTree, contentHash: UInt64, giveBack: () -> Void = {}) throws -> String? {
    guard let sizes = manifest.sizes.pageSizes, let values = manifest.values.reference else {
      return "\(PageManifest.fileName): expected page sizes above 0 and a checksum, found invalid values"
    }
    let expected = PageManifest(
      tree, sizes, contentHash: contentHash, file: manifest.file, values: values, first: first)
    if manifest != expected {
      return "\(PageManifest.fileName): expected the description of the index, found another description; publish the "
        + "index again"
    }
    return try tree.withStorage { storage in
      let pages = try PageTree(storage, sizes: sizes)
      let encoder = PageEncoder(storage: storage, pages: pages)
      do throws(Difference) {
        try compare(pages.first, compressed: first, encoder, giveBack)
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

  /// - Parameter expectedChildren: The child pages of this page, as listed in its parent page; nil if the parent page
  ///   does not list them.
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
      // The expected page gets its references to other pages from the site. All other bytes are computed from the
      // index.
      let pagesAhead = children.map { encoder.pagesAhead(below: $0).count }
      let own = encoder.hasSpreadPages ? 1 : 0
      let count = own + children.count + pagesAhead.reduce(0, +)
      try require(found.count >= PageEncoder.upperHeaderLength + PageReference.byteCount * count, name)
      let all = found.withUnsafeBytes { bytes in
        (0..<count).map {
          PageReference(bytes, at: PageEncoder.upperHeaderLength + PageReference.byteCount * $0)
        }
      }
      let references = Array(all[own...])
      var ahead = references[children.count...]
      try require(
        found
          == encoder.upper(
            page, spreads: all.first ?? .none, children: Array(references[..<children.count]), ahead: Array(ahead)),
        name)
      if encoder.hasSpreadPages {
        let (spreads, name) = try read(all[0])
        try require(spreads == encoder.spreads(page), name)
      }
      if let expectedChildren { try require(expectedChildren.elementsEqual(references[..<children.count]), name) }
      for (number, child) in children.enumerated() {
        let (bytes, name) = try read(references[number])
        let named = pagesAhead[number] > 0 ? ahead.prefix(pagesAhead[number]) : nil
        ahead = ahead.dropFirst(pagesAhead[number])
        try compare(child, bytes, name: name, expectedChildren: named, encoder, giveBack)
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

  /// Returns the content of a page, and the name of the page for error messages.
  private func read(_ reference: PageReference) throws(Difference) -> (bytes: [UInt8], name: String) {
    let name =
      manifest.file.map { "\($0), byte \(reference.offset)" } ?? "\(PageManifest.folderName)/\(reference.fileName)"
    guard let bytes = bytes(of: reference) else {
      throw Difference(description: "\(name): expected a page, found no file; publish the index again")
    }
    let checksum = bytes.withUnsafeBytes { XXHash64.hash($0) }
    guard checksum == reference.checksum, bytes.count == Int(reference.length) else {
      throw Difference(
        description: "\(name): expected \(reference.length) bytes with checksum \(hexadecimal(reference.checksum)), "
          + "found \(bytes.count) bytes with checksum \(hexadecimal(checksum)); publish the index again")
    }
    return (try inflated(bytes, name: name), name)
  }

  /// Returns the compressed bytes of a page; nil if there is no file. If the file is too short, returns fewer bytes
  /// than in the reference.
  private func bytes(of reference: PageReference) -> [UInt8]? {
    if let file {
      let start = min(UInt64(file.bytes.count), reference.offset)
      return Array(file.bytes.dropFirst(Int(start)).prefix(Int(reference.length)))
    }
    let path = "\(site)/\(PageManifest.folderName)/\(reference.fileName)"
    guard let page = try? MappedFile(path: path) else { return nil }
    defer { withExtendedLifetime(page) {} }
    return Array(page.bytes)
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
        description: "\(name): expected the content of the index, found other content; publish the index again")
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
