import Treeline
import TreelineBuilder

/// An error about a published index.
public struct PageError: Error, CustomStringConvertible {
  public var description: String

  package init(_ description: String) { self.description = description }
}

/// Writes an index as one small manifest, and pages that never change. A browser reads the index from these files,
/// without a server.
package struct PagePublisher {
  let tree: ClusterTree
  let contentHash: UInt64
  let sizes: PageSizes
  private let giveBack: () -> Void

  package struct Result: Sendable {
    package var fileCount = 0
    package var pageCount = 0
    package var byteCount: UInt64 = 0
    package var manifestByteCount = 0
    package var upperPages = (count: 0, bytes: UInt64(0))
    package var leafPages = (count: 0, bytes: UInt64(0))
    package var valuePages = (count: 0, bytes: UInt64(0))
  }

  /// - Parameters:
  ///   - contentHash: The content hash of the tree.
  ///   - giveBack: Returns the memory pages of the index to the system. If a part is used later, it is read from the
  ///     file again.
  package init(
    _ tree: ClusterTree, contentHash: UInt64, sizes: PageSizes? = nil, giveBack: @escaping () -> Void = {}
  ) throws {
    guard tree.withStorage(\.groups) == nil else {
      throw PageError("expected an index without groups, found an index with groups; pages cannot contain groups")
    }
    (self.tree, self.contentHash, self.giveBack) = (tree, contentHash, giveBack)
    self.sizes = sizes ?? Self.standardSizes(of: tree)
  }

  /// Returns sizes at which most pages have 16 to 64 KB, and there are not too many files.
  ///
  /// `scripts/measure/pages.mjs` measured these sizes. With larger pages, a view loads more bytes. With smaller pages,
  /// a view sends more requests. With a lower `leastCode`, a view of a dense area needs fewer leaf pages. With fewer
  /// `parts`, there are more levels of pages, and levels are loaded one after another. With more `parts`, a view of the
  /// whole world loads more pages.
  private static func standardSizes(of tree: ClusterTree) -> PageSizes {
    let count = tree.pointCount
    let splits = max(4096, min(count / 8, 1 << 21))
    return PageSizes(
      points: max(4096, count / 9000), nodePoints: max(128, count / 100_000), pairs: [1000, 1200],
      parts: [11, 8, 14], values: max(4096, count / 4096), leastCode: leastCode(of: tree, reachedBy: splits))
  }

  /// Returns the least code for which at most `most` splits have this code or a greater code; 0 if the tree has no
  /// codes.
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

  /// Writes all pages. Each page is written after the pages to which it refers. Returns the manifest, which the caller
  /// must write last.
  ///
  /// - Parameter progress: Called with a number that rises to twice the number of points, because each point is in a
  ///   leaf page and in a page of values.
  package func write(to sink: any PageSink, threads: Int, progress: (Int) -> Void = { _ in }) throws -> (
    manifest: PageManifest, result: Result
  ) {
    try tree.withStorage { storage in
      let pages = try PageTree(storage, sizes: sizes)
      let encoder = PageEncoder(storage: storage, pages: pages)
      giveBack()
      var result = Result()
      let all = pages.pages
      let leaves = all.filter { if case .leaf = $0.content { true } else { false } }
      try inOrderOrFailing(leaves.count, threads: threads) { number in
        PageCompression.compressed(try encoder.leaf(leaves[number]))
      } then: { number, bytes in
        leaves[number].reference = try sink.append(bytes)
        result.leafPages.count += 1
        result.leafPages.bytes += UInt64(bytes.count)
        progress(pages.endOfPoints(of: leaves[number]))
      }
      let ranges = stride(from: 0, to: storage.pointCount, by: sizes.values).map {
        $0..<min($0 + sizes.values, storage.pointCount)
      }
      var values: [PageReference] = []
      try inOrderOrFailing(ranges.count, threads: threads) { number in
        PageCompression.compressed(encoder.values(ranges[number]))
      } then: { number, bytes in
        values.append(try sink.append(bytes))
        result.valuePages.count += 1
        result.valuePages.bytes += UInt64(bytes.count)
        progress(storage.pointCount + ranges[number].upperBound)
      }
      var first: [UInt8] = []
      for page in all.reversed() {
        guard case .upper(_, let children) = page.content else { continue }
        if encoder.hasSpreadPages {
          page.spreads = try sink.append(PageCompression.compressed(encoder.spreads(page)))
        }
        let bytes = PageCompression.compressed(
          encoder.upper(
            page, spreads: page.spreads, children: children.map(\.reference),
            ahead: children.flatMap(encoder.pagesAhead).map(\.reference)))
        result.upperPages.count += 1
        result.upperPages.bytes += UInt64(bytes.count)
        if page === pages.first { first = bytes } else { page.reference = try sink.append(bytes) }
      }
      let valueDirectory = try sink.append(
        PageCompression.compressed(encoder.valueDirectory(values, pointsPerPage: sizes.values)))
      let file = try sink.finish()
      let manifest = PageManifest(
        tree, sizes, contentHash: contentHash, file: file, values: valueDirectory, first: first)
      (result.fileCount, result.byteCount, result.pageCount) = (sink.fileCount, sink.byteCount, all.count)
      result.manifestByteCount = manifest.json.count
      return (manifest, result)
    }
  }

  /// Calls `work` on several threads. Calls `take` with the results on the calling thread, in the order of the numbers.
  /// Returns the memory pages of the index to the system from time to time.
  private func inOrderOrFailing(
    _ count: Int, threads: Int, _ work: @escaping @Sendable (Int) throws -> [UInt8],
    then take: (Int, [UInt8]) throws -> Void
  ) throws {
    var failure: (any Error)?
    inOrder(count, threads: threads) { number, _ in
      Swift.Result { try work(number) }
    } then: { number, bytes in
      guard failure == nil else { return }
      do { try take(number, bytes.get()) } catch { failure = error }
      if number % 64 == 63 { giveBack() }
    }
    giveBack()
    if let failure { throw failure }
  }
}

/// A destination for pages.
package protocol PageSink: AnyObject {
  var fileCount: Int { get }
  var byteCount: UInt64 { get }
  /// Writes a compressed page.
  func append(_ page: [UInt8]) throws -> PageReference
  /// Completes the pages. Returns the name of the single file with all pages; nil if each page is a file.
  func finish() throws -> String?
}

/// Keeps all pages in memory, one after another, as in a single file.
package final class PageMemory: PageSink {
  package private(set) var bytes: [UInt8] = []
  package let fileCount = 1
  package var byteCount: UInt64 { UInt64(bytes.count) }

  package init() {}

  package func append(_ page: [UInt8]) -> PageReference {
    defer { bytes += page }
    return PageReference(
      checksum: page.withUnsafeBytes { XXHash64.hash($0) }, offset: byteCount, length: UInt32(page.count))
  }

  package func finish() -> String? { "index.pages" }
}
