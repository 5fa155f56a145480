import Treeline

/// Sizes by which a tree is divided into pages.
package struct PageSizes: Hashable, Sendable {
  /// The greatest number of points of a leaf page. A leaf page of a single node may have more points.
  package var points: Int
  /// Number of points above which the children of a node are in upper pages.
  package var nodePoints: Int
  /// Greatest number of pairs of records in a page, for each level of upper pages. The first page has level 0, its
  /// child pages have level 1, and so on. The last number of the array is used for all further levels.
  package var pairs: [Int]
  /// Number of parts into which the pairs below a page are divided, for each level of upper pages. Each child page gets
  /// one part. Parts with few pairs share a page. The last number of the array is used for all further levels.
  package var parts: [Int]
  /// The number of points of a page of values.
  package var values: Int
  /// Least separation code for which the children of a node are in upper pages, however few points the node has. 0 if
  /// this rule is not used.
  package var leastCode: Int

  func pairs(onLevel level: Int) -> Int { pairs[min(level, pairs.count - 1)] }
  func parts(onLevel level: Int) -> Int { parts[min(level, parts.count - 1)] }
}

/// A record of an upper page.
struct UpperRecord {
  var node: Node
  /// The separation code of the node; 0 if the node is never split, or if the tree has no codes.
  var code: UInt16
  /// The index of the left child's record; the next record is the right child's record. -1 if all nodes below this node
  /// are in leaf pages.
  var left: Int32 = -1
  /// The number of pairs of upper records below the node.
  var pairCount: Int32 = 0
}

/// The plan of a page. A page contains parts of some neighboring subtrees, but not the records of their roots.
final class PagePlan: @unchecked Sendable {
  enum Content {
    /// The points below some nodes.
    case leaf
    /// The pairs of children of all nodes in `expanded`. All other nodes below the roots are in the pages `children`.
    case upper(expanded: Set<Int32>, children: [PagePlan])
  }

  /// Indices of the roots' records, in tree order. The record of the tree's root is in the first page, which has no
  /// roots.
  let roots: [Int32]
  let content: Content
  /// Reference to the page, which the writing thread sets once the page is written.
  var reference = PageReference.none
  /// Reference to the page of the spreads of an upper page, if the spreads are in a separate page. Set before the upper
  /// page is written.
  var spreads = PageReference.none

  init(roots: [Int32], content: Content) { (self.roots, self.content) = (roots, content) }
}

/// All pages of a tree.
///
/// The children of nodes with many points or with great separation codes are in *upper pages*. The first page has the
/// children of the greatest nodes. All other nodes and the points are in *leaf pages*. Neighboring subtrees share
/// pages.
struct PageTree {
  private(set) var records: [UpperRecord] = []
  private(set) var first = PagePlan(roots: [], content: .upper(expanded: [], children: []))
  private let sizes: PageSizes

  init(_ storage: TreeStorage, sizes: PageSizes) throws(IndexError) {
    self.sizes = sizes
    guard let root = storage.root else { return }
    try readRecords(storage, below: root)
    first = upperPage(of: [], from: [0], level: 0)
  }

  /// Whether the children of a node are in an upper page. The node may be a part of a bucket.
  private func isUpper(_ record: UpperRecord, _ storage: TreeStorage) -> Bool {
    storage.isStored(record.node) && Int(record.node.count) > sizes.nodePoints
      || sizes.leastCode > 0 && Int(record.code) >= sizes.leastCode
  }

  private mutating func readRecords(_ storage: TreeStorage, below root: Node) throws(IndexError) {
    records = [UpperRecord(node: root, code: try storage.code(of: root))]
    var next = 0
    while next < records.count {
      if isUpper(records[next], storage), let (left, right) = try storage.children(of: records[next].node) {
        records[next].left = Int32(records.count)
        records.append(UpperRecord(node: left, code: try storage.code(of: left)))
        records.append(UpperRecord(node: right, code: try storage.code(of: right)))
      }
      next += 1
    }
    for index in records.indices.reversed() where records[index].left >= 0 {
      let left = Int(records[index].left)
      records[index].pairCount = 1 + records[left].pairCount + records[left + 1].pairCount
    }
  }

  private func pairCount(_ index: Int32) -> Int { Int(records[Int(index)].pairCount) }
  private func pointCount(_ index: Int32) -> Int { Int(records[Int(index)].node.count) }

  /// - Parameter starts: The nodes below which the page begins: the roots of the page; for the first page, the tree's
  ///   root.
  private func upperPage(of roots: [Int32], from starts: [Int32], level: Int) -> PagePlan {
    let expanded = expanded(below: starts, pairs: sizes.pairs(onLevel: level))
    var outside: [Int32] = []
    for start in starts {
      forEachRecord(below: start, expanded) { index in if !expanded.contains(index) { outside.append(index) } }
    }
    // The pairs below each page are divided into about the same number of parts. So a view needs few pages of each
    // level.
    let pairsBelow = starts.reduce(0) { $0 + pairCount($1) }
    let parts = sizes.parts(onLevel: level)
    let most = max(sizes.pairs(onLevel: level + 1), (pairsBelow + parts - 1) / parts)
    let children = groups(of: outside, pairs: most).map { group in
      group.contains { pairCount($0) > 0 }
        ? upperPage(of: group, from: group, level: level + 1) : PagePlan(roots: group, content: .leaf)
    }
    return PagePlan(roots: roots, content: .upper(expanded: expanded, children: children))
  }

  /// Returns the nodes whose children are in a page. These are the nodes with the greatest separation codes. If the
  /// tree has no codes, these are the nodes with the most points.
  private func expanded(below starts: [Int32], pairs: Int) -> Set<Int32> {
    var waiting = Heap<Waiting>()
    var expanded: Set<Int32> = []
    func wait(_ index: Int32, _ bound: UInt64) {
      let record = records[Int(index)]
      guard record.left >= 0 else { return }
      // A node counts with its own code or its parent's code, whichever is less, so that no node comes before its
      // parent.
      let worth = UInt64(record.code) << 32 | UInt64(record.node.count)
      waiting.insert(Waiting(worth: min(worth, bound), index: index))
    }
    for start in starts { wait(start, .max) }
    while expanded.count < pairs, let next = waiting.popFirst() {
      expanded.insert(next.index)
      let left = records[Int(next.index)].left
      wait(left, next.worth)
      wait(left + 1, next.worth)
    }
    return expanded
  }

  private struct Waiting: Comparable {
    var worth: UInt64
    var index: Int32

    static func < (a: Waiting, b: Waiting) -> Bool { a.worth != b.worth ? a.worth > b.worth : a.index < b.index }
  }

  /// Divides nodes into groups of neighbors, one group for each page. A group without upper records becomes a leaf
  /// page.
  private func groups(of nodes: [Int32], pairs most: Int) -> [[Int32]] {
    var groups: [[Int32]] = []
    var (points, pairs) = (0, 0)
    for node in nodes {
      let (ownPoints, ownPairs) = (pointCount(node), pairCount(node))
      var isNew = groups.isEmpty || pairs + ownPairs > most
      if pairs == 0 && ownPairs == 0 { isNew = isNew || points + ownPoints > sizes.points }
      // If only few points come before upper records, these points share the upper page. Otherwise there would be many
      // small pages.
      if pairs == 0 && ownPairs > 0 { isNew = isNew || points > sizes.points / 2 }
      if pairs > 0 && ownPairs == 0 { isNew = isNew || ownPoints > sizes.points / 2 }
      if isNew {
        groups.append([])
        (points, pairs) = (0, 0)
      }
      groups[groups.count - 1].append(node)
      points += ownPoints
      pairs += ownPairs
    }
    return groups
  }

  /// Calls `body` with the record of a node, and with the records of its page below the node. The order is tree order:
  /// first a left child, then all nodes below the left child, then the right child.
  func forEachRecord(below start: Int32, _ expanded: Set<Int32>, _ body: (Int32) -> Void) {
    var waiting = [start]
    while let index = waiting.popLast() {
      body(index)
      guard expanded.contains(index) else { continue }
      let left = records[Int(index)].left
      waiting.append(left + 1)
      waiting.append(left)
    }
  }

  /// Returns the tree index after the last point of a leaf page.
  func endOfPoints(of page: PagePlan) -> Int { records[Int(page.roots[page.roots.count - 1])].node.range.upperBound }

  /// All pages. Each page comes after its parent page.
  var pages: [PagePlan] {
    var pages: [PagePlan] = []
    var waiting = [first]
    while let page = waiting.popLast() {
      pages.append(page)
      if case .upper(_, let children) = page.content { waiting.append(contentsOf: children.reversed()) }
    }
    return pages
  }
}

extension TreeStorage {
  /// Returns the separation code of a node; 0 if the node is never split, or if the tree has no codes.
  func code(of node: Node) throws(IndexError) -> UInt16 {
    guard let separations, let (_, right) = try children(of: node) else { return 0 }
    return separations[Int(right.first)]
  }
}
