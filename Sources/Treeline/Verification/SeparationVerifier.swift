/// Holds the separations of a sound tree against its nodes.
///
/// First each by itself: a code stands only where a node is split, is no more than its parent's, and no more than that of
/// the distance at which it may be split for its own part (see `TreeStorage.squaredSplitDistance`). Then all of them together: from the greatest code down to 1, nodes are split
/// whose code it is, and at each code
/// - no two nodes that are shown are nearer than its distance, and
/// - none of them that may be split there could be without bringing two nearer than that.
///
/// What holds at a code's distance holds at those down to the next code (see `SeparationCode`), so that is what queries
/// promise of every spacing at every zoom. Of several nodes with one code that stand in each other's way either may have
/// been split, and which it was is not asked.
///
/// A node is not looked at anew for every code. What is too near to one of its children remains so until the code has
/// fallen to that distance's, or to the code at which that other node is split itself; both are known, and the node goes on
/// the agenda of the greater. So each node is looked at once or twice, each time at the few nodes around it.
///
/// It shares nothing with the builder, which does not know the codes beforehand.
///
/// - Complexity: O(pointCount) time on all measured data and some 60 bytes a point of memory.
struct SeparationVerifier {
  private let storage: TreeStorage
  private let codes: UnsafePointer<UInt16>
  private let projection: Plane.Projection
  private(set) var problems: ProblemList

  /// The nodes with two children, each at the place at which its points are parted: the right child's first.
  private var forks: [ChildPair]
  private var shown: ShownNodes
  /// The pair that a node which is shown is, by its first point.
  private var shownForks: [UInt32]
  private var agenda: Agenda
  private var monitor: VerificationMonitor
  private var splitCount = 0

  private struct ChildPair {
    /// Its first point.
    var first: UInt32
    var left = PlanePoint(x: 0, y: 0)
    var right = PlanePoint(x: 0, y: 0)
    var squaredScatter: UInt64 = 0
    var leftFork = noFork
    var rightFork = noFork
  }

  /// Nothing is parted before the first point.
  private static let noFork: UInt32 = 0

  /// - Precondition: The tree is sound.
  init(
    _ tree: ClusterTree, _ codes: UnsafePointer<UInt16>, _ problems: ProblemList,
    _ progress: VerificationMonitor.Report? = nil
  ) {
    storage = tree.storage
    projection = tree.plane.projection
    self.codes = codes
    self.problems = problems
    forks = [ChildPair](repeating: ChildPair(first: .max), count: tree.pointCount)
    shown = ShownNodes(pointCount: tree.pointCount, on: projection)
    shownForks = [UInt32](repeating: Self.noFork, count: tree.pointCount)
    agenda = Agenda(forkCount: tree.pointCount)
    monitor = VerificationMonitor(.separations, pointCount: tree.pointCount, progress)
  }

  mutating func verify() {
    let known = problems.problems.count
    let root = collectForks()
    for place in forks.indices where !problems.isFull { checkByItself(place) }
    guard problems.problems.count == known, let root else { return }
    show(0, at: root.position, root.pair, below: .beyondAll)
    for rawValue in (1..<SeparationCode.beyondAll.rawValue).reversed() {
      split(at: SeparationCode(rawValue: rawValue))
      // What follows from a problem is none of its own.
      if problems.problems.count > known { return }
    }
  }
}

// MARK: - Each by itself

extension SeparationVerifier {
  private func code(_ pair: UInt32) -> SeparationCode { SeparationCode(rawValue: codes[Int(pair)]) }

  /// A node on the way down, and whose child it is.
  private struct Branch {
    var node: Node
    var parent: UInt32
    var isRight: Bool
  }

  /// Notes all nodes with two children, and returns the root.
  private mutating func collectForks() -> (position: PlanePoint, pair: UInt32)? {
    guard let root = storage.root else { return nil }
    var rootFork = Self.noFork
    var stack = [Branch(node: root, parent: Self.noFork, isRight: false)]
    while let branch = stack.popLast() {
      // Every node of a sound tree has children that can be read.
      let children = try! storage.children(of: branch.node)
      let pair = children?.right.first ?? Self.noFork
      if branch.parent == Self.noFork {
        rootFork = pair
      } else {
        note(branch, pair)
      }
      guard let children else { continue }
      forks[Int(pair)].first = branch.node.first
      forks[Int(pair)].squaredScatter = storage.squaredScatterDistance(of: branch.node)
      stack.append(Branch(node: children.right, parent: pair, isRight: true))
      stack.append(Branch(node: children.left, parent: pair, isRight: false))
    }
    return (storage.meanPosition(of: root), rootFork)
  }

  private mutating func note(_ child: Branch, _ pair: UInt32) {
    let parent = Int(child.parent)
    if child.isRight {
      (forks[parent].right, forks[parent].rightFork) = (storage.meanPosition(of: child.node), pair)
    } else {
      (forks[parent].left, forks[parent].leftFork) = (storage.meanPosition(of: child.node), pair)
    }
    if pair != Self.noFork && code(pair) > code(child.parent) {
      add(pair, expected: "at most \(code(child.parent).rawValue), its parent's")
    }
  }

  private mutating func checkByItself(_ place: Int) {
    let pair = forks[place]
    if pair.first == .max {
      if codes[place] != 0 { add(UInt32(place), expected: "0, where no node is split") }
    } else if code(UInt32(place)) > ownCode(pair) {
      add(
        UInt32(place),
        expected:
          "at most \(ownCode(pair).rawValue), for the distance between its children and the scatter of its points"
      )
    }
  }

  /// The code at which a pair is split if nothing else is in its way.
  private func ownCode(_ pair: ChildPair) -> SeparationCode {
    SeparationCode(
      roundingDown: TreeStorage.squaredSplitDistance(
        childrenApart: projection.squaredDistance(pair.left, pair.right), scatter: pair.squaredScatter))
  }

  private mutating func add(_ pair: UInt32, expected: String) {
    problems.add("separation \(pair)", expected: expected, found: "\(codes[Int(pair)])")
  }
}

// MARK: - All together

extension SeparationVerifier {
  /// Splits the nodes of a code, and checks what is shown then.
  private mutating func split(at code: SeparationCode) {
    guard !agenda.isEmpty(at: code) else { return }
    shown.fit(to: code.squaredDistance)
    var due: [UInt32] = []
    var newcomers: [(node: UInt32, pair: UInt32)] = []
    // Children may have the same code.
    while let number = agenda.next(at: code) {
      guard self.code(number) == code else {
        due.append(number)
        continue
      }
      splitCount += 1
      monitor.tell(splitCount)
      let pair = forks[Int(number)]
      shown.remove(pair.first)
      show(pair.first, at: pair.left, pair.leftFork, below: code)
      show(number, at: pair.right, pair.rightFork, below: code)
      if self.code(pair.leftFork) != code { newcomers.append((pair.first, number)) }
      if self.code(pair.rightFork) != code { newcomers.append((number, number)) }
    }
    for newcomer in newcomers where !problems.isFull { checkDistance(of: newcomer.node, newcomer.pair, code) }
    for number in due where !problems.isFull { look(at: number, code) }
  }

  /// Shows a node, which may be a pair, and puts it on the agenda of the first code at which it can be split.
  private mutating func show(
    _ node: UInt32, at position: PlanePoint, _ pair: UInt32, below code: SeparationCode
  ) {
    shown.insert(node, at: position)
    shownForks[Int(node)] = pair
    if pair != Self.noFork { agenda.add(pair, at: min(ownCode(forks[Int(pair)]), code)) }
  }

  /// - Parameter pair: whose split has shown the node.
  private mutating func checkDistance(of node: UInt32, _ pair: UInt32, _ code: SeparationCode) {
    let position = shown.position(of: node)
    if let other = shown.nearest(to: position, within: code.squaredDistance, besides: node) {
      let most = SeparationCode(roundingDown: other.squaredDistance).rawValue
      add(pair, expected: "at most \(most), for the distance to another node")
    }
  }

  /// Sees what is in the way of a pair that is not split yet.
  private mutating func look(at number: UInt32, _ code: SeparationCode) {
    let pair = forks[Int(number)]
    let toLeft = shown.nearest(to: pair.left, within: code.squaredDistance, besides: pair.first)
    let reach = toLeft?.squaredDistance ?? code.squaredDistance
    let toRight = shown.nearest(to: pair.right, within: reach, besides: pair.first)
    guard let nearest = toRight ?? toLeft else {
      return add(number, expected: "at least \(code.rawValue), where nothing is in the way")
    }
    let distance = SeparationCode(roundingDown: nearest.squaredDistance)
    let split = self.code(shownForks[Int(nearest.node)])
    agenda.add(number, at: max(distance, split, self.code(number)))
  }
}

/// The forks to look at, by code.
private struct Agenda {
  /// How the list of each code begins.
  private var heads = [UInt32](repeating: 0, count: Int(SeparationCode.beyondAll.rawValue))
  /// What follows in the same list; 0 ends it, which is no pair.
  private var next: [UInt32]

  init(forkCount: Int) {
    next = [UInt32](repeating: 0, count: forkCount)
  }

  func isEmpty(at code: SeparationCode) -> Bool { heads[Int(code.rawValue)] == 0 }

  /// Code 0 is never looked at.
  mutating func add(_ pair: UInt32, at code: SeparationCode) {
    next[Int(pair)] = heads[Int(code.rawValue)]
    heads[Int(code.rawValue)] = pair
  }

  /// Takes one off the list of a code.
  mutating func next(at code: SeparationCode) -> UInt32? {
    let pair = heads[Int(code.rawValue)]
    if pair == 0 { return nil }
    heads[Int(code.rawValue)] = next[Int(pair)]
    return pair
  }
}
