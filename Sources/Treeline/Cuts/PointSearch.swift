extension TreeStorage {
  /// Whether any node, a part of a bucket too, has a point in the window.
  func hasVisiblePoint(_ node: Node, in window: PlaneWindow) throws(IndexError) -> Bool {
    if node.depthInBucket == 0 { return try isSeen(node, in: window) }
    return node.range.contains { window.contains(points[$0]) }
  }

  /// Whether a stored node has a point in the window.
  func isSeen(_ node: Node, in window: PlaneWindow) throws(IndexError) -> Bool {
    let box = nodes[Int(node.record)].box
    guard window.intersects(box) else { return false }
    if window.contains(box) || window.containsSide(of: box) { return true }
    return try hasPoint(node, in: window)
  }

  /// Whether a node whose box lies across the window's edges, no side of it inside, has a point in the window.
  ///
  /// Of two children the one with fewer points is looked into by a call and the other by going on, so calls nest at most
  /// 31 deep, however deep a damaged file says that its tree is: a thread may have a small stack.
  ///
  /// Complexity: O(1) for most nodes; at worst as many nodes as lie across the window's corners.
  func hasPoint(_ node: Node, in window: PlaneWindow) throws(IndexError) -> Bool {
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
