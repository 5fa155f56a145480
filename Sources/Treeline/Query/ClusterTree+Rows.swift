extension ClusterTree {
  /// Where a point stands in tree order, given its row number and where it lies; nil if that row is not there.
  ///
  /// With `clusters(holdingPlace:)` and `Clusters.firstIndex(holdingPlace:)` it tells what cluster a point is part of:
  ///
  /// ```swift
  /// let place = try tree.place(ofRow: 4711, at: hotels[4711].coordinate)!
  /// let shown = try tree.clusters(in: box, limit: 50)
  /// let number = shown.firstIndex(holdingPlace: place)  // nil if none of the box's clusters holds it
  /// ```
  ///
  /// - Parameter coordinate: The one the point was built with.
  /// - Precondition: both numbers of the coordinate are finite.
  /// - Throws: `IndexError` where a file is damaged.
  /// - Complexity: O(log pointCount) for most points. Boxes of neighbouring clusters overlap, and all that are around the
  ///   position are looked into.
  public func place(ofRow row: Int, at coordinate: Coordinate) throws(IndexError) -> Int? {
    guard let row = UInt32(exactly: row) else { return nil }
    defer { withExtendedLifetime(storage) {} }
    return try storage.place(ofRow: row, at: plane.point(at: coordinate))
  }

  /// The same without the coordinate.
  ///
  /// - Complexity: O(pointCount); who asks often keeps the inverse of `members(of: root)`.
  public func place(ofRow row: Int) -> Int? {
    guard let row = UInt32(exactly: row) else { return nil }
    defer { withExtendedLifetime(storage) {} }
    return UnsafeBufferPointer(start: storage.rows, count: pointCount).firstIndex(of: row)
  }
}

extension TreeStorage {
  func place(ofRow row: UInt32, at point: PlanePoint) throws(IndexError) -> Int? {
    var waiting: [Node] = []
    func wait(_ node: Node) { if nodes[Int(node.record)].box.contains(point) { waiting.append(node) } }
    if let root { wait(root) }
    while let node = waiting.popLast() {
      if isStored(node), let (left, right) = try children(of: node) {
        wait(right)
        wait(left)
      } else if nodes[Int(node.record)].box.isPoint {
        if let place = place(ofRow: row, inStack: node.range) { return place }
      } else {
        let place = try distinctTreeIndices(of: node).first { points[$0] == point && rows[$0] == row }
        if let place { return place }
      }
    }
    return nil
  }

  /// Rows of one position are in their order.
  private func place(ofRow row: UInt32, inStack range: Range<Int>) -> Int? {
    let index = firstIndex(in: range) { rows[$0] >= row }
    return index < range.upperBound && rows[index] == row ? index : nil
  }
}
