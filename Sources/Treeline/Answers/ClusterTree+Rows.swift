// A point has two numbers: its row, counted in the order of the input, and its tree index, counted in tree order.

extension ClusterTree {
  /// Returns the row numbers of a cluster's points. The rows of the input are numbered from 0. Under a filter, returns
  /// only the rows of points that pass.
  ///
  /// - Precondition: The cluster is from an answer of this tree.
  /// - Complexity: O(1)
  public func members(of cluster: Cluster) -> RowNumbers {
    precondition(
      cluster.range.upperBound <= pointCount,
      "Expected a cluster of this tree, which has \(pointCount) points, found a cluster of the points \(cluster.range)")
    return RowNumbers(tree: self, range: cluster.range)
  }

  /// Returns the index of a point in tree order, given its row number and its coordinate; nil if there is no such
  /// point.
  ///
  /// - Parameters:
  ///   - row: The row number of the point.
  ///   - coordinate: The coordinate that the point had when the tree was built.
  /// - Throws: `IndexError` if the file is damaged.
  /// - Complexity: O(log pointCount) for most points. The boxes of neighboring clusters may overlap, and every box
  ///   that contains the position is searched.
  package func treeIndex(ofRow row: Int, at coordinate: Coordinate) throws(IndexError) -> Int? {
    guard coordinate.longitude.isFinite, coordinate.latitude.isFinite else { return nil }
    return try withStorage { storage throws(IndexError) in
      try storage.treeIndex(ofRow: row, at: plane.point(at: coordinate))
    }
  }

  /// Returns the index of a point in tree order, given its row number and its position; nil if there is no such point.
  package func treeIndex(ofRow row: Int, at position: PlanePoint) throws(IndexError) -> Int? {
    try withStorage { storage throws(IndexError) in try storage.treeIndex(ofRow: row, at: position) }
  }

  /// Returns the index of a point in tree order, given only its row number.
  ///
  /// - Complexity: O(pointCount). For many lookups, make a `RowOrder` once.
  package func treeIndex(ofRow row: Int) -> Int? {
    withStorage { storage in (0..<pointCount).first { storage.rows[$0] == row } }
  }
}

/// A table for many lookups: all rows of a tree in ascending order, with the tree index of each row.
@_spi(Server) public struct RowOrder: Sendable {
  /// The rows in ascending order, and the tree index of each row. Input rows that have no position are missing.
  private let rows: [Int]
  private let treeIndices: [UInt32]

  /// - Complexity: O(pointCount log pointCount)
  public init(of tree: ClusterTree) {
    let entries = (0..<tree.pointCount).map { (row: tree.row(atTreeIndex: $0), treeIndex: UInt32($0)) }
      .sorted { $0.row < $1.row }
    (rows, treeIndices) = (entries.map(\.row), entries.map(\.treeIndex))
  }

  /// Returns the tree index of a row; nil if no point has that row.
  ///
  /// - Complexity: O(log pointCount)
  public func treeIndex(ofRow row: Int) -> Int? {
    let index = firstIndex(in: 0..<rows.count) { rows[$0] >= row }
    return index < rows.count && rows[index] == row ? Int(treeIndices[index]) : nil
  }
}

/// The row numbers of a cluster's points, in tree order. Neighbors in the list are neighbors on the map. Points at one
/// position are in the order of their rows.
///
/// Taking a slice, such as the page `rows.dropFirst(200).prefix(100)`, costs O(1) and copies nothing. Under a filter,
/// reading one row of a cluster with n points costs O(log n).
public struct RowNumbers: RandomAccessCollection, Sendable {
  let tree: ClusterTree
  let range: Range<Int>
  /// The number of passing points that precede the cluster's points in tree order. Without a filter, all points pass.
  private let countBefore: Int

  public let endIndex: Int
  public var startIndex: Int { 0 }

  init(tree: ClusterTree, range: Range<Int>) {
    (self.tree, self.range) = (tree, range)
    if let points = tree.selection?.points {
      countBefore = Int(points.count(before: UInt32(range.lowerBound)))
      endIndex = Int(points.count(before: UInt32(range.upperBound))) - countBefore
    } else {
      (countBefore, endIndex) = (range.lowerBound, range.count)
    }
  }

  public subscript(position: Int) -> Int { tree.withStorage { $0.rows[treeIndex(at: position)] } }

  /// The tree indices of the points, in ascending order.
  package var treeIndices: some RandomAccessCollection<Int> {
    // Reading a tree index costs as much as reading a row number: O(1) without a filter.
    (0..<endIndex).lazy.map { treeIndex(at: $0) }
  }

  /// Returns the tree index of the point at a position in the list.
  @_spi(Server) public func treeIndex(at position: Int) -> Int {
    precondition(position >= 0 && position < endIndex, "Expected a position below \(endIndex), found \(position)")
    return tree.selection?.points.treeIndex(ofNumber: countBefore + position, in: range) ?? countBefore + position
  }
}

extension TreeStorage {
  fileprivate func treeIndex(ofRow row: Int, at point: PlanePoint) throws(IndexError) -> Int? {
    var waiting: [Node] = []
    func wait(_ node: Node) { if nodes[Int(node.record)].box.contains(point) { waiting.append(node) } }
    if let root { wait(root) }
    while let node = waiting.popLast() {
      if isStored(node), let (left, right) = try children(of: node) {
        wait(right)
        wait(left)
      } else if nodes[Int(node.record)].box.isPoint {
        if let treeIndex = treeIndex(ofRow: row, inStack: node.range) { return treeIndex }
      } else {
        let treeIndex = try distinctTreeIndices(of: node, AllPoints()).first { points[$0] == point && rows[$0] == row }
        if let treeIndex { return treeIndex }
      }
    }
    return nil
  }

  /// Finds a row in a stack, which consists of points at one position. The rows of a stack are in ascending order.
  private func treeIndex(ofRow row: Int, inStack range: Range<Int>) -> Int? {
    let index = firstIndex(in: range) { rows[$0] >= row }
    return index < range.upperBound && rows[index] == row ? index : nil
  }
}
