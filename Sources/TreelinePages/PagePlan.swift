import Treeline

/// Sizes for dividing a tree into pages.
///
/// A large tree is divided twice: first into upper pages and subtrees, and then each subtree into pages. So a writer
/// needs memory only for the upper pages and for a few subtrees at a time. The lists `points`, `nodePoints` and
/// `leastCode` have a number for each of these two divisions. A small tree is divided once, and each of these lists
/// has one number.
package struct PageSizes: Codable, Hashable, Sendable {
  /// If the tree is divided twice, the list has two numbers: the greatest number of points of a subtree, and the
  /// greatest number of points of a leaf page. If the tree is divided once, the list has only the number for leaf
  /// pages. A leaf page with a single root may have more points.
  var points: [Int]
  /// One number for each division of the tree. If a node has more points than this number, the children of the node
  /// are in upper pages.
  var nodePoints: [Int]
  /// One number for each division of the tree. If the separation code of a node is at least this number, the children
  /// of the node are in upper pages, even if the node has few points. 0 if separation codes do not matter.
  var leastCode: [Int]
  /// Greatest number of pairs in a page, for each level of upper pages. A pair consists of the records of the two
  /// children of a node. The first page has level 0, its child pages have level 1, and so on. The last number of the
  /// array is used for all further levels.
  var pairs: [Int]
  /// One divisor for each level of upper pages. If several nodes share a child page, there is a limit for the number
  /// of pairs in this child page and all pages below it. To get the limit, the number of pairs in the parent page and
  /// all pages below it is divided by the divisor. The limit is never less than the number in `pairs` for the level of
  /// the child page. The last divisor of the array is used for all further levels.
  var parts: [Int]
  /// Greatest number of pages in a listing that covers several levels. If even the first two levels together have more
  /// pages, the listing covers only the first level.
  var listed: Int
  /// The number of points in a page of values. The last page may have fewer points.
  var values: Int
  /// Greatest number of bytes in a file of pages. A file may be longer only if it contains a single page.
  var fileBytes: Int

  func pairs(onLevel level: Int) -> Int { pairs[min(level, pairs.count - 1)] }
  func parts(onLevel level: Int) -> Int { parts[min(level, parts.count - 1)] }

  /// The greatest number of points of a leaf page.
  var leafPoints: Int { points[points.count - 1] }
  /// Whether the tree is divided into subtrees.
  var hasSubtrees: Bool { points.count > 1 }

  /// Whether a tree can be divided with these sizes. `PagePublisher` never writes other sizes.
  package var isValid: Bool {
    1...2 ~= points.count && nodePoints.count == points.count && leastCode.count == points.count
      && (points + nodePoints + pairs + [listed, fileBytes]).allSatisfy { 1...1 << 32 ~= $0 }
      && 1..<1 << 32 ~= values && !pairs.isEmpty && !parts.isEmpty && parts.allSatisfy { 2...1 << 32 ~= $0 }
      && leastCode.allSatisfy { $0 >= 0 }
  }
}

/// A record of an upper page.
struct UpperRecord {
  var node: Node
  /// The separation code of the node; 0 if the node is never split, or if the tree has no codes.
  var code: UInt16
  /// The separation code of the node's parent; 0 for the tree's root.
  var parentCode: UInt16
  /// The index of the left child's record; the next record is the right child's record. -1 if all nodes below this node
  /// are in leaf pages.
  var left: Int32 = -1
  /// The number of pairs that are below the node and in upper pages. A pair consists of the records of the two
  /// children of a node.
  var pairCount: Int32 = 0
}

/// The plan of a page. A leaf page contains all nodes below its roots, and an upper page contains only the uppermost
/// of these nodes. The roots are neighbors in tree order. The records of the roots are in the page and in a page above
/// it. So a reader may begin at a page without the pages above it.
final class PagePlan: @unchecked Sendable {
  enum Content {
    /// The page contains all nodes and points below its roots. If the tree is divided twice, a leaf page of the first
    /// division stands for a subtree, and the second division may divide this subtree into several pages.
    case leaf
    /// The page contains the two children of each node in `expanded`. All other nodes below the roots of the page are
    /// in the pages `children` and in the pages below them.
    case upper(expanded: Set<Int32>, children: [PagePlan])
  }

  /// Indices of the records of the page's roots, in tree order. The root of the first page is the tree's root. An empty
  /// tree has no roots.
  let roots: [Int32]
  let content: Content
  /// The level of the page. The first page has level 0, its child pages have level 1, and so on.
  let level: Int
  /// Reference to the page. Set when the page has been written.
  var reference = PageReference.none
  /// For an upper page: reference to the separate page that holds its spreads; `none` if there is no such page.
  var spreads = PageReference.none
  /// For a leaf page of the first (or only) division: the entries for this page in a listing. If the second division
  /// divides the page's subtree into pages, the list has one entry for each of these pages, in preorder. Otherwise the
  /// list has a single entry, for the leaf page itself. Set when all these pages have been written.
  var entries: [PageEntry] = []

  init(roots: [Int32], content: Content, level: Int) {
    (self.roots, self.content, self.level) = (roots, content, level)
  }

  var children: [PagePlan] {
    guard case .upper(_, let children) = content else { return [] }
    return children
  }

  var isLeaf: Bool {
    guard case .leaf = content else { return false }
    return true
  }
}

/// All pages of a tree, or of a subtree.
///
/// The children of nodes with many points or with great separation codes are in *upper pages*. All other nodes and the
/// points are in *leaf pages*. The first page has the children of the nodes with the greatest codes. In a tree without
/// codes, the first page has the children of the nodes with the most points. Neighboring nodes may share a page.
struct PageTree {
  private(set) var records: [UpperRecord] = []
  private(set) var first = PagePlan(roots: [], content: .upper(expanded: [], children: []), level: 0)
  let sizes: PageSizes
  /// Index of this division in the lists of `sizes`: 0 if the whole tree is divided, 1 if a subtree is divided.
  private let division: Int

  init(_ storage: TreeStorage, sizes: PageSizes) throws(IndexError) {
    (self.sizes, division) = (sizes, 0)
    guard let root = storage.root else { return }
    records = [UpperRecord(node: root, code: try storage.code(of: root), parentCode: 0)]
    try readRecords(storage)
    first = upperPage(of: [0], level: 0)
  }

  /// Divides a subtree into pages.
  ///
  /// - Parameters:
  ///   - group: The roots of the subtree, neighbors in tree order.
  ///   - level: The level of the first page.
  init(_ storage: TreeStorage, sizes: PageSizes, below group: [UpperRecord], level: Int) throws(IndexError) {
    (self.sizes, division) = (sizes, 1)
    records = group
    try readRecords(storage)
    first = page(of: group.indices.map { Int32($0) }, level: level)
  }

  /// Whether the children of a node are in an upper page. The node may lie inside a bucket (a small node whose
  /// descendants are not stored).
  private func isUpper(_ record: UpperRecord, _ storage: TreeStorage) -> Bool {
    storage.isStored(record.node) && Int(record.node.count) > sizes.nodePoints[division]
      || sizes.leastCode[division] > 0 && Int(record.code) >= sizes.leastCode[division]
  }

  /// Adds the records of all upper pairs below the first records.
  private mutating func readRecords(_ storage: TreeStorage) throws(IndexError) {
    var next = 0
    while next < records.count {
      if isUpper(records[next], storage), let (left, right) = try storage.children(of: records[next].node) {
        records[next].left = Int32(records.count)
        let parentCode = records[next].code
        records.append(UpperRecord(node: left, code: try storage.code(of: left), parentCode: parentCode))
        records.append(UpperRecord(node: right, code: try storage.code(of: right), parentCode: parentCode))
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

  private func upperPage(of roots: [Int32], level: Int) -> PagePlan {
    let expanded = expanded(below: roots, pairs: sizes.pairs(onLevel: level))
    // If several nodes share a child page, the number of pairs in the child page and all pages below it does not
    // exceed `most`. So a view needs few pages of each level.
    let pairsBelow = roots.reduce(0) { $0 + pairCount($1) }
    let parts = sizes.parts(onLevel: level)
    let most = max(sizes.pairs(onLevel: level + 1), (pairsBelow + parts - 1) / parts)
    let children = groups(below: roots, expanded, pairs: most).map { page(of: $0, level: level + 1) }
    return PagePlan(roots: roots, content: .upper(expanded: expanded, children: children), level: level)
  }

  private func page(of group: [Int32], level: Int) -> PagePlan {
    group.contains { pairCount($0) > 0 }
      ? upperPage(of: group, level: level) : PagePlan(roots: group, content: .leaf, level: level)
  }

  /// Returns the nodes whose children are in a page. These are at most `pairs` nodes: those with the greatest
  /// separation codes or, in a tree without codes, those with the most points.
  private func expanded(below starts: [Int32], pairs: Int) -> Set<Int32> {
    var waiting = Heap<Waiting>()
    var expanded: Set<Int32> = []
    func wait(_ index: Int32, _ bound: UInt64) {
      let record = records[Int(index)]
      guard record.left >= 0 else { return }
      // Nodes with greater worth are expanded first. The worth of a node is limited to the worth of its parent,
      // because no node is expanded before its parent.
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

  /// An upper page ends at the nodes whose children it does not contain. Divides these nodes into groups of neighbors.
  /// The nodes of each group become the roots of one child page. The child page is a leaf page if no records below
  /// these nodes are in upper pages.
  ///
  /// Where possible, a group consists of all nodes below a single node. The nodes of such a group are near each other
  /// on the map, so the box around the group is small.
  private func groups(below starts: [Int32], _ expanded: Set<Int32>, pairs most: Int) -> [[Int32]] {
    let mostPoints = sizes.points[division]
    var nodes: [Int32] = []
    var closed: [Range<Int>] = []
    /// Returns the union of two groups; nil if the union is too large for one page.
    func joined(_ one: Group, _ other: Group) -> Group? {
      let isFit: Bool
      switch (one.pairs > 0, other.pairs > 0) {
      case (false, false): isFit = one.points + other.points <= mostPoints
      // A group that would become a small leaf page may join a neighboring group that becomes an upper page. This
      // avoids many small leaf pages.
      case (false, true): isFit = one.points <= mostPoints / 2
      case (true, false): isFit = other.points <= mostPoints / 2
      case (true, true): isFit = one.pairs + other.pairs <= most
      }
      guard isFit else { return nil }
      return Group(
        range: one.range.lowerBound..<other.range.upperBound, points: one.points + other.points,
        pairs: one.pairs + other.pairs)
    }
    func close(_ group: Group?) { if let group { closed.append(group.range) } }
    var last: Group?
    for start in starts {
      // Visits the children of a node before the node itself. `open` has an entry for each visited node whose parent
      // has not been visited yet. If the page does not contain the children of the visited node, the entry is a group
      // of this node alone. If the page contains the children, the entry is the group of the page's lowest nodes below
      // the visited node. The entry is nil if these nodes did not fit into one group. They are then in several closed
      // groups, which no other nodes can join.
      var waiting = [(index: start, isAfterChildren: false)]
      var open: [Group?] = []
      while let (index, isAfterChildren) = waiting.popLast() {
        if isAfterChildren {
          let (right, left) = (open.removeLast(), open.removeLast())
          if let left, let right, let both = joined(left, right) {
            open.append(both)
          } else {
            close(left)
            close(right)
            open.append(nil)
          }
        } else if expanded.contains(index) {
          let left = records[Int(index)].left
          waiting += [(index, true), (left + 1, false), (left, false)]
        } else {
          open.append(Group(range: nodes.count..<nodes.count + 1, points: pointCount(index), pairs: pairCount(index)))
          nodes.append(index)
        }
      }
      let group = open.removeLast()
      if let before = last, let group, let both = joined(before, group) {
        last = both
      } else {
        close(last)
        last = group
      }
    }
    close(last)
    return closed.sorted { $0.lowerBound < $1.lowerBound }.map { Array(nodes[$0]) }
  }

  /// Neighboring nodes below a page.
  private struct Group {
    var range: Range<Int>
    var points: Int
    var pairs: Int
  }

  /// Returns the records of the roots of a page.
  func rootRecords(of page: PagePlan) -> [UpperRecord] { page.roots.map { records[Int($0)] } }

  /// Returns the nodes that are the roots of a page.
  func nodes(of page: PagePlan) -> [Node] { page.roots.map { records[Int($0)].node } }

  /// Returns the range of the points below the roots of a page.
  func range(of page: PagePlan) -> Range<Int> {
    let nodes = nodes(of: page)
    return Int(nodes[0].first)..<nodes[nodes.count - 1].range.upperBound
  }

  /// All pages in preorder: each page comes after its parent page.
  var pages: [PagePlan] {
    var pages: [PagePlan] = []
    var waiting = [first]
    while let page = waiting.popLast() {
      pages.append(page)
      waiting.append(contentsOf: page.children.reversed())
    }
    return pages
  }

  // MARK: - Listings

  /// Returns the pages in the listing of an upper page, in preorder. The upper page must be a page of the first
  /// division, not a page within a subtree. An *owner* is an upper page that has its own listing. The upper pages on
  /// the last level of a listing are owners.
  func listed(below owner: PagePlan) -> [(page: PagePlan, isOwner: Bool)] {
    let levels = listedLevels(below: owner)
    var listed: [(page: PagePlan, isOwner: Bool)] = []
    var waiting = owner.children.reversed().map { (page: $0, level: 1) }
    while let (page, level) = waiting.popLast() {
      listed.append((page, level == levels && !page.isLeaf))
      if level < levels { waiting += page.children.reversed().map { ($0, level + 1) } }
    }
    return listed
  }

  private func listedLevels(below owner: PagePlan) -> Int {
    var (levels, listed) = (1, 0)
    var level = owner.children
    listed = level.reduce(0) { $0 + weight(of: $1) }
    while true {
      level = level.flatMap(\.children)
      listed += level.reduce(0) { $0 + weight(of: $1) }
      if level.isEmpty || listed > sizes.listed { return levels }
      levels += 1
    }
  }

  /// Returns the approximate number of pages that a page adds to a listing: several if the page stands for a subtree
  /// (see `isSubtree`), otherwise 1.
  private func weight(of page: PagePlan) -> Int {
    isSubtree(page) ? 1 + 4 * range(of: page).count / sizes.leafPoints : 1
  }

  /// Whether a page stands for a subtree that the second division divides into pages. Such a page is a leaf page of
  /// the first division.
  func isSubtree(_ page: PagePlan) -> Bool {
    page.isLeaf && sizes.hasSubtrees && division == 0 && range(of: page).count > sizes.leafPoints
  }
}

extension TreeStorage {
  /// Returns the separation code of a node; 0 if the node is never split, or if the tree has no codes.
  func code(of node: Node) throws(IndexError) -> UInt16 {
    guard let separations, let (_, right) = try children(of: node) else { return 0 }
    return separations[Int(right.first)]
  }
}
