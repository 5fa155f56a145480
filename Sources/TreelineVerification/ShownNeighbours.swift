import Treeline

/// Finds the shown nodes around a node, during a walk through the tree. Each node has a code of two bytes. The code
/// stands for the distance at which the node is split.
///
/// A search has a limit, which is also a code. A node is shown at this limit if the code of its parent is at least the
/// limit, and its own code is less. The walk visits the tree from the root down. A node near the visited node is
/// either below the visited node, or in a subtree beside the path from the root to the visited node. So only the roots
/// of these subtrees are kept, and memory does not grow with the tree.
struct ShownNeighbours {
  private let storage: TreeStorage
  private let codes: UnsafePointer<UInt16>
  private let projection: Plane.Projection
  private let pages: PageUse
  /// The siblings of the visited node and of its ancestors. The topmost sibling comes first.
  private var siblings: [Branch] = []
  private var waiting: [Branch] = []

  /// A node, its box and its code. The box decides whether the node may be near a position, and the code decides
  /// whether the node is shown.
  private struct Branch {
    let node: Node
    let box: PlaneRect
    let code: SeparationCode
  }

  init(_ storage: TreeStorage, _ codes: UnsafePointer<UInt16>, _ projection: Plane.Projection, _ pages: PageUse) {
    (self.storage, self.codes, self.projection, self.pages) = (storage, codes, projection, pages)
  }

  /// Prepares a walk that begins at a node. `siblings` are the siblings of this node and of its ancestors, from the
  /// top of the tree down. The walk must visit this node first.
  mutating func begin(behind siblings: [Node]) { self.siblings = siblings.dropLast().map { branch($0) } }

  /// Moves to another node, which becomes the visited node.
  ///
  /// - Parameters:
  ///   - depth: The number of the node's ancestors. The parent of the node must be the node that was visited last, or
  ///     an ancestor of that node.
  ///   - sibling: The sibling of the node; nil if the node is the root.
  mutating func visit(atDepth depth: Int, sibling: Node?) {
    siblings.removeLast(siblings.count - max(depth - 1, 0))
    if let sibling { siblings.append(branch(sibling)) }
  }

  private func branch(_ node: Node) -> Branch {
    pages.note(node)
    return Branch(node: node, box: storage.box(of: node), code: code(of: node))
  }

  /// Returns the code of a node; zero if the node has no children. The tree must be sound, because the children of a
  /// damaged node may not be readable.
  private func code(of node: Node) -> SeparationCode {
    guard let number = try! storage.children(of: node)?.right.first else { return .zero }
    return SeparationCode(rawValue: codes[Int(number)])
  }

  /// Calls `body` for each shown node whose distance to a position may be less than a given distance. Skips the node
  /// to which `visit` has moved, and all nodes below that node.
  ///
  /// - Parameters:
  ///   - code: The limit at which nodes are shown.
  ///   - body: Returns the square of the distance that limits the rest of the search. 0 ends the search.
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
  /// Returns the squared distance from a position to the nearest position in a box.
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
