import Treeline

/// Checks the merge scales of a sound tree that was merged by distance or for badges, which are kept as its
/// separations, and where its clusters stand.
///
/// First each by itself: only a node with children has a code other than 0, and it is the greatest of that of the
/// distance between its children, which is scaled by their badges where the tree grew for these, and of those of its
/// children. Where scales were rounded to few steps, which children are merged at one step is free; a code only must be
/// one of the steps and not be less than a child's. Then all of them together, as `SeparationVerifier` does: from the
/// greatest code down to 1 the nodes with that code are split, and no two of those shown then are closer than its
/// distance. So every spacing at every zoom keeps its promise.
///
/// Which of several clusters that touch were merged first is not checked.
///
/// - Complexity: O(pointCount) time on all measured data, and some 40 bytes of memory a point.
struct MergeScaleVerifier {
  private let storage: TreeStorage
  private let codes: UnsafePointer<UInt16>
  private let projection: Plane.Projection
  private let problems: ProblemList
  private let root: Node
  private var shown: ShownNodes
  private var monitor: VerificationMonitor

  /// - Precondition: The tree is sound.
  init(
    _ storage: TreeStorage, below root: Node, _ codes: UnsafePointer<UInt16>, _ projection: Plane.Projection,
    _ problems: ProblemList,
    _ progress: VerificationMonitor.Report?
  ) {
    (self.storage, self.codes, self.projection, self.problems) = (storage, codes, projection, problems)
    self.root = root
    shown = ShownNodes(below: root, on: projection)
    monitor = VerificationMonitor(stage: .separations, pointCount: storage.pointCount, report: progress)
  }

  mutating func verify() {
    let known = problems.count
    let nodes = checkEach(below: root)
    guard problems.count == known else { return }
    showAll(nodes, root)
  }

  private func code(at treeIndex: UInt32) -> SeparationCode { SeparationCode(rawValue: codes[Int(treeIndex)]) }

  /// In a sound tree the children of every node can be read.
  private func children(of node: Node) -> (left: Node, right: Node)? { try! storage.children(of: node) }

  private func code(of node: Node) -> SeparationCode { children(of: node).map { code(at: $0.right.first) } ?? .zero }

  private func squaredDistance(_ a: Node, _ b: Node) -> UInt64 {
    let squaredDistance = projection.squaredMergeDistance(
      a, b, (storage.standPosition(of: a), storage.standPosition(of: b)), in: storage)
    guard let curve = storage.badgeCurve else { return squaredDistance }
    return BadgeCurve.scaled(squaredDistance, width: curve.width(curve.units(of: a.count), curve.units(of: b.count)))
  }

  /// The square of how far apart nodes may be whose distance has a code.
  private func squaredReach(of code: SeparationCode) -> UInt64 {
    guard let curve = storage.badgeCurve else { return code.squaredDistance }
    let greatest = curve.units(of: .max)
    let squaredReach = (Double(code.squaredDistance) + 1) * (Double(curve.width(greatest, greatest)) / 1024).squared
    return squaredReach < 0x1p62 ? UInt64(squaredReach) + 1 : 1 << 62
  }

  /// - Returns: all nodes with children.
  private func checkEach(below root: Node) -> [Node] {
    var (nodes, stack) = ([Node](), [root])
    var isSplitAt = [Bool](repeating: false, count: Int(root.count))
    let base = Int(root.first)
    while let node = stack.popLast(), !problems.isFull {
      guard let (left, right) = children(of: node) else { continue }
      nodes.append(node)
      isSplitAt[Int(right.first) - base] = true
      let (own, parts) = (code(at: right.first), max(code(of: left), code(of: right)))
      if storage.mergeTraits.contains(.coarseScales) {
        problems.check(
          own == own.coarse && own >= parts, "separation \(right.first)",
          expected: "one of the few steps, from \(parts.rawValue) on", found: "\(own.rawValue)")
      } else {
        let expected = max(SeparationCode(roundingDown: squaredDistance(left, right)), parts)
        problems.check(
          own == expected, "separation \(right.first)",
          expected: "\(expected.rawValue), the greatest of the distance between its parts and their own",
          found: "\(own.rawValue)")
      }
      checkStand(of: node, left, right)
      stack += [right, left]
    }
    if let stands = storage.stands {
      let end = root.range.upperBound == storage.pointCount ? 8 * ((storage.pointCount + 7) / 8) : root.range.upperBound
      for index in base..<end where TreeStorage.bit(of: stands, at: index) {
        if index < root.range.upperBound && isSplitAt[index - base] { continue }
        problems.add("stand \(index)", expected: "0, where no node is split", found: "1")
      }
    }
    for index in root.range where !isSplitAt[index - base] && codes[index] != 0 {
      problems.add("separation \(index)", expected: "0, where no node is split", found: "\(codes[index])")
    }
    return nodes
  }

  /// A node stands where its part does that is nearer to its mean. What was merged at one of few steps was merged in
  /// another order.
  private func checkStand(of node: Node, _ left: Node, _ right: Node) {
    guard let stands = storage.stands, !storage.mergeTraits.contains(.coarseScales) else { return }
    let isRight = storage.meanPosition(of: node).isNearer(
      to: storage.standPosition(of: right), than: storage.standPosition(of: left),
      isAcrossSeam: storage.box(of: node).isAcrossSeam)
    let found = TreeStorage.bit(of: stands, at: Int(right.first))
    problems.check(
      found == isRight, "stand \(right.first)",
      expected: "\(isRight ? 1 : 0), the part nearer to the mean of all", found: "\(found ? 1 : 0)")
  }

  /// Splits the nodes from the greatest code down. A node that is split at once is never looked at.
  private mutating func showAll(_ nodes: [Node], _ root: Node) {
    shown.insert(root.first, at: storage.standPosition(of: root))
    let known = problems.count
    var (splitCount, newcomers) = (0, [Node]())
    let order = nodes.indices.sorted {
      let (a, b) = (code(of: nodes[$0]), code(of: nodes[$1]))
      // Parents lie before what is below them.
      return a != b ? b < a : $0 < $1
    }
    var start = 0
    var nodesByFirst = [UInt32: Node]()
    while start < order.count {
      let own = code(of: nodes[order[start]])
      if own == .zero { break }
      var end = start
      shown.fit(to: squaredReach(of: own))
      newcomers.removeAll(keepingCapacity: true)
      while end < order.count, code(of: nodes[order[end]]) == own {
        let node = nodes[order[end]]
        let (left, right) = children(of: node)!
        shown.remove(node.first)
        for child in [left, right] {
          shown.insert(child.first, at: storage.standPosition(of: child))
          nodesByFirst[child.first] = child
          if code(of: child) != own { newcomers.append(child) }
        }
        end += 1
      }
      for child in newcomers {
        check(child, own, nodesByFirst)
        if problems.count > known { return }
      }
      splitCount += end - start
      monitor.tell(splitCount)
      start = end
    }
  }

  private func check(_ node: Node, _ code: SeparationCode, _ nodesByFirst: [UInt32: Node]) {
    shown.forEach(near: storage.standPosition(of: node), within: squaredReach(of: code)) { first in
      guard first != node.first, let other = nodesByFirst[first] else { return }
      let squaredDistance = squaredDistance(node, other)
      problems.check(
        squaredDistance >= code.squaredDistance, "nodes of points \(node.range) and \(other.range)",
        expected: "at least \(code.squaredDistance) as the square of their distance, where both are shown",
        found: "\(squaredDistance)")
    }
  }
}

extension Plane.Projection {
  /// The square of the distance at which two nodes are merged: the way around counts where it is the shorter one and
  /// they are less than half a world wide together.
  fileprivate func squaredMergeDistance(
    _ a: Node, _ b: Node, _ positions: (PlanePoint, PlanePoint), in storage: TreeStorage
  ) -> UInt64 {
    let plain = Plane.Projection.planar.squaredDistance(positions.0, positions.1)
    let around = squaredDistance(positions.0, positions.1)
    if around == plain { return plain }
    let boxes = (storage.box(of: a), storage.box(of: b))
    // Both lie on their own side of the seam, or across it.
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
