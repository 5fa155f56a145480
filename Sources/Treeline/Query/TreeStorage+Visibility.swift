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
  /// Of two children the one with fewer points is looked into by a call and the other by going on, so calls nest at most
  /// 31 deep, however deep a damaged file says that its tree is: a thread may have a small stack.
  ///
  /// Complexity: O(1) for most nodes; at worst as many nodes as lie across the window's corners.
  private func hasPoint(_ node: Node, in window: PlaneWindow) throws(IndexError) -> Bool {
    var node = node
    while isStored(node) {
      guard let (left, right) = try children(of: node) else { return false }
      let (smaller, larger) = left.count < right.count ? (left, right) : (right, left)
      let smallerBox = nodes[Int(smaller.record)].box
      if window.intersects(smallerBox) {
        if window.containsSide(of: smallerBox) { return true }
        if try hasPoint(smaller, in: window) { return true }
      }
      let largerBox = nodes[Int(larger.record)].box
      guard window.intersects(largerBox) else { return false }
      if window.containsSide(of: largerBox) { return true }
      node = larger
    }
    let count = nodes[Int(node.record)].box.isPoint ? 1 : Int(node.count)
    guard count <= NodeRecord.bucketCapacity else { throw bucketOverfull(node.record) }
    let members = UnsafeBufferPointer(start: points + Int(node.first), count: count)
    for point in members where window.contains(point) { return true }
    return false
  }
}
