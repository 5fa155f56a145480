import PointSets
import Testing
import TreelineBuilder

@_spi(Server) @testable import Treeline

/// Tests a tree of 400,000 points at one position and a few other points. The 400,000 points form a single record, a
/// stack. It is listed page by page and spread around its position.
@Suite struct LargeStackTests {
  /// Number of groups of rows. Each group has a thousand rows.
  private static let groups = 401
  private static let here = Coordinate(longitude: 13.4, latitude: 52.5)

  /// All rows are in the stack, except rows whose numbers are multiples of 1000.
  private static let tree = Result {
    try ClusterTree(
      (0..<groups * 1000).map { row in
        row % 1000 == 0 ? Coordinate(longitude: Double(row) / 4000 - 40, latitude: 10) : here
      }, options: BuildOptions(supporting: .spacing, threads: 1))
  }

  @Test func isOneRecordAndOneCluster() throws {
    let tree = try Self.tree.get()
    let stack = try stack(of: tree)
    #expect(stack.isStack && stack.pointCount == 401 * 999 && stack.rect.isPoint)
    #expect(try tree.children(of: stack.id).isEmpty)
    // The 401 points outside the stack are in buckets of up to 16 points.
    let recordCount = tree.withStorage { $0.nodeCount }
    #expect(recordCount < 401, "\(recordCount) records")
    #expect(try tree.separationZoom(of: stack.id, for: .detail(1)) == nil)
    #expect(try tree.separationZoom(of: stack.id, for: .spacing(1).unclustered(UnclusteredPoints(fromZoom: 3))) == nil)
    for clusters in [
      try tree.clusters(.detail(0), in: PlaneWindow.everything, zoom: 24),
      try tree.clusters(
        .detail(9).unclustered(UnclusteredPoints(leastMembers: .max)), in: PlaneWindow.everything, zoom: 24),
      try tree.clusters(.limit(1_000_000, order: .steepestFirst), in: PlaneWindow.everything),
    ] { #expect(clusters.count == 402 && clusters.count(where: \.isStack) == 1) }
  }

  @Test func pagesAreRowsInTheirOrder() throws {
    let tree = try Self.tree.get()
    let members = tree.members(of: try stack(of: tree))
    let expected = (0..<401_000).filter { $0 % 1000 != 0 }
    #expect(members.count == expected.count)
    for start in stride(from: 0, to: members.count, by: 9_990) {
      #expect(members.dropFirst(start).prefix(100).elementsEqual(expected[start..<start + 100]))
    }
    #expect(members.last == 400_999)
    let index = try #require(try tree.treeIndex(ofRow: 123_456, at: Self.here))
    #expect(tree.row(atTreeIndex: index) == 123_456)
  }

  @Test func spreadPositionsAreApart() throws {
    let spread = StackSpread(count: try stack(of: try Self.tree.get()).pointCount, spacing: 26)
    #expect(spread.count == 401 * 999)
    // Compares each member with the following members on the same turn of the spiral and on the next turn. Each turn
    // has about 2 pi more members than the turn before it.
    for position in [0, 1, 100, 5_000, 250_000, 399_000] {
      for other in position + 1..<min(position + 4_000, spread.count) {
        let (a, b) = (spread[position], spread[other])
        let (x, y) = (a.x - b.x, a.y - b.y)
        #expect(x * x + y * y >= 26 * 26, "\(position) and \(other)")
      }
    }
  }

  private func stack(of tree: ClusterTree) throws -> Cluster {
    let box = BoundingBox(west: 13.3, south: 52.4, east: 13.5, north: 52.6)
    return try #require(try tree.clusters(.limit(10), in: Viewport(box)).first)
  }
}
