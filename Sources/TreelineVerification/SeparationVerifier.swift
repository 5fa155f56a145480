import Treeline

/// Checks the separations of a sound tree against its nodes.
///
/// First each by itself: only a node with children has a code other than 0; it exceeds neither its parent's code nor
/// that of the distance at which the node alone may be split (see `TreeStorage.squaredSplitDistance`). Then all of
/// them together: from the greatest code down to 1 the nodes with that code are split, and at each code
/// - no two shown nodes are closer than its distance, and
/// - no other shown node that may be split there could be without bringing two closer than that.
///
/// A code's distance stands for all those down to the next code (see `SeparationCode`), so this is what queries
/// promise for every spacing at every zoom. Where two nodes with the same code block each other, either may have been
/// split.
///
/// A node is not checked again at every code. What is too close to one of its children stays so until the code falls
/// to that distance's or to that other node's own; both are known, and the node is due again at the greater. None of
/// this is shared with the builder, which does not know the codes beforehand.
///
/// - Complexity: O(pointCount) time on all measured data, and some 60 bytes of memory a point.
struct SeparationVerifier {
  private let storage: TreeStorage
  private let codes: UnsafePointer<UInt16>
  private let projection: Plane.Projection
  private let problems: ProblemList
  private let root: Node

  /// By number less the root's first point: the tree index of the right child's first point.
  private var internalNodes: [InternalNode]
  private var shown: ShownNodes
  /// The numbers of the shown nodes, by their first points.
  private var shownNumbers: [UInt32]
  private var agenda: Agenda
  private var monitor: VerificationMonitor
  private var splitCount = 0

  private struct InternalNode {
    /// Its first point; `UInt32.max` where no node has the number.
    var first = UInt32.max
    var (left, right) = (PlanePoint(x: 0, y: 0), PlanePoint(x: 0, y: 0))
    var (leftNumber, rightNumber) = (leaf, leaf)
    var squaredScatter: UInt64 = 0
  }

  /// The number of a node without children: no right child begins at the first point.
  private static let leaf: UInt32 = 0

  /// - Precondition: The tree is sound.
  init(
    _ storage: TreeStorage, below root: Node, _ codes: UnsafePointer<UInt16>, _ projection: Plane.Projection,
    _ problems: ProblemList,
    _ progress: VerificationMonitor.Report?
  ) {
    (self.storage, self.codes, self.projection, self.problems) = (storage, codes, projection, problems)
    self.root = root
    let count = Int(root.count)
    internalNodes = [InternalNode](repeating: InternalNode(), count: count)
    shown = ShownNodes(below: root, on: projection)
    shownNumbers = [UInt32](repeating: Self.leaf, count: count)
    agenda = Agenda(below: root)
    monitor = VerificationMonitor(stage: .separations, pointCount: storage.pointCount, report: progress)
  }

  mutating func verify() {
    let known = problems.count
    collectInternalNodes(below: root)
    for number in internalNodes.indices where !problems.isFull { checkByItself(root.first + UInt32(number)) }
    guard problems.count == known else { return }
    show(root.first, at: storage.meanPosition(of: root), number(of: root), below: .beyondAll)
    for rawValue in (1..<SeparationCode.beyondAll.rawValue).reversed() {
      split(at: SeparationCode(rawValue: rawValue))
      // One wrong code puts others out of step.
      if problems.count > known { return }
    }
  }
}

// MARK: - Each by itself

extension SeparationVerifier {
  private func code(_ number: UInt32) -> SeparationCode { SeparationCode(rawValue: codes[Int(number)]) }

  /// In a sound tree the children of every node can be read.
  private func number(of node: Node) -> UInt32 { try! storage.children(of: node)?.right.first ?? Self.leaf }

  private mutating func collectInternalNodes(below root: Node) {
    var stack = [root]
    while let node = stack.popLast() {
      guard let (left, right) = try! storage.children(of: node) else { continue }
      let (number, leftNumber, rightNumber) = (right.first, number(of: left), number(of: right))
      internalNodes[Int(number - root.first)] = InternalNode(
        first: node.first, left: storage.meanPosition(of: left), right: storage.meanPosition(of: right),
        leftNumber: leftNumber, rightNumber: rightNumber, squaredScatter: storage.squaredScatterDistance(of: node))
      for child in [leftNumber, rightNumber] where child != Self.leaf && code(child) > code(number) {
        add(child, expected: "at most \(code(number).rawValue), its parent's")
      }
      stack += [right, left]
    }
  }

  private func checkByItself(_ number: UInt32) {
    let node = internalNodes[Int(number - root.first)]
    if node.first == .max {
      if code(number) != .zero { add(number, expected: "0, where no node is split") }
    } else if code(number) > ownCode(node) {
      let most = "at most \(ownCode(node).rawValue)"
      add(number, expected: most + ", for the distance between its children and the scatter of its points")
    }
  }

  /// The code at which a node is split if no other node is in the way.
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
  /// Splits the nodes with a code, and checks what is shown then.
  private mutating func split(at code: SeparationCode) {
    guard !agenda.isEmpty(at: code) else { return }
    shown.fit(to: code.squaredDistance)
    var due: [UInt32] = []
    // The first points of the children now shown, and the numbers of their parents.
    var newcomers: [(first: UInt32, parent: UInt32)] = []
    // Children may have the same code.
    while let number = agenda.next(at: code) {
      guard self.code(number) == code else {
        due.append(number)
        continue
      }
      splitCount += 1
      monitor.tell(splitCount)
      let node = internalNodes[Int(number - root.first)]
      shown.remove(node.first)
      show(node.first, at: node.left, node.leftNumber, below: code)
      show(number, at: node.right, node.rightNumber, below: code)
      if self.code(node.leftNumber) != code { newcomers.append((node.first, number)) }
      if self.code(node.rightNumber) != code { newcomers.append((number, number)) }
    }
    for child in newcomers where !problems.isFull { checkDistance(of: child.first, child.parent, code) }
    for number in due where !problems.isFull { look(at: number, code) }
  }

  /// Shows a node, which is due at the first code at which it can be split, if it has children.
  private mutating func show(_ first: UInt32, at position: PlanePoint, _ number: UInt32, below code: SeparationCode) {
    shown.insert(first, at: position)
    shownNumbers[Int(first - root.first)] = number
    if number != Self.leaf { agenda.add(number, at: min(ownCode(internalNodes[Int(number - root.first)]), code)) }
  }

  /// - Parameter parent: The node whose split made this one shown.
  private func checkDistance(of first: UInt32, _ parent: UInt32, _ code: SeparationCode) {
    let position = shown.position(of: first)
    if let other = shown.nearest(to: position, within: code.squaredDistance, besides: first) {
      let most = SeparationCode(roundingDown: other.squaredDistance).rawValue
      add(parent, expected: "at most \(most), for the distance to another node")
    }
  }

  /// Checks that another node is in the way of one that is not split yet.
  private mutating func look(at number: UInt32, _ code: SeparationCode) {
    let node = internalNodes[Int(number - root.first)]
    let toLeft = shown.nearest(to: node.left, within: code.squaredDistance, besides: node.first)
    let reach = toLeft?.squaredDistance ?? code.squaredDistance
    let toRight = shown.nearest(to: node.right, within: reach, besides: node.first)
    guard let nearest = toRight ?? toLeft else {
      return add(number, expected: "at least \(code.rawValue), where nothing is in the way")
    }
    let distance = SeparationCode(roundingDown: nearest.squaredDistance)
    let split = self.code(shownNumbers[Int(nearest.node - root.first)])
    agenda.add(number, at: max(distance, split, self.code(number)))
  }
}

/// The numbers of the nodes to check, in a linked list for each code; 0, which no internal node has, ends a list.
private struct Agenda {
  private var heads = [UInt32](repeating: 0, count: Int(SeparationCode.beyondAll.rawValue))
  private var next: [UInt32]
  private let base: UInt32

  init(below root: Node) { (next, base) = ([UInt32](repeating: 0, count: Int(root.count)), root.first) }

  func isEmpty(at code: SeparationCode) -> Bool { heads[Int(code.rawValue)] == 0 }

  mutating func add(_ number: UInt32, at code: SeparationCode) {
    next[Int(number - base)] = heads[Int(code.rawValue)]
    heads[Int(code.rawValue)] = number
  }

  mutating func next(at code: SeparationCode) -> UInt32? {
    let number = heads[Int(code.rawValue)]
    if number == 0 { return nil }
    heads[Int(code.rawValue)] = next[Int(number - base)]
    return number
  }
}
