import Treeline

/// Compares a published site with its index.
package struct PageVerifier {
  private let site: String
  private let manifest: PageManifest
  private let first: [UInt8]
  private let files = Files()

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
      throw PageError("\(path): expected a manifest that 'publish' wrote, found other data; publish the index again")
    }
    withExtendedLifetime(json) {}
    (self.manifest, self.first) = (manifest, first)
    guard manifest.format == PageManifest.formatName, manifest.version == PageManifest.version else {
      throw PageError(
        "\(path): expected \(PageManifest.formatName) of version \(PageManifest.version), found "
          + "\(manifest.format) of version \(manifest.version)")
    }
  }

  /// Compares the pages of the site with an index. Returns a description of the first difference; nil if there is no
  /// difference.
  ///
  /// - Parameter giveBack: Called from time to time. May return memory pages of the index to the system.
  package func problem(
    with tree: ClusterTree, contentHash: UInt64, giveBack: @escaping @Sendable () -> Void = {}
  ) throws -> String? {
    let sizes = manifest.sizes
    guard sizes.isValid, let values = manifest.values.reference else {
      return "\(PageManifest.fileName): expected valid page sizes and checksums, found invalid values; publish the "
        + "index again"
    }
    let expected = PageManifest(
      tree, sizes, contentHash: contentHash, file: manifest.file, values: manifest.values, spreads: manifest.spreads,
      first: first)
    if manifest != expected {
      return "\(PageManifest.fileName): expected a manifest that matches the index, found a different manifest; "
        + "publish the index again"
    }
    return try tree.withStorage { storage in
      let pages = try PageTree(storage, sizes: sizes)
      let encoder = PageEncoder(storage: storage, pages: pages, giveBack: giveBack)
      do throws(Difference) {
        pages.first.spreads = manifest.spreads?.reference ?? .none
        let name = "the first page"
        try compareOwner(pages.first, try inflated(first, name: name), name: name, encoder, giveBack)
        try compareSpreads(pages.first, encoder)
        try compareValues(values, encoder, storage, giveBack)
        return nil
      } catch { return error.description }
    }
  }

  private struct Difference: Error { var description: String }

  /// Compares an upper page with the index. If the page has a listing, then compares all listed pages with the index,
  /// too.
  private func compareOwner(
    _ owner: PagePlan, _ found: [UInt8], name: String, _ encoder: PageEncoder, _ giveBack: () -> Void
  ) throws(Difference) {
    let listed = encoder.pages.listed(below: owner)
    guard !listed.isEmpty else { return try require(found == bytes(owner, encoder), name) }
    // A listing contains the place of each listed page: its file and its offset. The verifier computes the expected
    // page from the index, but takes these places from the site.
    let (count, places) = found.withUnsafeBytes { encoder.listedPlaces(in: $0) }
    guard let places else { return try require(false, name) }
    var (pages, spreads) = (places.prefix(count), places.dropFirst(count))
    for (page, _) in listed {
      guard page.isLeaf else {
        page.reference = pages.popFirst() ?? .none
        page.spreads = spreads.popFirst() ?? .none
        continue
      }
      let (inner, plans) = try subtree(page, encoder)
      for plan in plans {
        plan.reference = pages.popFirst() ?? .none
        plan.spreads = spreads.popFirst() ?? .none
      }
      page.entries = inner.entries(of: plans)
    }
    try require(found == bytes(owner, encoder, listing: encoder.listing(listed)), name)
    for (page, isOwner) in listed {
      if page.isLeaf {
        let (inner, plans) = try subtree(page, encoder)
        for (plan, entry) in zip(plans, page.entries) {
          (plan.reference, plan.spreads) = (entry.page, entry.spreads)
          try compare(plan, inner)
        }
        page.entries = []
        giveBack()
      } else if isOwner {
        let (bytes, name) = try read(page.reference)
        try compareOwner(page, bytes, name: name, encoder, giveBack)
        try compareSpreads(page, encoder)
      } else {
        try compare(page, encoder)
      }
    }
  }

  /// Compares a page without a listing.
  private func compare(_ page: PagePlan, _ encoder: PageEncoder) throws(Difference) {
    let (found, name) = try read(page.reference)
    try require(found == bytes(page, encoder), name)
    try compareSpreads(page, encoder)
  }

  private func compareSpreads(_ page: PagePlan, _ encoder: PageEncoder) throws(Difference) {
    guard !page.isLeaf, encoder.hasSpreadPages else { return }
    let (found, name) = try read(page.spreads)
    try require(found == encoder.spreads(page), name)
  }

  private func bytes(
    _ page: PagePlan, _ encoder: PageEncoder, listing: [PageEntry] = []
  ) throws(Difference) -> [UInt8] {
    do { return try encoder.bytes(page, listing: listing) } catch { throw Difference(description: "\(error)") }
  }

  private func subtree(
    _ page: PagePlan, _ encoder: PageEncoder
  ) throws(Difference) -> (PageEncoder, [PagePlan]) {
    do { return try encoder.subtree(page) } catch { throw Difference(description: "\(error)") }
  }

  private func compareValues(
    _ reference: PageReference, _ encoder: PageEncoder, _ storage: TreeStorage, _ giveBack: () -> Void
  ) throws(Difference) {
    let (directory, name) = try read(reference)
    let size = manifest.sizes.values
    let count = (storage.pointCount + size - 1) / size
    let places = directory.withUnsafeBytes {
      PageReference.places(count, in: $0, at: PageEncoder.valueDirectoryStart)
    }
    guard let places else { return try require(false, name) }
    try require(directory == encoder.valueDirectory(places, pointsPerPage: size), name)
    for (number, place) in places.enumerated() {
      let (bytes, name) = try read(place)
      try require(bytes == encoder.values(number * size..<min((number + 1) * size, storage.pointCount)), name)
      giveBack()
    }
  }

  /// Returns the content of a page, and the name of the page for error messages.
  private func read(_ reference: PageReference) throws(Difference) -> (bytes: [UInt8], name: String) {
    let fileName =
      reference.file.map { "\(PageManifest.folderName)/\(PageReference.fileName($0))" } ?? manifest.file ?? ""
    let name = "\(fileName), byte \(reference.offset)"
    let file = try files.file(fileName, in: site)
    defer { withExtendedLifetime(file) {} }
    let (end, isBeyond) = reference.offset.addingReportingOverflow(UInt64(reference.length))
    guard !isBeyond, end <= UInt64(file.bytes.count) else {
      throw Difference(
        description: "\(name): expected a page of \(reference.length) bytes, found a file that ends after "
          + "\(file.bytes.count) bytes; publish the index again")
    }
    guard reference.file == nil || Int(reference.fileLength) == file.bytes.count else {
      throw Difference(
        description: "\(name): expected the length \(file.bytes.count) in the list of files, found "
          + "\(reference.fileLength); publish the index again")
    }
    return (try inflated(Array(file.bytes[Int(reference.offset)..<Int(end)]), name: name), name)
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
        description: "\(name): expected the same content as in the index, found other content; publish the index again")
    }
  }

  /// The open files that contain pages. The name of a file is the checksum of its bytes. When a file is opened, its
  /// bytes are checked against its name.
  private final class Files {
    /// The greatest number of open files.
    private static let most = 100
    private var files: [String: MappedFile] = [:]

    func file(_ name: String, in site: String) throws(Difference) -> MappedFile {
      if let file = files[name] { return file }
      guard let file = try? MappedFile(path: "\(site)/\(name)") else {
        throw Difference(description: "\(name): expected a file of pages, found no file; publish the index again")
      }
      let expected = String(name.split(separator: "/").last?.prefix { $0 != "." } ?? "")
      let found = hexadecimal(XXHash64.hash(file.bytes))
      guard found == expected else {
        throw Difference(
          description: "\(name): expected bytes with checksum \(expected), found \(file.bytes.count) bytes with "
            + "checksum \(found); publish the index again")
      }
      if files.count >= Self.most { files = [:] }
      files[name] = file
      return file
    }
  }
}
