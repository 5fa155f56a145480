import Treeline

/// Finds the nodes that are shown around another node, by a walk through the tree. Each node has a code: the distance
/// at which the node is split, in two bytes.
///
/// The codes of the nodes decide which nodes are shown at a given code. A node is shown if its parent is split at the
/// given code, but the node itself is not split. A walk visits the tree from the root down. Nodes that are near the
/// visited node are either below this node, or in subtrees beside the path to it. So only the path is kept, and memory
/// does not grow with the tree.
struct ShownNeighbours {
  private let storage: TreeStorage
  private let codes: UnsafePointer<UInt16>
  private let projection: Plane.Projection
  private let pages: PageUse
  /// The siblings of the visited node and of its ancestors. The topmost sibling comes first.
  private var siblings: [Branch] = []
  private var waiting: [Branch] = []

  /// A node, and the data that decide whether the node is shown and whether it is near.
  private struct Branch {
    let node: Node
    let box: PlaneRect
    let code: SeparationCode
  }

  init(_ storage: TreeStorage, _ codes: UnsafePointer<UInt16>, _ projection: Plane.Projection, _ pages: PageUse) {
    (self.storage, self.codes, self.projection, self.pages) = (storage, codes, projection, pages)
  }

  /// Begins at a node. `siblings` are the siblings of the node and of its ancestors, from the top of the tree down.
  mutating func begin(behind siblings: [Node]) { self.siblings = siblings.dropLast().map { branch($0) } }

  /// Moves to another node, which becomes the visited node.
  ///
  /// - Parameters:
  ///   - depth: The depth of the node below the root of the walk. The parent of the node must be the node that was
  ///     visited last, or an ancestor of that node.
  ///   - sibling: The sibling of the node; nil if the node is the root.
  mutating func visit(atDepth depth: Int, sibling: Node?) {
    siblings.removeLast(siblings.count - max(depth - 1, 0))
    if let sibling { siblings.append(branch(sibling)) }
  }

  private func branch(_ node: Node) -> Branch {
    pages.note(node)
    return Branch(node: node, box: storage.box(of: node), code: code(of: node))
  }

  /// Returns the code of a node. In a sound tree, the children of every node can be read.
  private func code(of node: Node) -> SeparationCode {
    guard let number = try! storage.children(of: node)?.right.first else { return .zero }
    return SeparationCode(rawValue: codes[Int(number)])
  }

  /// Visits shown nodes that may be nearer to a position than a given distance. Skips the visited node and the nodes
  /// below it.
  ///
  /// - Parameter body: Returns the square of the distance that limits the rest of the search. 0 ends the search.
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
