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
    try visibility(of: node, box(of: node), in: window)
  }

  @inline(__always)
  private func visibility(of node: Node, _ box: PlaneRect, in window: PlaneWindow) throws(IndexError)
    -> Visibility
  {
    guard window.intersects(box) else { return .none }
    if window.contains(box) { return .whole }
    if window.containsSide(of: box) { return .partial }
    return try hasPoint(node, in: window) ? .partial : .none
  }

  /// The visibility of both children of a node that has a point inside the window.
  ///
  /// Where one child has none, the other must have one: only where both boxes reach into the window are points looked
  /// at, so that the way down to a small window costs a box or two a level.
  @inline(__always)
  func visibility(
    ofChildren children: (left: Node, right: Node), in window: PlaneWindow
  ) throws(IndexError) -> (left: Visibility, right: Visibility) {
    let (leftBox, rightBox) = (box(of: children.left), box(of: children.right))
    guard window.intersects(leftBox) else { return (.none, window.contains(rightBox) ? .whole : .partial) }
    guard window.intersects(rightBox) else { return (window.contains(leftBox) ? .whole : .partial, .none) }
    let left = try visibility(of: children.left, leftBox, in: window)
    if left == .none { return (.none, window.contains(rightBox) ? .whole : .partial) }
    return (left, try visibility(of: children.right, rightBox, in: window))
  }

  /// Whether a node whose box lies across the window's edges, no side of it inside, has a point in the window.
  ///
  /// Complexity: O(1) for most nodes; at worst as many nodes as lie across the window's corners.
  private func hasPoint(_ node: Node, in window: PlaneWindow) throws(IndexError) -> Bool {
    guard isStored(node) else {
      let count = nodes[Int(node.record)].box.isPoint ? 1 : Int(node.count)
      guard count <= NodeRecord.bucketCapacity else { throw bucketOverfull(node.record) }
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
    return window.containsSide(of: box) ? true : try hasPoint(child, in: window)
  }
}
