import Treeline
import TreelineBuilder

/// An error in publishing an index, or in a published index.
public struct PageError: Error, CustomStringConvertible {
  public var description: String

  init(_ description: String) { self.description = description }
}

/// Writes an index as one small manifest, and pages that never change. A browser reads the index from these files,
/// without a server.
struct PagePublisher {
  let tree: ClusterTree
  let contentHash: UInt64
  let sizes: PageSizes
  private let giveBack: @Sendable () -> Void

  /// - Parameters:
  ///   - contentHash: The content hash of the tree.
  ///   - giveBack: Gives the memory pages of the index back to the system. Memory pages that are used later are read
  ///     from the file again.
  init(
    _ tree: ClusterTree, contentHash: UInt64, sizes: PageSizes? = nil, giveBack: @escaping @Sendable () -> Void = {}
  ) throws {
    guard tree.withStorage(\.groups) == nil else {
      throw PageError("expected an index without groups, found an index with groups; pages cannot contain groups")
    }
    (self.tree, self.contentHash, self.giveBack) = (tree, contentHash, giveBack)
    self.sizes = sizes ?? Self.standardSizes(of: tree)
  }

  /// Returns sizes at which most views load few pages and few bytes.
  ///
  /// These sizes were chosen with `scripts/measure/pages.mjs`. With larger pages, a view loads more bytes. With
  /// smaller pages, a view loads longer listings, because there are more pages to list. Some hosts accept only 20,000
  /// files. So a very large tree gets longer files and longer pages of values. Such a tree has about 8,192 pages of
  /// values.
  private static func standardSizes(of tree: ClusterTree) -> PageSizes {
    let count = tree.pointCount
    let leastCodes = [1 << 18, count / 8].map { leastCode(of: tree, reachedBy: max(4096, $0)) }
    let hasSubtrees = count / 8 > 1 << 18
    return PageSizes(
      points: hasSubtrees ? [1 << 14, 1024] : [1024], nodePoints: hasSubtrees ? [1 << 12, 128] : [128],
      leastCode: hasSubtrees ? leastCodes : [leastCodes[1]], pairs: hasSubtrees ? [128, 300] : [300],
      parts: hasSubtrees ? [20, 20, 10] : [20], listed: 1500, values: max(4096, count / 8192),
      fileBytes: max(1 << 19, count / 500))
  }

  /// Returns the least separation code such that no more than `most` splits have this code or a greater code; 0 if the
  /// tree has no codes.
  private static func leastCode(of tree: ClusterTree, reachedBy most: Int) -> Int {
    tree.withStorage { storage in
      guard let separations = storage.separations else { return 0 }
      var counts = [Int](repeating: 0, count: 1 << 16)
      for index in 0..<storage.pointCount { counts[Int(separations[index])] += 1 }
      var rest = most
      for code in (1..<counts.count).reversed() {
        rest -= counts[code]
        if rest < 0 { return code + 1 }
      }
      return 1
    }
  }

  /// Writes all pages. Each page is written after the pages that it lists. Returns the manifest, which the caller must
  /// write last.
  ///
  /// - Parameter progress: Called with a number that rises to twice the number of points: each point is counted once
  ///   in a leaf page and once in a page of values.
  func write(to sink: any PageSink, threads: Int, progress: (Int) -> Void = { _ in }) throws -> PageManifest {
    try tree.withStorage { storage in
      let pages = try PageTree(storage, sizes: sizes)
      let encoder = PageEncoder(storage: storage, pages: pages, giveBack: giveBack)
      giveBack()
      let files = PageFiles(sink, byteCount: sizes.fileBytes)
      let leaves = pages.pages.filter(\.isLeaf)
      try inOrderOrFailing(leaves.count, threads: threads) { number in
        try SubtreePages(leaves[number], encoder)
      } then: { number, subtree in
        let leaf = leaves[number]
        leaf.entries = subtree.entries
        for (index, page) in subtree.pages.enumerated() {
          try files.append(page.bytes, .tree(level: page.level)) { leaf.entries[index].page = $0 }
          if let spreads = page.spreads {
            try files.append(spreads, .spreads(level: page.level)) { leaf.entries[index].spreads = $0 }
          }
        }
        progress(pages.range(of: leaf).upperBound)
      }
      try files.finish()
      let valueDirectory = try writeValues(encoder, to: files, threads: threads, progress)
      let listing = try writeUpperPages(encoder, to: files)
      let first = PageCompression.compressed(try encoder.bytes(pages.first, listing: listing))
      let spreads =
        encoder.hasSpreadPages ? try sink.append([PageCompression.compressed(encoder.spreads(pages.first))]) : nil
      let file = try sink.finish()
      return PageManifest(
        tree, sizes, contentHash: contentHash, file: file, values: PageManifest.Reference(valueDirectory),
        spreads: spreads.map(PageManifest.Reference.init), first: first)
    }
  }

  /// Writes the pages of values and the directory of these pages. Returns the place of the directory.
  private func writeValues(
    _ encoder: PageEncoder, to files: PageFiles, threads: Int, _ progress: (Int) -> Void
  ) throws -> PageReference {
    let count = encoder.storage.pointCount
    let ranges = stride(from: 0, to: count, by: sizes.values).map { $0..<min($0 + sizes.values, count) }
    // The place of a page is known only when its file is complete.
    var places = [PageReference](repeating: .none, count: ranges.count)
    try inOrderOrFailing(ranges.count, threads: threads) { number in
      PageCompression.compressed(encoder.values(ranges[number]))
    } then: { number, page in
      try files.append(page, .values) { places[number] = $0 }
      progress(count + ranges[number].upperBound)
    }
    try files.finish()
    return try files.sink.append([
      PageCompression.compressed(encoder.valueDirectory(places, pointsPerPage: sizes.values))
    ])
  }

  /// Writes all upper pages of the whole tree except the first page. Returns the listing of the first page.
  private func writeUpperPages(_ encoder: PageEncoder, to files: PageFiles) throws -> [PageEntry] {
    let pages = encoder.pages
    // Pages in arrays, in the order in which a reader finds them. The first array holds the pages that the first page
    // lists. Each further array holds the pages that are listed by the owners in the previous array. An owner is a
    // page that lists other pages. The arrays are handled in reverse order, because a page must be written before the
    // page that lists it.
    var listings: [[(page: PagePlan, isOwner: Bool)]] = []
    var owners = [pages.first]
    while !owners.isEmpty {
      let listed = owners.flatMap(pages.listed)
      listings.append(listed)
      owners = listed.filter(\.isOwner).map(\.page)
    }
    for listed in listings.reversed() {
      for (page, isOwner) in listed where !page.isLeaf {
        let listing = isOwner ? encoder.listing(pages.listed(below: page)) : []
        let bytes = PageCompression.compressed(try encoder.bytes(page, listing: listing))
        try files.append(bytes, .tree(level: page.level)) { page.reference = $0 }
        if encoder.hasSpreadPages {
          let spreads = PageCompression.compressed(encoder.spreads(page))
          try files.append(spreads, .spreads(level: page.level)) { page.spreads = $0 }
        }
      }
      try files.finish()
    }
    return encoder.listing(pages.listed(below: pages.first))
  }

  /// Calls `work` for each number below `count`, on several threads. Calls `take` for each result, on the calling
  /// thread, in the order of the numbers. From time to time, gives the memory pages of the index back to the system.
  /// If `work` or `take` throws, throws the first error at the end.
  private func inOrderOrFailing<Pages: Sendable>(
    _ count: Int, threads: Int, _ work: @escaping @Sendable (Int) throws -> Pages,
    then take: (Int, Pages) throws -> Void
  ) throws {
    var failure: (any Error)?
    inOrder(count, threads: threads) { number, _ in
      Result { try work(number) }
    } then: { number, pages in
      guard failure == nil else { return }
      do { try take(number, pages.get()) } catch { failure = error }
      if number % 64 == 63 { giveBack() }
    }
    giveBack()
    if let failure { throw failure }
  }
}

/// The compressed pages of a subtree, or one compressed leaf page.
private struct SubtreePages: Sendable {
  /// The pages in preorder.
  private(set) var pages: [(bytes: [UInt8], spreads: [UInt8]?, level: Int)] = []
  /// The entries of the pages. The places of the pages are still missing in these entries.
  let entries: [PageEntry]

  init(_ plan: PagePlan, _ whole: PageEncoder) throws(IndexError) {
    let (encoder, plans) = try whole.subtree(plan)
    entries = encoder.entries(of: plans)
    for plan in plans {
      pages.append(
        (
          PageCompression.compressed(try encoder.bytes(plan)),
          encoder.hasSpreadPages && !plan.isLeaf ? PageCompression.compressed(encoder.spreads(plan)) : nil, plan.level
        ))
    }
  }
}

/// Puts pages together into files. The pages of a file are on the same level, in tree order. If a
/// view needs several pages, these are often neighbors in a file, and a browser loads them with one request.
private final class PageFiles {
  enum Kind: Hashable {
    case tree(level: Int)
    case spreads(level: Int)
    case values
  }

  /// A file that is not complete yet. For each page, `set` has a closure that receives the place of the page.
  private struct Open {
    var pages: [[UInt8]] = []
    var byteCount = 0
    var set: [(PageReference) -> Void] = []
  }

  let sink: any PageSink
  private let byteCount: Int
  private var open: [Kind: Open] = [:]
  /// The kinds of open files, in the order in which the files were begun.
  private var kinds: [Kind] = []

  init(_ sink: any PageSink, byteCount: Int) { (self.sink, self.byteCount) = (sink, byteCount) }

  /// Adds a page to the open file of its kind. If the page would make the open file too long, writes this file and
  /// begins a new file.
  func append(_ page: [UInt8], _ kind: Kind, then set: @escaping (PageReference) -> Void) throws {
    if let file = open[kind], file.byteCount + page.count > byteCount { try write(kind) }
    if open[kind] == nil { kinds.append(kind) }
    open[kind, default: Open()].pages.append(page)
    open[kind, default: Open()].byteCount += page.count
    open[kind, default: Open()].set.append(set)
  }

  /// Writes all open files.
  func finish() throws { for kind in kinds { try write(kind) } }

  private func write(_ kind: Kind) throws {
    guard let file = open.removeValue(forKey: kind) else { return }
    kinds.removeAll { $0 == kind }
    for (place, set) in zip(try sink.append(file.pages).places(of: file.pages), file.set) { set(place) }
  }
}

/// A destination for pages.
protocol PageSink: AnyObject {
  var fileCount: Int { get }
  var byteCount: UInt64 { get }
  /// Writes compressed pages one after another. In a folder, these pages become one file. Returns one place, which
  /// covers all these pages.
  func append(_ pages: [[UInt8]]) throws -> PageReference
  /// Called after the last page. Returns the name of the single file with all pages; nil if the pages are in a folder.
  func finish() throws -> String?
}

/// Keeps all pages in memory, one after another, as in a single file.
final class PageMemory: PageSink {
  private(set) var bytes: [UInt8] = []
  let fileCount = 1
  var byteCount: UInt64 { UInt64(bytes.count) }

  init() {}

  func append(_ pages: [[UInt8]]) -> PageReference {
    let start = byteCount
    for page in pages { bytes += page }
    return PageReference(file: nil, fileLength: 0, offset: start, length: UInt32(byteCount - start))
  }

  func finish() -> String? { "index.pages" }
}
