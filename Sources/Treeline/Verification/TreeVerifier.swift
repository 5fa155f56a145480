/// Holds every node of a tree against its points.
///
/// Each stored node is recomputed from scratch, which costs a pass over its points and shares nothing with the builder.
struct TreeVerifier {
  private let storage: TreeStorage
  private let splitRule: SplitRule
  private(set) var problems: ProblemList

  /// The record that the next node with stored children must have its children at: they follow one another in the order
  /// in which a walk from left to right meets their parents.
  private var nextPair = 1

  init(_ tree: ClusterTree, _ problems: ProblemList) {
    storage = tree.storage
    splitRule = tree.splitRule
    self.problems = problems
  }

  mutating func verify() {
    checkRows()
    var stack = [storage.root].compactMap { $0 }
    while let node = stack.popLast(), !problems.isFull {
      do throws(IndexError) {
        guard let children = try storage.children(of: node) else {
          checkStack(node)
          continue
        }
        check(node, children)
        stack.append(children.right)
        stack.append(children.left)
      } catch {
        problems.add("node of points \(node.range)", expected: "a sound record", found: "\(error)")
      }
    }
    if nextPair != max(storage.nodeCount, 1) {
      problems.add(
        "node records", expected: "\(nextPair) that belong to the tree", found: "\(storage.nodeCount)")
    }
    if storage.pointCount % 2 == 1, storage.gaps[storage.pointCount / 2] >> 4 != 0 {
      problems.add("gap \(storage.pointCount)", expected: "0 behind the last point", found: "a gap")
    }
  }

  /// Every row number stands once.
  private mutating func checkRows() {
    let rows = UnsafeBufferPointer(start: storage.rows, count: storage.pointCount).sorted()
    for (row, next) in zip(rows, rows.dropFirst()) where row == next {
      problems.add("rows", expected: "each row number once", found: "row \(row) again")
    }
  }

  private mutating func check(_ node: Node, _ children: (left: Node, right: Node)) {
    let facts = NodeFacts(of: storage.members(of: node))
    let isStored = storage.isStored(node)
    if storage.box(of: node) != facts.box {
      problems.add(
        node.name, expected: "the box \(facts.box) around its points", found: "\(storage.box(of: node))")
    }
    if isStored {
      checkStored(node, children, facts)
    } else {
      checkGaps(node, children)
    }
    checkSides(node, children, facts)
  }

  private mutating func checkStored(_ node: Node, _ children: (left: Node, right: Node), _ facts: NodeFacts) {
    if Int(children.left.record) != nextPair {
      problems.add(
        node.name, expected: "children at record \(nextPair), in the order of a walk",
        found: "\(children.left.record)")
    }
    nextPair += 2
    if node.count <= NodeRecord.bucketCapacity {
      problems.add(node.name, expected: "a bucket, having \(node.count) points", found: "stored children")
    }
    let (sums, spread) = storage.summary(of: node, in: facts.box)
    if sums.x != facts.sums.x || sums.y != facts.sums.y {
      problems.add(
        node.name, expected: "sums (\(facts.sums.x), \(facts.sums.y))", found: "(\(sums.x), \(sums.y))")
    }
    if !facts.agrees(with: spread) {
      problems.add(
        node.name, expected: "covariances (\(facts.xx), \(facts.xy), \(facts.yy))",
        found: "(\(spread.xx), \(spread.xy), \(spread.yy))")
    }
  }

  /// The gap at which a part of a bucket is split says how far below the bucket the part is.
  private mutating func checkGaps(_ node: Node, _ children: (left: Node, right: Node)) {
    let gap = storage.gap(after: children.right.first - 1)
    let bucketLevel = bucketLevels[node.record] ?? node.level
    bucketLevels[node.record] = bucketLevel
    if UInt16(gap) != node.level - bucketLevel {
      problems.add(
        "gap \(children.right.first - 1)", expected: "level \(node.level - bucketLevel) below its bucket",
        found: "\(gap)")
    }
  }

  /// At which level the bucket being walked lies.
  private var bucketLevels: [UInt32: UInt16] = [:]

  /// All points of a leaf have one position and stand in the order of their rows.
  private mutating func checkStack(_ node: Node) {
    let points = storage.members(of: node)
    if let index = points.indices.first(where: { points[$0] != points[0] }) {
      problems.add(
        "point \(Int(node.first) + index)", expected: "the position of its stack, \(points[0])",
        found: "\(points[index])")
    }
    for index in node.range.dropLast() where storage.rows[index] >= storage.rows[index + 1] {
      problems.add(
        "point \(index + 1)", expected: "a row number above \(storage.rows[index]), as in every stack",
        found: "\(storage.rows[index + 1])")
    }
    for index in node.range.dropLast() where storage.gap(after: UInt32(index)) != Gap.none {
      problems.add(
        "gap \(index)", expected: "\(Gap.none) within a stack", found: "\(storage.gap(after: UInt32(index)))")
    }
    if storage.box(of: node) != PlaneRect(points[0]) {
      problems.add(node.name, expected: "the box of one position", found: "\(storage.box(of: node))")
    }
  }

  /// A line across the principal axis parts the two children, the left one on the side of the lesser products.
  private mutating func checkSides(_ node: Node, _ children: (left: Node, right: Node), _ facts: NodeFacts) {
    guard let axis = facts.principalAxis else { return }
    let left = storage.members(of: children.left).map { facts.product($0, axis) }.max()!
    let right = storage.members(of: children.right).map { facts.product($0, axis) }.min()!
    let tolerance = facts.tolerance
    if left > right + tolerance || left > tolerance || right < -tolerance {
      problems.add(
        node.name, expected: "its mean between its children along its principal axis",
        found: "the left one up to \(left), the right one from \(right) on")
    }
  }
}

extension Node {
  fileprivate var name: String { "node of points \(range)" }
}

extension TreeStorage {
  fileprivate func members(of node: Node) -> UnsafeBufferPointer<PlanePoint> {
    UnsafeBufferPointer(start: points + Int(node.first), count: Int(node.count))
  }
}
