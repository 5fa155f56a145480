import Treeline

/// Holds the separations of a sound tree against its nodes.
///
/// First each by itself: a code stands only where a node is split, is no more than its parent's, and no more than that
/// of the distance at which it may be split for its own part (see `TreeStorage.squaredSplitDistance`). Then all of
/// them together: from the greatest code down to 1, nodes are split whose code it is, and at each code
/// - no two nodes that are shown are nearer than its distance, and
/// - none of them that may be split there could be without bringing two nearer than that.
///
/// What holds at a code's distance holds at those down to the next code (see `SeparationCode`), so that is what
/// queries promise of every spacing at every zoom. Of nodes of one code that stand in each other's way either may have
/// been split.
///
/// A node is not looked at anew for every code. What is too near to one of its children remains so until the code has
/// fallen to that distance's, or to the code at which that other node is split itself; both are known, and the node
/// goes on the agenda of the greater. It shares nothing with the builder, which does not know the codes beforehand.
///
/// - Complexity: O(pointCount) time on all measured data and some 60 bytes a point of memory.
struct SeparationVerifier {
  private let storage: TreeStorage
  private let codes: UnsafePointer<UInt16>
  private let projection: Plane.Projection
  private let problems: ProblemList

  /// The nodes with two children. The number of each is the tree index of its right child's first point.
  private var internalNodes: [InternalNode]
  private var shown: ShownNodes
  /// The numbers of the nodes that are shown, by their first points.
  private var shownNumbers: [UInt32]
  private var agenda: Agenda
  private var monitor: VerificationMonitor
  private var splitCount = 0

  private struct InternalNode {
    /// Its first point.
    var first: UInt32
    /// Where its children are, and their numbers.
    var left = PlanePoint(x: 0, y: 0)
    var right = PlanePoint(x: 0, y: 0)
    var leftNumber = leaf
    var rightNumber = leaf
    var squaredScatter: UInt64 = 0
  }

  /// The number of a node without children: no right child begins at the first point.
  private static let leaf: UInt32 = 0

  /// - Precondition: The tree is sound.
  init(
    _ storage: TreeStorage, _ codes: UnsafePointer<UInt16>, _ projection: Plane.Projection, _ problems: ProblemList,
    _ progress: VerificationMonitor.Report?
  ) {
    (self.storage, self.codes, self.projection, self.problems) = (storage, codes, projection, problems)
    let count = storage.pointCount
    internalNodes = [InternalNode](repeating: InternalNode(first: .max), count: count)
    shown = ShownNodes(pointCount: count, on: projection)
    shownNumbers = [UInt32](repeating: Self.leaf, count: count)
    agenda = Agenda(pointCount: count)
    monitor = VerificationMonitor(.separations, pointCount: count, progress)
  }

  mutating func verify() {
    let known = problems.count
    let root = collectInternalNodes()
    for number in internalNodes.indices where !problems.isFull { checkByItself(UInt32(number)) }
    guard problems.count == known, let root else { return }
    show(0, at: root.position, root.number, below: .beyondAll)
    for rawValue in (1..<SeparationCode.beyondAll.rawValue).reversed() {
      split(at: SeparationCode(rawValue: rawValue))
      // What follows from a problem is none of its own.
      if problems.count > known { return }
    }
  }
}

// MARK: - Each by itself

extension SeparationVerifier {
  private func code(_ number: UInt32) -> SeparationCode { SeparationCode(rawValue: codes[Int(number)]) }

  /// A node on the way down, and whose child it is.
  private struct Branch {
    var node: Node
    var parent: UInt32
    var isRight: Bool
  }

  /// Notes all nodes with two children, and returns the root.
  private mutating func collectInternalNodes() -> (position: PlanePoint, number: UInt32)? {
    guard let root = storage.root else { return nil }
    var rootNumber = Self.leaf
    var stack = [Branch(node: root, parent: Self.leaf, isRight: false)]
    while let branch = stack.popLast() {
      // Every node of a sound tree has children that can be read.
      let children = try! storage.children(of: branch.node)
      let number = children?.right.first ?? Self.leaf
      if branch.parent == Self.leaf { rootNumber = number } else { note(branch, number) }
      guard let children else { continue }
      internalNodes[Int(number)].first = branch.node.first
      internalNodes[Int(number)].squaredScatter = storage.squaredScatterDistance(of: branch.node)
      stack.append(Branch(node: children.right, parent: number, isRight: true))
      stack.append(Branch(node: children.left, parent: number, isRight: false))
    }
    return (storage.meanPosition(of: root), rootNumber)
  }

  private mutating func note(_ child: Branch, _ number: UInt32) {
    let (parent, position) = (Int(child.parent), storage.meanPosition(of: child.node))
    if child.isRight {
      (internalNodes[parent].right, internalNodes[parent].rightNumber) = (position, number)
    } else {
      (internalNodes[parent].left, internalNodes[parent].leftNumber) = (position, number)
    }
    if number != Self.leaf && code(number) > code(child.parent) {
      add(number, expected: "at most \(code(child.parent).rawValue), its parent's")
    }
  }

  private func checkByItself(_ number: UInt32) {
    let node = internalNodes[Int(number)]
    if node.first == .max {
      if code(number) != .zero { add(number, expected: "0, where no node is split") }
    } else if code(number) > ownCode(node) {
      let most = "at most \(ownCode(node).rawValue)"
      add(number, expected: most + ", for the distance between its children and the scatter of its points")
    }
  }

  /// The code at which a node is split if nothing else is in its way.
  private func ownCode(_ node: InternalNode) -> SeparationCode {
    SeparationCode(
      roundingDown: TreeStorage.squaredSplitDistance(
        childrenApart: projection.squaredDistance(node.left, node.right), scatter: node.squaredScatter))
  }

  private func add(_ number: UInt32, expected: String) {
    problems.add("separation \(number)", expected: expected, found: "\(codes[Int(number)])")
  }
}

// MARK: - All together

extension SeparationVerifier {
  /// Splits the nodes of a code, and checks what is shown then.
  private mutating func split(at code: SeparationCode) {
    guard !agenda.isEmpty(at: code) else { return }
    shown.fit(to: code.squaredDistance)
    var due: [UInt32] = []
    /// The first points of children that are shown now, and the numbers of their parents.
    var newcomers: [(first: UInt32, parent: UInt32)] = []
    // Children may have the same code.
    while let number = agenda.next(at: code) {
      guard self.code(number) == code else {
        due.append(number)
        continue
      }
      splitCount += 1
      monitor.tell(splitCount)
      let node = internalNodes[Int(number)]
      shown.remove(node.first)
      show(node.first, at: node.left, node.leftNumber, below: code)
      show(number, at: node.right, node.rightNumber, below: code)
      if self.code(node.leftNumber) != code { newcomers.append((node.first, number)) }
      if self.code(node.rightNumber) != code { newcomers.append((number, number)) }
    }
    for child in newcomers where !problems.isFull { checkDistance(of: child.first, child.parent, code) }
    for number in due where !problems.isFull { look(at: number, code) }
  }

  /// Shows a node and, if it has children, puts it on the agenda of the first code at which it can be split.
  private mutating func show(_ first: UInt32, at position: PlanePoint, _ number: UInt32, below code: SeparationCode) {
    shown.insert(first, at: position)
    shownNumbers[Int(first)] = number
    if number != Self.leaf { agenda.add(number, at: min(ownCode(internalNodes[Int(number)]), code)) }
  }

  /// - Parameter parent: The node whose split has shown the one that begins with a point.
  private func checkDistance(of first: UInt32, _ parent: UInt32, _ code: SeparationCode) {
    let position = shown.position(of: first)
    if let other = shown.nearest(to: position, within: code.squaredDistance, besides: first) {
      let most = SeparationCode(roundingDown: other.squaredDistance).rawValue
      add(parent, expected: "at most \(most), for the distance to another node")
    }
  }

  /// Sees what is in the way of a node that is not split yet.
  private mutating func look(at number: UInt32, _ code: SeparationCode) {
    let node = internalNodes[Int(number)]
    let toLeft = shown.nearest(to: node.left, within: code.squaredDistance, besides: node.first)
    let reach = toLeft?.squaredDistance ?? code.squaredDistance
    let toRight = shown.nearest(to: node.right, within: reach, besides: node.first)
    guard let nearest = toRight ?? toLeft else {
      return add(number, expected: "at least \(code.rawValue), where nothing is in the way")
    }
    let distance = SeparationCode(roundingDown: nearest.squaredDistance)
    let split = self.code(shownNumbers[Int(nearest.node)])
    agenda.add(number, at: max(distance, split, self.code(number)))
  }
}

/// The numbers of the nodes to look at, by code.
private struct Agenda {
  /// How the list of each code begins.
  private var heads = [UInt32](repeating: 0, count: Int(SeparationCode.beyondAll.rawValue))
  /// What follows in the same list; 0, which numbers no node with children, ends it.
  private var next: [UInt32]

  init(pointCount: Int) { next = [UInt32](repeating: 0, count: pointCount) }

  func isEmpty(at code: SeparationCode) -> Bool { heads[Int(code.rawValue)] == 0 }

  /// Code 0 is never looked at.
  mutating func add(_ number: UInt32, at code: SeparationCode) {
    next[Int(number)] = heads[Int(code.rawValue)]
    heads[Int(code.rawValue)] = number
  }

  /// Takes one off the list of a code.
  mutating func next(at code: SeparationCode) -> UInt32? {
    let number = heads[Int(code.rawValue)]
    if number == 0 { return nil }
    heads[Int(code.rawValue)] = next[Int(number)]
    return number
  }
}
