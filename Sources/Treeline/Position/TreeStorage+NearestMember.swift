extension TreeStorage {
  /// The place, in tree order, of the point of a node that lies nearest to the node's mean, of those in a window; of several
  /// equally near the first. nil where none is in the window.
  ///
  /// Depth first, the nearer child before the other, leaving out what lies no nearer than the best so far (Roussopoulos,
  /// Kelley and Vincent 1995, doi:10.1145/223784.223794). What waits is at most one node a level.
  ///
  /// Complexity: O(log n) for most nodes; O(n) where most points are equally far from the mean, as on a circle.
  func nearestMember(of node: Node, in window: PlaneWindow) throws(IndexError) -> Int? {
    try checkSummary(of: node)
    let box = box(of: node)
    let distance = MeanDistance(to: summary(of: node, in: box).sums, ofCount: node.count, in: box)
    var best: (squared: UInt128, place: Int)?
    func isWorthALook(_ squared: UInt128, _ place: Int) -> Bool {
      guard let best else { return true }
      return (squared, place) < best
    }

    var waiting = [(node: node, squared: UInt128(0))]
    while let (node, squared) = waiting.popLast() {
      guard isWorthALook(squared, Int(node.first)) else { continue }
      if isStored(node), let (left, right) = try children(of: node) {
        let sides = [left, right].compactMap { child in
          let box = nodes[Int(child.record)].box
          return window.intersects(box) ? (node: child, squared: distance.squared(from: box)) : nil
        }
        waiting += sides.count == 2 && sides[0].squared <= sides[1].squared ? sides.reversed() : sides
        continue
      }
      for place in try distinctPlaces(of: node) where window.contains(points[place]) {
        let squared = distance.squared(from: points[place])
        if isWorthALook(squared, place) { best = (squared, place) }
      }
    }
    return best?.place
  }

  /// The places of a bucket, of a part of one or of a stack, where the first speaks for all.
  func distinctPlaces(of node: Node) throws(IndexError) -> Range<Int> {
    if nodes[Int(node.record)].box.isPoint { return node.range.prefix(1) }
    guard node.count <= NodeRecord.bucketCapacity else { throw bucketOverfull(node.record) }
    return node.range
  }
}
