import Treeline

extension QuadTree {
  /// The row numbers of all points in a window, ascending.
  ///
  /// Complexity: O(h log h) for h points found, and the nodes along the window's edges.
  public func rows(in window: PlaneWindow) -> [Int] {
    var found: [UInt32] = []
    visit(window) { range in
      found += rows[range]
      return true
    }
    found.sort()
    return found.map(Int.init)
  }

  /// How many points a window holds.
  ///
  /// Complexity: the nodes along the window's edges; those inside are counted whole.
  public func pointCount(in window: PlaneWindow) -> Int {
    var count = 0
    visit(window) { range in
      count += range.count
      return true
    }
    return count
  }

  /// Whether a node has a point in a window.
  func hasPoint(in window: PlaneWindow, below node: Int) -> Bool {
    var found = false
    visit(window, from: node) { _ in
      found = true
      return false
    }
    return found
  }

  /// Hands out the points of a window as ranges of tree order, whole nodes where they fit, until `body` returns false.
  @inline(__always)
  private func visit(_ window: PlaneWindow, from start: Int = 0, _ body: (Range<Int>) -> Bool) {
    guard start < nodes.count else { return }
    var stack = [start]
    while let index = stack.popLast() {
      let node = nodes[index]
      guard window.intersects(node.totals.bounds) else { continue }
      if window.contains(node.totals.bounds) {
        guard body(node.range) else { return }
      } else if node.isLeaf {
        for position in node.range where window.contains(points[position]) {
          guard body(position..<position + 1) else { return }
        }
      } else {
        stack += children(of: node)
      }
    }
  }

  /// The indices of a node's children.
  func children(of node: Node) -> Range<Int> {
    guard !node.isLeaf else { return 0..<0 }
    let first = Int(node.firstChild)
    var end = first + 1
    while nodes[end - 1].range.upperBound < node.range.upperBound { end += 1 }
    return first..<end
  }
}
