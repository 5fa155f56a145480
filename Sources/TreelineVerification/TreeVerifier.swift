@_spi(Server) import Treeline

/// Checks every node of a tree against its points.
///
/// The expected content of each node is computed in a pass over its points. No code is shared with the builder.
struct TreeVerifier {
  let storage: TreeStorage
  let growth: Growth
  /// Whether nodes may lie across the seam, where the plane begins and ends. True only if the tree was built by
  /// merging.
  let crossesSeam: Bool
  /// The first level at which nodes with stored children are halved across the longer side of their boxes.
  let principalLevels: Int
  var problems: ProblemList
  var pages: PageUse
  let threads: Int
  var monitor: VerificationMonitor

  /// The record at which the next pair of stored children must begin. Pairs of children are in the order of a walk from
  /// left to right.
  var nextPair = 1
  /// Whether any node that has been checked lies across the seam.
  var isAcrossSeam = false

  mutating func verify() {
    checkRows()
    if let root = storage.root { verify(TreePart.dividing(root, of: storage, threads: threads)) }
    let (pointCount, nodeCount) = (storage.pointCount, storage.nodeCount)
    problems.check(
      nextPair == max(nodeCount, 1), "node records", expected: "\(nextPair), the number of records that the tree uses",
      found: "\(nodeCount)")
    problems.check(
      isAcrossSeam == storage.mergeTraits.contains(.acrossSeam) || problems.isFull, "header, traits of a merged tree",
      expected: "\(isAcrossSeam ? "nodes" : "no nodes") across the seam",
      found: "traits \(storage.mergeTraits.rawValue)")
    problems.check(
      pointCount % 2 == 0 || storage.gap(after: UInt32(pointCount)) == 0, "gap \(pointCount)",
      expected: "0 after the last point", found: "a gap")
  }

  /// The problems in a part of the tree, and the range of its pairs. A pair has the records of both children of a node.
  private struct Found: Sendable {
    let problems: [IndexProblem]
    /// Nil if the part has no stored children.
    let pairs: Range<Int>?
    let isAcrossSeam: Bool
  }

  private mutating func verify(_ parts: [TreePart]) {
    if parts.count == 1 { return verify(parts[0]) }
    nonisolated(unsafe) let (verifier, pages) = (self, pages.divided(among: threads))
    var pointCount = 0
    inOrder(parts.count, threads: threads) { number, thread in
      verifier.found(in: parts[number], pages[thread])
    } then: { number, found in
      let node = parts[number].node
      if let pairs = found.pairs {
        problems.check(
          pairs.lowerBound == nextPair, node.name, expected: Self.pair(nextPair), found: "\(pairs.lowerBound)")
        nextPair = pairs.upperBound
      }
      for problem in found.problems {
        problems.add(problem.location, expected: problem.expected, found: problem.found)
      }
      isAcrossSeam = isAcrossSeam || found.isAcrossSeam
      if parts[number].isWhole {
        pointCount += Int(node.count)
        monitor.tell(pointCount)
      }
    }
  }

  private func found(in part: TreePart, _ pages: PageUse) -> Found {
    var verifier = self
    (verifier.problems, verifier.pages, verifier.isAcrossSeam) = (ProblemList(), pages, false)
    verifier.monitor = VerificationMonitor(stage: monitor.stage, pointCount: monitor.pointCount, report: nil)
    let children = storage.isStored(part.node) ? (try? storage.children(of: part.node)) ?? nil : nil
    let first = children.map { Int($0.left.record) }
    if let first { verifier.nextPair = first }
    verifier.verify(part)
    return Found(
      problems: verifier.problems.problems, pairs: first.map { $0..<max($0, verifier.nextPair) },
      isAcrossSeam: verifier.isAcrossSeam)
  }

  private mutating func verify(_ part: TreePart) {
    var stack = [part.node]
    while let node = stack.popLast(), !problems.isFull {
      pages.note(node)
      if !storage.isStored(node) && node.depthInBucket == 0 { checkEnd(ofBucket: node) }
      do throws(IndexError) {
        guard let children = try storage.children(of: node) else {
          checkUnsplit(node)
          monitor.tell(Int(node.first &+ node.count))
          continue
        }
        if let groups = storage.groups, node.first < groups.clusteredCount, storage.isAboveClusters(node) {
          checkAboveGroups(node, children, groups)
        } else {
          check(node, children)
        }
        if part.isWhole { stack += [children.right, children.left] }
      } catch { add(error, at: node) }
    }
  }

  private static func pair(_ number: Int) -> String { "children at record \(number), the next record in tree order" }

  /// Adds a problem: the records below a node contradict the node. Such records are not checked any further.
  private func add(_ error: IndexError, at node: Node) {
    guard case .damagedNode(_, let record, let offset, let expected, let found) = error else {
      return problems.add(node.name, expected: "an undamaged record", found: "\(error)")
    }
    problems.add("\(node.name), record \(record) at byte \(offset)", expected: expected, found: found)
  }

  private func checkRows() {
    let (rows, indices) = (storage.rows, 0..<storage.pointCount)
    let bytesPerRow = rows.areWide ? 8 : 4
    var (greatest, greatestAllowed) = (0 as UInt64, 0)
    indices.forEachBlock(noting: pages, bytesPerElement: bytesPerRow) { block in
      for index in block {
        (greatest, greatestAllowed) = (max(greatest, rows.rawValue(at: index)), max(greatestAllowed, rows[index]))
      }
    }
    let twice = Duplicates.find(count: indices.count, greatest: UInt64(greatestAllowed)) { body in
      indices.forEachBlock(noting: pages, bytesPerElement: bytesPerRow) {
        for index in $0 { body(UInt64(rows[index])) }
      }
    }
    for row in twice { problems.add("rows", expected: "each row number once", found: "row \(row) again") }
    guard rows.areWide else { return }
    problems.check(
      UInt64(UInt32.max) + 1...UInt64(StoredRows.greatest) ~= greatest, "wide rows",
      expected: "a greatest row number from 2^32 to 2^53", found: "\(greatest)")
  }

  /// Returns the points of a node, which are read one block at a time.
  private func members(of node: Node) -> PointBlocks { PointBlocks(storage.members(of: node), pages) }
}

// MARK: - Groups

extension TreeVerifier {
  /// Checks a node that joins the trees of several groups. Each child must have half of the node's groups. The node's
  /// box must be the box around its points and must not cross the seam. The node's sums must be the sums of its points.
  private mutating func checkAboveGroups(
    _ node: Node, _ children: (left: Node, right: Node), _ groups: TreeGroups
  ) {
    let facts = NodeFacts(of: members(of: node), shorterWayAround: false)
    problems.check(
      storage.box(of: node) == facts.box, node.name, expected: "the box \(facts.box) around the node's points",
      found: "\(storage.box(of: node))")
    let starts = groups.parts.map(\.lowerBound).filter { node.range.contains(Int($0)) }
    let isHalved = starts.count > 1 && starts[0] == node.first && starts[(starts.count + 1) / 2] == children.right.first
    problems.check(
      isHalved, node.name, expected: "half of the node's groups in each child",
      found: "a right child that begins at point \(children.right.first); the groups of the node begin at \(starts)")
    checkRecord(of: node, children, facts)
  }
}

// MARK: - Nodes with children

extension TreeVerifier {
  private mutating func check(_ node: Node, _ children: (left: Node, right: Node)) {
    let isMerged = growth.mergeMetric != nil
    let mayCrossSeam = crossesSeam && growth.mergeMetric?.keepsApart ?? false
    let facts = NodeFacts(of: members(of: node), shorterWayAround: mayCrossSeam)
    problems.check(
      !facts.box.isPoint, node.name, expected: "a stack, because all points share one position", found: "two parts")
    problems.check(
      storage.box(of: node) == facts.box, node.name, expected: "the box \(facts.box) around the node's points",
      found: "\(storage.box(of: node))")
    let isStored = storage.isStored(node)
    if isStored {
      checkRecord(of: node, children, facts)
      problems.check(
        node.count > NodeRecord.bucketCapacity, node.name,
        expected: "a bucket, because the node has only \(node.count) points", found: "stored children")
    }
    if isMerged {
      isAcrossSeam = isAcrossSeam || facts.box.isAcrossSeam
    } else if isStored && node.level >= principalLevels {
      checkHalves(node, children, facts.box)
    } else {
      checkSides(node, children, facts)
    }
  }

  private mutating func checkRecord(of node: Node, _ children: (left: Node, right: Node), _ facts: NodeFacts) {
    problems.check(
      Int(children.left.record) == nextPair, node.name,
      expected: Self.pair(nextPair), found: "\(children.left.record)")
    nextPair += 2
    let pair = NodeSums.index(ofLeftChild: Int(children.left.record))
    let (sums, spread) = (storage.sums[pair], storage.spreads[pair])
    problems.check(
      sums.x == facts.sums.x && sums.y == facts.sums.y, node.name, expected: "sums (\(facts.sums.x), \(facts.sums.y))",
      found: "(\(sums.x), \(sums.y))")
    problems.check(
      facts.agrees(with: spread), node.name,
      expected: "covariances (\(facts.spread.xx), \(facts.spread.xy), \(facts.spread.yy))",
      found: "(\(spread.xx), \(spread.xy), \(spread.yy))")
  }

  /// Checks that a line across the principal axis separates the children. The left child must be on the side where
  /// dot products with the axis are smaller.
  private func checkSides(_ node: Node, _ children: (left: Node, right: Node), _ facts: NodeFacts) {
    if facts.box.isPoint { return }
    var (left, right) = (-Double.infinity, Double.infinity)
    members(of: children.left).forEach { left = max(left, facts.product($0)) }
    members(of: children.right).forEach { right = min(right, facts.product($0)) }
    let tolerance = facts.tolerance
    func expect(_ product: Double, _ name: String) {
      problems.check(
        left <= right + tolerance && left <= product + tolerance && right >= product - tolerance, node.name,
        expected: "a split along the principal axis at the \(name)",
        found: "the left child up to \(left), the right child from \(right) on")
    }
    guard let splitRule = growth.splitRule else { return }
    switch splitRule.kind {
    case .mean: expect(0, "mean")
    case .gamma: expect(facts.weightedMean(gammaInEighths: splitRule.gammaInEighths), "weighted mean")
    case .leastScatter:
      let leftCount = Int(children.left.count)
      let between = facts.scatterBetween(leftCount)
      let most = facts.mostScatterBetween(above: between)
      // The sums of integers are exact. The rounding errors of all other steps add up to a few units of the 53rd bit.
      problems.check(
        between >= most * (1 - 0x1p-48), node.name,
        expected: "a scatter of at least \(most) between the children, as in the best split along the principal axis",
        found: "\(between)")
      // A builder turns the dividing line again and again, as long as each turn gains at least 1/2048 of the scatter.
      let gain = facts.scatterToGain(leftCount)
      problems.check(
        gain <= between * 0x1p-10, node.name,
        expected:
          "each point in the child with the nearer mean, which adds \(gain) to the scatter between the children",
        found: "a scatter of \(between)")
    }
  }

  /// Checks a node at level `principalLevels` or deeper. Such a node is halved: a line across the middle of the longer
  /// side of its box must separate the children.
  private func checkHalves(_ node: Node, _ children: (left: Node, right: Node), _ box: PlaneRect) {
    let isWide = box.width >= box.height
    let middle = isWide ? box.minX + box.width / 2 : box.minY + box.height / 2
    var (left, right) = (UInt32.min, UInt32.max)
    members(of: children.left).forEach { left = max(left, isWide ? $0.x : $0.y) }
    members(of: children.right).forEach { right = min(right, isWide ? $0.x : $0.y) }
    problems.check(
      left <= middle && right > middle, node.name,
      expected: "one child on each side of \(isWide ? "x" : "y") = \(middle)",
      found: "the left child up to \(left), the right child from \(right) on")
  }
}

// MARK: - Buckets and stacks

extension TreeVerifier {
  /// Checks the gap after the last point of a bucket (a node whose children have no records). The gap has no meaning,
  /// but it must be 0, so that the same points always give the same bytes.
  private func checkEnd(ofBucket node: Node) {
    let last = node.first + node.count - 1
    let gap = storage.gap(after: last)
    problems.check(gap == 0, "gap \(last)", expected: "0 after the last point of a bucket", found: "\(gap)")
  }

  /// Checks a node without children. All its points must share one position, as a stack. If the points have several
  /// positions, the node should have children, so one of its gaps must be wrong. A gap is the number that is stored
  /// between two neighboring points. A node in a bucket has children only if one of its gaps equals its depth in the
  /// bucket.
  private func checkUnsplit(_ node: Node) {
    var split: (treeIndex: Int, level: UInt8)?
    var isStack = true
    let position = storage.points[node.range.lowerBound]
    forEachBlock(of: node.range) { block in
      for index in block {
        isStack = isStack && storage.points[index] == position
        if index + 1 == node.range.upperBound { continue }
        let level = storage.gap(after: UInt32(index))
        if level < split?.level ?? Gap.none { split = (index, level) }
      }
    }
    if let split, !isStack {
      problems.add(
        "gap \(split.treeIndex)", expected: "level \(node.depthInBucket) below its bucket", found: "\(split.level)")
    } else {
      checkStack(node, at: position)
    }
  }

  /// Checks that all points of a node without children share one position, and are in the order of their rows.
  private func checkStack(_ node: Node, at position: PlanePoint) {
    forEachBlock(of: node.range) { block in
      for index in block where !problems.isFull {
        problems.check(
          storage.points[index] == position, "point \(index)", expected: "the position \(position) of the stack",
          found: "\(storage.points[index])")
        if index + 1 == node.range.upperBound { continue }
        problems.check(
          storage.rows[index] < storage.rows[index + 1], "point \(index + 1)",
          expected: "a row number above \(storage.rows[index]), because rows ascend in a stack",
          found: "\(storage.rows[index + 1])")
        let gap = storage.gap(after: UInt32(index))
        problems.check(gap == Gap.none, "gap \(index)", expected: "\(Gap.none) within a stack", found: "\(gap)")
      }
    }
    problems.check(
      storage.box(of: node) == PlaneRect(position), node.name, expected: "a box with only one position",
      found: "\(storage.box(of: node))")
  }

  /// Divides the points of a node without children into blocks, and calls `body` with each block. Usually the node is
  /// a single point.
  private func forEachBlock(of range: Range<Int>, _ body: (Range<Int>) -> Void) {
    if range.count <= NodeRecord.bucketCapacity { return body(range) }
    range.forEachBlock(noting: pages, bytesPerElement: 17, body)
  }
}

extension Node { fileprivate var name: String { "node of points \(range)" } }
