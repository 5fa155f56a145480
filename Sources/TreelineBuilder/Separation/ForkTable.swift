import Treeline

/// All forks of a tree by their numbers. What lies at numbers of no fork, within stacks, is never looked at.
struct ForkTable: @unchecked Sendable {
  let forks: UnsafeMutablePointer<Fork>
  private let capacity: Int
  /// The root's fork, or `none` where all points are one position.
  private(set) var root = Fork.none

  /// Collects the forks of a tree that the builder has made.
  ///
  /// - Complexity: O(pointCount), shared by the threads.
  init(of storage: TreeStorage, _ metric: PlaneMetric, threads: Int, _ monitor: BuildMonitor) {
    capacity = max(storage.pointCount, 1)
    // No fork lies across two lines.
    precondition(MemoryLayout<Fork>.stride == 64, "A fork takes one line of the caches")
    forks = UnsafeMutableRawPointer.allocate(byteCount: capacity * MemoryLayout<Fork>.stride, alignment: 64)
      .bindMemory(to: Fork.self, capacity: capacity)
    LargePages.wish(for: forks, count: capacity)
    // Number 0 stands for all children that are no forks, and is read in passing.
    let nowhere = PlanePoint(x: 0, y: 0)
    forks.initialize(to: Fork(left: nowhere, right: nowhere, position: nowhere, squaredOwnDistance: 0))
    guard let node = storage.root, let children = Self.children(of: node, storage) else { return }
    root = children.right.first
    let top = Branch(node: node, children: children, position: Self.position(of: node, storage))
    let pieceSize = threads == 1 ? storage.pointCount : storage.pointCount / (16 * threads)
    let table = self
    WorkQueue([top]).run(threads: threads) { branch in
      var branches = [branch]
      if branch.node.count > pieceSize {
        table.add(branches.removeLast(), to: &branches, storage, metric)
        return branches
      }
      while let branch = branches.popLast() {
        if branch.node.count > Self.pointsBetweenLooks, monitor.isCancelled { return [] }
        table.add(branch, to: &branches, storage, metric)
      }
      return []
    }
  }

  func deallocate() { MemoryBlock(forks, count: capacity).deallocate() }

  /// A node with two children, on the way to be a fork.
  private struct Branch: Sendable {
    var node: Node
    var children: (left: Node, right: Node)
    var position: PlanePoint
  }

  /// Larger nodes are so few that each may be the occasion of a look at the monitor; smaller ones take no time.
  private static let pointsBetweenLooks = 1 << 12

  /// Writes down one fork, and remembers those of its children.
  private func add(
    _ branch: Branch, to branches: inout [Branch], _ storage: TreeStorage, _ metric: PlaneMetric
  ) {
    let (left, right) = branch.children
    let positions = (left: Self.position(of: left, storage), right: Self.position(of: right, storage))
    var fork = Fork(
      left: positions.left, right: positions.right, position: branch.position,
      squaredOwnDistance: TreeStorage.squaredSplitDistance(
        childrenApart: metric.squaredDistance(positions.left, positions.right),
        scatter: storage.squaredScatterDistance(of: branch.node)))
    if let children = Self.children(of: left, storage) {
      fork.leftFork = children.right.first
      branches.append(Branch(node: left, children: children, position: fork.left))
    }
    if let children = Self.children(of: right, storage) {
      fork.rightFork = children.right.first
      branches.append(Branch(node: right, children: children, position: fork.right))
    }
    (forks + Int(right.first)).initialize(to: fork)
  }

  private static func children(of node: Node, _ storage: TreeStorage) -> (left: Node, right: Node)? {
    // Only a file can be damaged, and this tree was just made.
    try! storage.children(of: node)
  }

  private static func position(of node: Node, _ storage: TreeStorage) -> PlanePoint {
    storage.meanPosition(of: node)
  }
}
