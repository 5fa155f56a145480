extension TreeStorage {
  enum Visibility {
    /// No point is inside the window; boxes may touch it.
    case none
    /// At least one point is inside, and as far as the box tells one may be outside.
    case partial
    case whole
  }

  /// How much of a node a window shows, judged by its points and not by its box alone.
  @inline(__always)
  func visibility(of node: Node, in window: PlaneWindow) throws(IndexError) -> Visibility {
    let box = box(of: node)
    guard window.intersects(box) else { return .none }
    if window.contains(box) { return .whole }
    return try hasPoint(node, in: window) ? .partial : .none
  }

  /// Complexity: O(1) for most nodes; at worst as many nodes as straddle the window's edges.
  private func hasPoint(_ node: Node, in window: PlaneWindow) throws(IndexError) -> Bool {
    guard isStored(node) else {
      let count = nodes[Int(node.record)].box.isPoint ? 1 : Int(node.count)
      guard count <= NodeRecord.bucketCapacity else {
        throw .damagedNode(record: Int(node.record), reason: .bucketOverfull)
      }
      let members = UnsafeBufferPointer(start: points + Int(node.first), count: count)
      for point in members where window.contains(point) { return true }
      return false
    }
    guard let (left, right) = try children(of: node) else { return false }
    let inLeft = try hasPoint(ofChild: left, in: window)
    return inLeft ? true : try hasPoint(ofChild: right, in: window)
  }

  private func hasPoint(ofChild child: Node, in window: PlaneWindow) throws(IndexError) -> Bool {
    let box = nodes[Int(child.record)].box
    guard window.intersects(box) else { return false }
    return window.contains(box) ? true : try hasPoint(child, in: window)
  }
}
