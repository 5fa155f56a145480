import Treeline

/// Checks the separations of a sound tree against its nodes. A separation is the distance at which a node is split
/// into its children. It is stored as a code of two bytes.
///
/// First each code is checked alone. Only a node with children has a code other than 0. The code of a node is at most
/// the code of its parent. It is also at most the code of the distance at which the node may be split if no other node
/// is near (see `TreeStorage.squaredSplitDistance`). After that, the distances between shown nodes are checked.
/// Suppose that nodes are split in the order of falling codes, from the greatest down to 1. Two conditions must hold
/// at each code:
/// - No two shown nodes are closer to each other than the distance of the code.
/// - If a shown node may be split at this code but has a smaller code, then splitting the node would bring two nodes
///   too close to each other.
///
/// A code stands for all distances from its own distance down to the distance of the next lower code (see
/// `SeparationCode`). So these two conditions are exactly what queries promise for every spacing at every zoom. If two
/// nodes with the same code block each other, either of the two may have been split.
///
/// A node is checked when it is first shown. It is also checked at the codes at which it may be split but is not.
/// Suppose another node is too close to one of the node's children. The other node stays too close until the code
/// falls to one of two codes: the code of the distance between the other node and that child, or the other node's own
/// code. Both codes are known, so the node is checked again at the greater of the two codes. The builder works
/// differently, because it does not know the codes beforehand. So the verifier shares no source code with the builder.
///
/// - Complexity: O(pointCount log pointCount) time on all measured data. Takes memory for the path from the root to a
///   node.
struct SeparationVerifier {
  private let storage: TreeStorage
  private let codes: UnsafePointer<UInt16>
  private let projection: Plane.Projection
  private let problems: ProblemList
  private let root: Node
  private let pages: PageUse
  private var neighbours: ShownNeighbours
  /// Problems of single codes (`alone`), and problems among the nodes that are shown at one code (`among`). One wrong
  /// code can also cause problems among the nodes that are shown at smaller codes. So problems among shown nodes are
  /// reported only for the greatest code at which there are such problems.
  private var (alone, among) = ([Finding](), [Finding]())

  private struct Finding: Sendable {
    enum Kind { case aboveParent, alone, tooNear, unsplit }

    let kind: Kind
    let code: SeparationCode
    let number: UInt32
    let expected: String
  }

  /// A node that has not been visited yet.
  private struct Visit {
    let node: Node
    let sibling: Node?
    let depth: Int
    /// The code of the node's parent. At this code the parent is split, and the node is first shown.
    let shownAt: SeparationCode
    /// The number of the node's parent.
    let parent: UInt32
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

  mutating func verify(threads: Int, _ monitor: inout VerificationMonitor) {
    expectZero(root.range.prefix(1))
    let parts = TreePart.dividing(root, of: storage, threads: threads)
    if parts.count == 1 { verify(parts[0], &monitor) } else { verify(parts, threads: threads, &monitor) }
    tell()
  }

  private mutating func verify(_ parts: [TreePart], threads: Int, _ monitor: inout VerificationMonitor) {
    nonisolated(unsafe) let (verifier, pages) = (self, pages.divided(among: threads))
    let stage = monitor.stage
    var pointCount = 0
    inOrder(parts.count, threads: threads) { number, thread in
      var part = SeparationVerifier(
        verifier.storage, below: verifier.root, verifier.codes, verifier.projection, ProblemList(), pages[thread])
      var silent = VerificationMonitor(stage: stage, pointCount: verifier.storage.pointCount, report: nil)
      part.verify(parts[number], &silent)
      return (alone: part.alone, among: part.among)
    } then: { number, found in
      alone += found.alone.prefix(ProblemList.capacity - alone.count)
      for finding in found.among where counts(finding.code) { add(finding) }
      if parts[number].isWhole {
        pointCount += Int(parts[number].node.count)
        monitor.tell(pointCount)
      }
    }
  }

  private mutating func verify(_ part: TreePart, _ monitor: inout VerificationMonitor) {
    neighbours.begin(behind: part.siblings)
    let sibling = part.siblings.last
    // A node's number is the index of its right child's first point. So the parent's number is the first index of the
    // node or of its sibling, whichever is greater. The root has no parent.
    let parent = sibling.map { max($0.first, part.node.first) }
    var stack = [
      Visit(
        node: part.node, sibling: sibling, depth: part.siblings.count, shownAt: parent.map(code) ?? .beyondAll,
        parent: parent ?? part.node.first)
    ]
    while let visit = stack.popLast(), alone.count < ProblemList.capacity {
      let node = visit.node
      pages.note(node)
      neighbours.visit(atDepth: visit.depth, sibling: visit.sibling)
      // In a sound tree, the children of every node can be read.
      let children = try! storage.children(of: node)
      let code = children.map { self.code($0.right.first) } ?? .zero
      let isShown = visit.shownAt > code && visit.shownAt > .zero && visit.depth > 0
      if isShown && alone.isEmpty { checkDistance(visit) }
      guard let (left, right) = children else {
        expectZero(node.range.dropFirst())
        monitor.tell(node.range.upperBound)
        continue
      }
      let parts = Parts(
        number: right.first, left: storage.meanPosition(of: left), right: storage.meanPosition(of: right))
      let own = ownCode(node, parts)
      if code > visit.shownAt && visit.depth > 0 {
        add(.aboveParent, parts.number, expected: "at most \(visit.shownAt.rawValue), the separation of the parent")
      }
      if code > own {
        let reason = "because of the distance between the node's children and the scatter of the node's points"
        add(.alone, parts.number, expected: "at most \(own.rawValue), \(reason)")
      }
      if alone.isEmpty { look(at: parts, from: min(own, visit.shownAt), downTo: code) }
      guard part.isWhole else { return }
      for (child, sibling) in [(right, left), (left, right)] {
        stack.append(
          Visit(node: child, sibling: sibling, depth: visit.depth + 1, shownAt: code, parent: parts.number))
      }
    }
  }

  /// Reports the findings about single codes. If there are none, reports the findings about shown nodes.
  private func tell() {
    for kind in [Finding.Kind.aboveParent, .alone, .tooNear, .unsplit] {
      let found = (alone.isEmpty ? among : alone).filter { $0.kind == kind }
      for finding in found.sorted(by: { $0.number < $1.number }) {
        problems.add(
          "separation \(finding.number)", expected: finding.expected, found: "\(codes[Int(finding.number)])")
      }
    }
  }

  private mutating func add(_ kind: Finding.Kind, _ number: UInt32, expected: String) {
    alone.append(Finding(kind: kind, code: .zero, number: number, expected: expected))
  }

  private mutating func add(_ kind: Finding.Kind, at code: SeparationCode, _ number: UInt32, expected: String) {
    add(Finding(kind: kind, code: code, number: number, expected: expected))
  }

  private mutating func add(_ finding: Finding) {
    if let greatest = among.first?.code, greatest < finding.code { among = [] }
    if among.count < ProblemList.capacity { among.append(finding) }
  }

  /// Returns whether the verifier would report a problem among the nodes that are shown at a code.
  private func counts(_ code: SeparationCode) -> Bool { among.first.map { code >= $0.code } ?? true }

  /// The number of a node, and the positions of its children. The number is the index of the right child's first
  /// point.
  private struct Parts {
    let number: UInt32
    let left: PlanePoint
    let right: PlanePoint
  }

  private func code(_ number: UInt32) -> SeparationCode { SeparationCode(rawValue: codes[Int(number)]) }

  /// Returns the code at which a node is split if no other node blocks it.
  private func ownCode(_ node: Node, _ parts: Parts) -> SeparationCode {
    SeparationCode(
      roundingDown: TreeStorage.squaredSplitDistance(
        childrenApart: projection.squaredDistance(parts.left, parts.right),
        scatter: storage.squaredScatterDistance(of: node)))
  }

  /// Checks that the codes are 0 at the given indices, where no right child begins. No right child begins at the first
  /// point of the tree. Among the points of a stack (several points at one position), a right child can begin only at
  /// the first point.
  private mutating func expectZero(_ indices: Range<Int>) {
    indices.forEachBlock(noting: pages, bytesPerElement: 2) { block in
      for index in block where codes[index] != 0 && alone.count < ProblemList.capacity {
        add(.alone, UInt32(index), expected: "0, because no node is split here")
      }
    }
  }

  // MARK: - Among shown nodes

  /// Checks that no other node is too close to a node when the node is first shown.
  private mutating func checkDistance(_ visit: Visit) {
    guard counts(visit.shownAt) else { return }
    let position = storage.meanPosition(of: visit.node)
    guard let other = nearest(to: position, within: visit.shownAt.squaredDistance, at: visit.shownAt) else { return }
    let most = SeparationCode(roundingDown: other.squaredDistance).rawValue
    add(.tooNear, at: visit.shownAt, visit.parent, expected: "at most \(most), because of the distance to another node")
  }

  /// Checks each code at which a node may be split but is not split. At each such code another node must block the
  /// node.
  private mutating func look(at parts: Parts, from first: SeparationCode, downTo own: SeparationCode) {
    var code = first
    while code > own && counts(code) {
      let toLeft = nearest(to: parts.left, within: code.squaredDistance, at: code)
      let reach = toLeft?.squaredDistance ?? code.squaredDistance
      let toRight = nearest(to: parts.right, within: reach, at: code)
      guard let nearest = toRight ?? toLeft else {
        return add(
          .unsplit, at: code, parts.number,
          expected: "at least \(code.rawValue), because no other node blocks the split")
      }
      code = max(SeparationCode(roundingDown: nearest.squaredDistance), nearest.code, own)
    }
  }

  /// Returns the node that is nearest to a position, among the nodes that are shown at a code. Nil if no node is nearer
  /// than the given distance.
  private mutating func nearest(to position: PlanePoint, within squaredDistance: UInt64, at code: SeparationCode) -> (
    code: SeparationCode, squaredDistance: UInt64
  )? {
    var nearest: (node: Node, squaredDistance: UInt64)?
    var reach = squaredDistance
    neighbours.search(near: position, within: reach, at: code) { node in
      let distance = projection.squaredDistance(position, storage.meanPosition(of: node))
      if distance < reach { (nearest, reach) = ((node, distance), distance) }
      return reach
    }
    return nearest.map { nearest in
      let number = try! storage.children(of: nearest.node)?.right.first
      return (number.map { self.code($0) } ?? .zero, nearest.squaredDistance)
    }
  }
}
