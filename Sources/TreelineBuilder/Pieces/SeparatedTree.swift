import Treeline

/// A tree in a mapped file. From time to time, the memory pages of the file are returned to the system, so that the
/// tree takes little memory.
struct SeparatedTree: Sendable {
  let storage: TreeStorage
  let projection: Plane.Projection
  /// Gives all memory pages back to the system. A page is read again when it is needed.
  let giveBack: @Sendable () -> Void
  /// When about this many bytes of the file are in memory, all memory pages of the file are given back to the system.
  private let pageBytes: Int
  private var touchedBytes = 0
  private var lastRegion = UInt32.max
  private var lastCodePage = UInt32.max

  init(
    _ storage: TreeStorage, _ projection: Plane.Projection, pageBytes: Int = .max,
    giveBack: @escaping @Sendable () -> Void = {}
  ) {
    (self.storage, self.projection, self.giveBack, self.pageBytes) = (storage, projection, giveBack, pageBytes)
  }

  /// When an address of the file is read, the system loads this many bytes around the address into memory.
  private static let regionBytes = 1 << 16
  private static let codePageBytes = 1 << 12

  /// Counts the memory pages that are loaded when a node is read. Must be called for each node whose data are read.
  @inline(__always) mutating func visit(_ node: Node) {
    // A visit adds three regions of the file to the count: one with the node's record, one with its sums, and one with
    // its points. The visit of a small node adds nothing if its record is in the same region as the record of the node
    // that was visited before it. The visit of a large node always adds three regions, because the records and
    // summaries of its children are far away in the file.
    let region = node.record >> 11
    if region == lastRegion && node.count <= 1 << 11 { return }
    lastRegion = region
    touch(3 * Self.regionBytes)
  }

  /// Counts the memory page that contains the code of a node. Must be called for each code that is written.
  @inline(__always) mutating func touch(codeOf number: UInt32) {
    let page = number >> 11
    if page == lastCodePage { return }
    lastCodePage = page
    touch(Self.codePageBytes)
  }

  private mutating func touch(_ byteCount: Int) {
    touchedBytes += byteCount
    if touchedBytes > pageBytes { forget() }
  }

  mutating func forget() {
    giveBack()
    touchedBytes = 0
  }

  /// Chooses a distance such that about `wanted` nodes may be split at this distance or at a greater distance. Only
  /// the shown nodes and the nodes below them are counted.
  ///
  /// - Returns: the squared distance, and the number of nodes that may be split. The number exceeds `wanted` only if
  ///   all these nodes have the same distance.
  mutating func select(_ wanted: Int, of start: ShownNodes) -> (floor: UInt64, count: Int) {
    // `greatest` holds the greatest squared distances that were visited so far, up to `wanted + 1` of them. `least`
    // is the least distance in `greatest`, or 0 while `greatest` holds fewer than `wanted + 1` distances. A node never
    // has a greater distance than its parent. So if the distance of a node is not greater than `least`, the nodes
    // below this node are skipped.
    var (greatest, least) = (Heap<UInt64>(), UInt64(0))
    var count = 0
    forEachNode(below: start) { squaredDistance in
      guard squaredDistance > least else { return false }
      if count > wanted { _ = greatest.popFirst() } else { count += 1 }
      greatest.insert(squaredDistance)
      if count > wanted { least = greatest.first! }
      return true
    }
    if count <= wanted { return (1, count) }
    var equal = 0
    while greatest.first == least {
      _ = greatest.popFirst()
      equal += 1
    }
    // The number of collected distances is `wanted + 1`, which is one too many. So all nodes with the least of these
    // distances are left out.
    if equal <= wanted { return (least + 1, wanted + 1 - equal) }
    // All collected distances are equal, and more nodes may have this distance. So the nodes are visited once more, to
    // count all nodes with this distance.
    (count, equal) = (0, 0)
    var next: UInt64 = 0
    forEachNode(below: start) { squaredDistance in
      if squaredDistance >= least { count += 1 } else { next = max(next, squaredDistance) }
      return squaredDistance >= least
    }
    return (next + 1, count)
  }

  /// Visits the shown nodes and the nodes below them, in tree order. Calls `isWanted` with an upper bound of the
  /// squared distance at which the visited node is split. If `isWanted` returns false, the nodes below the visited
  /// node are skipped.
  private mutating func forEachNode(below start: ShownNodes, _ isWanted: (_ squaredDistance: UInt64) -> Bool) {
    var stack: [(node: Node, limit: UInt64)] = []
    for member in start.nodes where member.isKnown && member.weight > 0 {
      stack.append((member.node, start.squaredDistance))
      while let (node, limit) = stack.popLast() {
        visit(node)
        guard let children = InternalNodeTable.children(of: node, storage) else { continue }
        let own = InternalNode(node, children, at: PlanePoint(x: 0, y: 0), storage, projection).squaredOwnDistance
        let squaredDistance = min(own, limit)
        if squaredDistance > 0, isWanted(squaredDistance) {
          stack.append((children.right, squaredDistance))
          stack.append((children.left, squaredDistance))
        }
      }
    }
  }
}
