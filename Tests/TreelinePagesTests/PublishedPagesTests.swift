import Foundation
import PointSets
import TestSupport
import Testing
import Treeline
import TreelineBuilder

@testable import TreelineCommand
@testable import TreelinePages

@Suite struct PublishedPagesTests {
  private static let growths: [Growth] = [
    .splitting(.leastScatter), .merging(by: .badges), .merging(by: .distance), .merging(by: .scatter),
  ]

  /// Sizes for which even small trees have subtrees, listings on several levels, and files of several pages.
  private static let small = PageSizes(
    points: [400, 100], nodePoints: [60, 18], leastCode: [50_000, 40_000], pairs: [2, 5, 8], parts: [3, 4], listed: 12,
    values: 150, fileBytes: 3000)
  /// Sizes for which small trees have pages on several levels, but no subtrees.
  private static let undivided = PageSizes(
    points: [100], nodePoints: [18], leastCode: [40_000], pairs: [2, 5, 8], parts: [3, 4], listed: 1, values: 150,
    fileBytes: 1)

  private static func tree(_ set: PointSet, _ growth: Growth) throws -> ClusterTree {
    try ClusterTree(
      set.coordinates, as: set.projection, options: BuildOptions(growth: growth)
    ).withSeparations()
  }

  private static func publish(_ tree: ClusterTree, _ sizes: PageSizes?, threads: Int = 2, _ sink: any PageSink) throws
    -> PageManifest
  {
    try PagePublisher(tree, contentHash: tree.contentHash, sizes: sizes).write(to: sink, threads: threads)
  }

  private static func problem(_ folder: TemporaryFolder, _ tree: ClusterTree) throws -> String? {
    try PageVerifier(site: folder.url.path, PageManifest.init(json:)).problem(with: tree, contentHash: tree.contentHash)
  }

  /// Each set with one of the growths, and each growth with many sets.
  private static let cases = PointSet.nasty.enumerated().map { ($1, growths[$0 % growths.count]) }

  @Test(arguments: cases)
  func publishedPagesEqualTheirIndexAndNoOther(_ set: PointSet, _ growth: Growth) throws {
    let tree = try Self.tree(set, growth)
    let folder = try TemporaryFolder()
    for sizes in [nil, Self.small, Self.undivided] {
      let manifest = try Self.publish(tree, sizes, PageFolder(site: folder.url.path))
      try Data(manifest.json).write(to: folder.url.appendingPathComponent(PageManifest.fileName))
      #expect(try Self.problem(folder, tree) == nil)
    }
    let other = try Self.tree(PointSet("other", [Coordinate(longitude: 1, latitude: 1)]), .merging(by: .badges))
    if other.contentHash != tree.contentHash { #expect(try Self.problem(folder, other) != nil) }
  }

  @Test func aPathWithANULByteIsRefused() throws {
    let folder = try TemporaryFolder()
    #expect(throws: IndexWritingError.self) { try PageFolder(site: folder.url.path + "/site\0x") }
    #expect(try folder.contents() == [])
  }

  @Test func aPageOfAnotherSiteIsNotReplaced() throws {
    let (map, folder) = (try TemporaryFolder(), try TemporaryFolder())
    for name in MapPage.files + ["page.html", "site.html"] { _ = try map.write("{{title}}", to: name) }
    let tree = try Self.tree(PointSet("one", [Coordinate(longitude: 1, latitude: 1)]), .merging(by: .badges))
    var options = PublishOptions()
    (options.map, options.title) = (map.url.path, "Ours")
    let page = try folder.write("mine", to: "index.html")
    for isPublished in [false, true] {
      if isPublished { try tree.publish(to: folder.url.path) }
      let before = try folder.contents()
      #expect(throws: PageError.self) { try tree.publish(to: folder.url.path, options: options) }
      #expect(try folder.contents() == before)
    }
    try FileManager.default.removeItem(atPath: page)
    for _ in 0..<2 { #expect(try tree.publish(to: folder.url.path, options: options).mapByteCount > 0) }
    #expect(try String(contentsOfFile: page, encoding: .utf8) == "Ours")
  }

  @Test func aSingleFileEqualsItsIndexUntilAByteOfItChanges() throws {
    let tree = try Self.tree(PointSet.nasty.max { $0.coordinates.count < $1.coordinates.count }!, .merging(by: .badges))
    let folder = try TemporaryFolder()
    let manifest = try Self.publish(tree, Self.small, PageFile(site: folder.url.path))
    try Data(manifest.json).write(to: folder.url.appendingPathComponent(PageManifest.fileName))
    #expect(try Self.problem(folder, tree) == nil)
    let file = folder.url.appendingPathComponent(try #require(manifest.file))
    var bytes = try Data(contentsOf: file)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: file)
    let problem = try #require(try Self.problem(folder, tree))
    #expect(problem.contains("checksum") && problem.contains(file.lastPathComponent))
  }

  @Test func subtreesAreDividedAgainAndPagesShareFiles() throws {
    let tree = try Self.tree(.uniformWorld(3000, seed: 5), .merging(by: .badges))
    let folder = try TemporaryFolder()
    let pages = try PageFolder(site: folder.url.path)
    _ = try Self.publish(tree, Self.small, pages)
    let pageCount = try tree.withStorage { storage in
      let plan = try PageTree(storage, sizes: Self.small)
      let leaves = plan.pages.filter(\.isLeaf)
      let encoder = PageEncoder(storage: storage, pages: plan, giveBack: {})
      let parts = try leaves.flatMap { try encoder.subtree($0).1 }
      #expect(leaves.count < parts.filter(\.isLeaf).count)
      return plan.pages.count - leaves.count + parts.count
    }
    #expect(pages.fileCount < pageCount)
    var alone = Self.small
    alone.fileBytes = 1
    let others = try PageFolder(site: folder.path("others"))
    _ = try Self.publish(tree, alone, others)
    #expect(others.fileCount > pageCount)
  }

  @Test func theNarrowestBoxAroundBoxesMayLieAcrossTheSeam() {
    func around(_ sides: [(UInt32, UInt32)]) -> [UInt32] {
      let box = PlaneRect(around: sides.map { PlaneRect(minX: $0.0, minY: 5, maxX: $0.1, maxY: 9) })
      return [box.minX, box.maxX]
    }
    #expect(around([(10, 20)]) == [10, 20])
    #expect(around([(10, 20), (30, 40)]) == [10, 40])
    #expect(around([(10, 20), (.max - 10, .max - 5)]) == [.max - 10, 20])
    #expect(around([(.max - 10, 3), (1, 20)]) == [.max - 10, 20])
    #expect(around([(.max, 0), (1 << 31, 1 << 31)]) == [1 << 31, 0])
    #expect(around([(0, .max)]) == [0, .max])
    #expect(around([(5, 4), (7, 9)]) == [5, 4])
  }

  @Test(arguments: [0, 1, 99])
  func manifestsOfOtherVersionsAreRefused(_ version: Int) throws {
    let tree = try Self.tree(PointSet.nasty[0], .merging(by: .badges))
    let folder = try TemporaryFolder()
    var manifest = try Self.publish(tree, nil, PageFolder(site: folder.url.path))
    manifest.version = version
    try Data(manifest.json).write(to: folder.url.appendingPathComponent(PageManifest.fileName))
    #expect { try Self.problem(folder, tree) } throws: {
      "\($0)".contains("found treelinemap pages of version \(version)")
    }
  }

  @Test func aMissingPageIsNamed() throws {
    let tree = try Self.tree(PointSet.nasty.max { $0.coordinates.count < $1.coordinates.count }!, .merging(by: .badges))
    let folder = try TemporaryFolder()
    let pages = try PageFolder(site: folder.url.path)
    try Data(Self.publish(tree, Self.small, pages).json).write(
      to: folder.url.appendingPathComponent(PageManifest.fileName))
    let name = try #require(pages.names.first)
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("pages/\(name)"))
    #expect(try #require(try Self.problem(folder, tree)).contains(name))
  }

  @Test func theNumberOfThreadsChangesNothing() throws {
    let tree = try Self.tree(PointSet.nasty.max { $0.coordinates.count < $1.coordinates.count }!, .merging(by: .badges))
    let (one, many) = (PageMemory(), PageMemory())
    #expect(try Self.publish(tree, Self.small, threads: 1, one) == Self.publish(tree, Self.small, threads: 4, many))
    #expect(one.bytes == many.bytes)
  }

  @Test func pagesOfEarlierVersionsAreRemovedOnlyOnRequest() throws {
    let folder = try TemporaryFolder()
    let sets = PointSet.nasty.filter { $0.coordinates.count > 100 }
    _ = try Self.publish(try Self.tree(sets[0], .merging(by: .badges)), nil, PageFolder(site: folder.url.path))
    let old = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path("pages")))
    let pages = try PageFolder(site: folder.url.path)
    _ = try Self.publish(try Self.tree(sets[1], .merging(by: .badges)), nil, pages)
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder.path("pages"))) == old.union(pages.names))
    try SiteFolder(folder.url.path).removePages(except: pages.names, and: nil)
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder.path("pages"))) == pages.names)
  }
}
