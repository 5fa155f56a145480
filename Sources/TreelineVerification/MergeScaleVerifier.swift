import Treeline

/// Checks a tree that was merged by distance or for badges. Its nodes must have been checked before. Checks the
/// positions of clusters, and the merge scales. A merge scale is the distance at which two clusters were merged. Merge
/// scales are stored like separations, as codes of two bytes. Each code stands for a distance.
///
/// First each code is checked alone. Only a node with children has a code other than 0. This code is the greatest of
/// three codes: the codes of the two children, and the code of the distance between the children. In a tree that was
/// grown for badges, the distance is scaled by the badges of the children. Some trees have coarse scales, which are
/// rounded down to a few values (see `MergeTraits.coarseScales`). In these trees, clusters whose scales are rounded to
/// the same value may be merged in any order. So only two rules are checked: a code must be one of the rounded values,
/// and must not be less than a child's code.
///
/// After that, distances between nodes are checked, as in `SeparationVerifier`. Nodes are split in the order of
/// falling codes, from the greatest down to 1. Take one of the codes, and suppose that all nodes with this code or a
/// greater code are split. A node is shown at this code if its parent is split and the node itself is not. No two
/// nodes that are shown at this code may be closer to each other than the distance of this code. So the clusters of
/// every query are far enough apart, for every spacing at every zoom.
///
/// The order in which touching clusters were merged is not checked.
///
/// - Complexity: O(pointCount log pointCount) time on all measured data. Takes memory for the path from the root to a
///   node.
struct MergeScaleVerifier {
  private let storage: TreeStorage
  private let codes: UnsafePointer<UInt16>
  private let projection: Plane.Projection
  private let problems: ProblemList
  private let root: Node
  private let pages: PageUse
  private var neighbours: ShownNeighbours

  /// A node that has not been visited yet.
  private struct Visit {
    let node: Node
    let sibling: Node?
    let depth: Int
    /// The code of the node's parent. When nodes are split in the order of falling codes, the node is first shown at
    /// this code.
    let shownAt: SeparationCode
  }

  /// - Precondition: The tree is sound.
  init(
    _ storage: TreeStorage, below root: Node, _ codes: UnsafePointer<UInt16>, _ projection: Plane.Projection,
    _ problems: ProblemList, _ pages: PageUse
  ) {
    (self.storage, self.codes, self.projection, self.problems) = (storage, codes, projection, problems)
    (self.root, self.pages) = (root, pages)
    neighbours = ShownNeighbours(storage, codes, projection, pages)
  }

  mutating func verify(_ monitor: inout VerificationMonitor) {
    let known = problems.count
    expectZero(root.range.prefix(1))
    var stack = [Visit(node: root, sibling: nil, depth: 0, shownAt: .zero)]
    while let visit = stack.popLast(), !problems.isFull {
      let node = visit.node
      pages.note(node)
      neighbours.visit(atDepth: visit.depth, sibling: visit.sibling)
      let children = children(of: node)
      let code = children.map { self.code(at: $0.right.first) } ?? .zero
      if visit.shownAt > code && problems.count == known { checkDistances(visit) }
      guard let (left, right) = children else {
        expectZero(node.range.dropFirst())
        monitor.tell(node.range.upperBound)
        continue
      }
      checkScale(left, right)
      checkAnchor(of: node, left, right)
      stack.append(Visit(node: right, sibling: left, depth: visit.depth + 1, shownAt: code))
      stack.append(Visit(node: left, sibling: right, depth: visit.depth + 1, shownAt: code))
    }
    guard let anchors = storage.anchors, root.range.upperBound == storage.pointCount else { return }
    for index in storage.pointCount..<8 * ((storage.pointCount + 7) / 8) { expectNoAnchor(at: index, anchors) }
  }

  private func code(at treeIndex: UInt32) -> SeparationCode { SeparationCode(rawValue: codes[Int(treeIndex)]) }

  /// Returns the children of a node. In a sound tree, the children of every node can be read.
  private func children(of node: Node) -> (left: Node, right: Node)? { try! storage.children(of: node) }

  private func code(of node: Node) -> SeparationCode { children(of: node).map { code(at: $0.right.first) } ?? .zero }

  private func squaredDistance(_ a: Node, _ b: Node) -> UInt64 {
    let squaredDistance = projection.squaredMergeDistance(
      a, b, (storage.anchorPosition(of: a), storage.anchorPosition(of: b)), in: storage)
    guard let curve = storage.badgeCurve else { return squaredDistance }
    return BadgeCurve.scaled(squaredDistance, width: curve.width(curve.units(of: a.count), curve.units(of: b.count)))
  }

  /// Returns an upper bound of the squared distance between two nodes whose scaled distance has the code `code`.
  private func squaredReach(of code: SeparationCode) -> UInt64 {
    guard let curve = storage.badgeCurve else { return code.squaredDistance }
    let greatest = curve.units(of: .max)
    let squaredReach = (Double(code.squaredDistance) + 1) * (Double(curve.width(greatest, greatest)) / 1024).squared
    return squaredReach < 0x1p62 ? UInt64(squaredReach) + 1 : 1 << 62
  }

  private func checkScale(_ left: Node, _ right: Node) {
    let (own, parts) = (code(at: right.first), max(code(of: left), code(of: right)))
    if storage.mergeTraits.contains(.coarseScales) {
      problems.check(
        own == own.coarse && own >= parts, "separation \(right.first)",
        expected: "a scale of at least \(parts.rawValue) that is rounded to a coarse step", found: "\(own.rawValue)")
    } else {
      let expected = max(SeparationCode(roundingDown: squaredDistance(left, right)), parts)
      problems.check(
        own == expected, "separation \(right.first)",
        expected: "\(expected.rawValue), the greatest of three scales (left child, right child, distance of both)",
        found: "\(own.rawValue)")
    }
  }

  /// Checks that a node has the position of one of its two children, namely the child whose position is nearer to the
  /// node's mean. In a tree with coarse scales (`MergeTraits.coarseScales`), nothing is checked. In such a tree, many
  /// scales are rounded to the same value, and the clusters with this value are not merged in the order of their
  /// distances.
  private func checkAnchor(of node: Node, _ left: Node, _ right: Node) {
    guard let anchors = storage.anchors, !storage.mergeTraits.contains(.coarseScales) else { return }
    let isRight = storage.meanPosition(of: node).isNearer(
      to: storage.anchorPosition(of: right), than: storage.anchorPosition(of: left),
      isAcrossSeam: storage.box(of: node).isAcrossSeam)
    let found = TreeStorage.bit(of: anchors, at: Int(right.first))
    problems.check(
      found == isRight, "anchor \(right.first)",
      expected: "\(isRight ? 1 : 0), the child nearer to the node's mean (0 means left, 1 means right)",
      found: "\(found ? 1 : 0)")
  }

  /// Checks that the codes, and also the bits of `anchors`, are 0 at the given indices, where no right child begins.
  /// No right child begins at the first point of the tree. In a stack (several points at one position), a right
  /// child can begin only at the first of these points.
  private func expectZero(_ indices: Range<Int>) {
    indices.forEachBlock(noting: pages, bytesPerElement: 2) { block in
      for index in block where !problems.isFull {
        if codes[index] != 0 {
          problems.add("separation \(index)", expected: "0, because no node is split here", found: "\(codes[index])")
        }
        if let anchors = storage.anchors { expectNoAnchor(at: index, anchors) }
      }
    }
  }

  private func expectNoAnchor(at index: Int, _ anchors: UnsafePointer<UInt8>) {
    if TreeStorage.bit(of: anchors, at: index) {
      problems.add("anchor \(index)", expected: "0, because no node is split here", found: "1")
    }
  }

  /// Checks that no other node is too close to a node when the node is first shown.
  private mutating func checkDistances(_ visit: Visit) {
    let (node, code) = (visit.node, visit.shownAt)
    let squaredReach = squaredReach(of: code)
    neighbours.search(near: storage.anchorPosition(of: node), within: squaredReach, at: code) { [self] other in
      let squaredDistance = squaredDistance(node, other)
      problems.check(
        squaredDistance >= code.squaredDistance, "nodes of points \(node.range) and \(other.range)",
        expected: "a squared distance of at least \(code.squaredDistance) between nodes shown at the same scale",
        found: "\(squaredDistance)")
      return problems.isFull ? 0 : squaredReach
    }
  }
}

extension Plane.Projection {
  /// Returns the square of the distance at which two nodes are merged. The distance across the seam (the edge of the
  /// plane) is used if it is shorter, and if the union of the two nodes is less than half a world wide.
  fileprivate func squaredMergeDistance(
    _ a: Node, _ b: Node, _ positions: (PlanePoint, PlanePoint), in storage: TreeStorage
  ) -> UInt64 {
    let plain = Plane.Projection.planar.squaredDistance(positions.0, positions.1)
    let around = squaredDistance(positions.0, positions.1)
    if around == plain { return plain }
    let boxes = (storage.box(of: a), storage.box(of: b))
    // `east` is the box of the node that is farther east on the plane, and `west` is the box of the other node. Each
    // box may itself cross the seam.
    let (east, west) = positions.0.x > positions.1.x ? boxes : (boxes.1, boxes.0)
    let isWide = !east.isAcrossSeam && east.width >= 1 << 31 || !west.isAcrossSeam && west.width >= 1 << 31
    let start = min(UInt64(east.minX), west.isAcrossSeam ? UInt64(west.minX) : .max)
    let end = max(
      1 << 32 + UInt64(west.maxX), east.isAcrossSeam ? 1 << 32 + UInt64(east.maxX) : UInt64(east.maxX))
    return isWide || end - start >= 1 << 31 ? plain : around
  }
}

extension Double {
  fileprivate var squared: Double { self * self }
}
