import Treeline

/// The nodes that are shown around another one, found by a walk through the tree.
///
/// Which nodes are shown at a code is known from their codes: those that are not split though their parents are. While
/// a walk visits the tree from the root down, the nodes beside its way are all that can be near a node, besides those
/// below it. So nothing is kept but the way, and memory does not grow with the tree.
struct ShownNeighbours {
  private let storage: TreeStorage
  private let codes: UnsafePointer<UInt16>
  private let projection: Plane.Projection
  private let pages: PageUse
  /// The siblings of the node that is visited and of those above it, the topmost first.
  private var siblings: [Branch] = []
  private var waiting: [Branch] = []

  /// A node with what it takes to know whether it is near and shown.
  private struct Branch {
    let node: Node
    let box: PlaneRect
    let code: SeparationCode
  }

  init(_ storage: TreeStorage, _ codes: UnsafePointer<UInt16>, _ projection: Plane.Projection, _ pages: PageUse) {
    (self.storage, self.codes, self.projection, self.pages) = (storage, codes, projection, pages)
  }

  /// Begins at a node, of which these are the siblings and those of the nodes above it, the topmost first.
  mutating func begin(behind siblings: [Node]) { self.siblings = siblings.dropLast().map { branch($0) } }

  /// Moves on to a node.
  ///
  /// - Parameters:
  ///   - depth: Of the node below the root of the walk, whose way to the node's parent was the last one to be visited.
  ///   - sibling: Of the node; nil for the root.
  mutating func visit(atDepth depth: Int, sibling: Node?) {
    siblings.removeLast(siblings.count - max(depth - 1, 0))
    if let sibling { siblings.append(branch(sibling)) }
  }

  private func branch(_ node: Node) -> Branch {
    pages.note(node)
    return Branch(node: node, box: storage.box(of: node), code: code(of: node))
  }

  /// In a sound tree the children of every node can be read.
  private func code(of node: Node) -> SeparationCode {
    guard let number = try! storage.children(of: node)?.right.first else { return .zero }
    return SeparationCode(rawValue: codes[Int(number)])
  }

  /// Visits the nodes that are shown besides the one that is visited, and may be nearer to a position than a distance,
  /// given by its square.
  ///
  /// - Parameter body: Returns the square of the distance that counts from now on; 0 ends the search.
  mutating func search(
    near position: PlanePoint, within squaredDistance: UInt64, at code: SeparationCode, _ body: (Node) -> UInt64
  ) {
    var squaredDistance = squaredDistance
    for sibling in siblings.indices.reversed() {
      waiting.append(siblings[sibling])
      while let branch = waiting.popLast() {
        guard projection.squaredDistance(from: position, to: branch.box) < squaredDistance else { continue }
        if branch.code < code {
          squaredDistance = body(branch.node)
        } else if let (left, right) = try! storage.children(of: branch.node) {
          waiting.append(self.branch(right))
          waiting.append(self.branch(left))
        }
      }
      if squaredDistance == 0 { return }
    }
  }
}

extension Plane.Projection {
  /// The square of the distance from a position to the nearest one of a box.
  fileprivate func squaredDistance(from position: PlanePoint, to box: PlaneRect) -> UInt64 {
    var dx: UInt32 = 0
    if position.x &- box.minX > box.width {
      let (before, behind) = (box.minX &- position.x, position.x &- box.maxX)
      dx = isCyclic ? min(before, behind) : position.x > box.maxX ? behind : before
    }
    let dy = position.y < box.minY ? box.minY - position.y : position.y > box.maxY ? position.y - box.maxY : 0
    let (square, overflow) = (UInt64(dx) &* UInt64(dx)).addingReportingOverflow(UInt64(dy) &* UInt64(dy))
    return overflow ? .max : square
  }
}
