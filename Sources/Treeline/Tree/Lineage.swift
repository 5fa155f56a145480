import Synchronization

/// A version of a tree whose points can be inserted, removed and moved. A version can find the rows of earlier
/// versions among its own rows. Therefore answers of two versions can be compared point by point.
final class Lineage: Sendable {
  /// Number of this version. It is unique in this run of the program.
  private let number = Lineage.count.add(1, ordering: .relaxed).newValue
  /// Numbers of earlier versions. Each number is stored with the change that made the next version from that version.
  /// The last change made this version.
  private let changes: [(number: Int, change: RowChange)]

  private static let count = Atomic<Int>(0)
  /// Greatest number of changes that a version remembers. The points of an older version cannot be found in this
  /// version if more than this number of changes lie between the two versions.
  private static let most = 256

  /// Makes the first version of a tree.
  init() { changes = [] }

  /// Makes the version that results from a change to an earlier version.
  init(after earlier: Lineage, _ change: RowChange) {
    changes = earlier.changes.suffix(Self.most - 1) + [(earlier.number, change)]
  }

  /// Returns the changes that lead from an earlier version to this version, in order; nil if the changes are not known.
  func changes(since earlier: Lineage) -> [RowChange]? {
    if earlier.number == number { return [] }
    return changes.firstIndex { $0.number == earlier.number }.map { changes[$0...].map(\.change) }
  }
}

/// The rows that an edit removes and inserts. If the rows were not sorted by their keys, the edit first sorts them.
/// The rows that remain are renumbered and keep their order.
package struct RowChange: Sendable {
  /// The rows that the edit removes, in rising order. Each row is given by its number among the sorted rows, before
  /// any row is removed.
  private let removed: [Int]
  /// The rows that the edit inserts, in rising order. Each row is given by its number after the edit.
  private let inserted: [Int]
  /// The order in which the edit sorts the rows; nil if the rows were already sorted.
  private let order: Order?

  private struct Order: Sendable {
    /// For each sorted row, its original row number.
    let rows: [UInt32]
    /// For each original row number, the number of the same row among the sorted rows.
    let places: [UInt32]
  }

  /// - Parameter order: For each sorted row, its original row number; nil if the edit does not sort the rows.
  package init(removed: [Int], inserted: [Int], order rows: [UInt32]? = nil) {
    (self.removed, self.inserted) = (removed, inserted)
    order = rows.map { rows in
      var places = rows
      for (place, row) in rows.enumerated() { places[Int(row)] = UInt32(place) }
      return Order(rows: rows, places: places)
    }
  }

  /// Returns the number that a row has after the edit; nil if the edit removes the row.
  @inline(__always) func row(after row: Int) -> Int? {
    let row = if let order { Int(order.places[row]) } else { row }
    let before = removed.isEmpty ? 0 : firstIndex(in: removed.indices) { removed[$0] >= row }
    if before < removed.count, removed[before] == row { return nil }
    let kept = row - before
    return inserted.isEmpty ? kept : kept + firstIndex(in: inserted.indices) { inserted[$0] - $0 > kept }
  }

  /// Returns the number that a row had before the edit; nil if the edit inserts the row.
  @inline(__always) func row(before row: Int) -> Int? {
    let after = inserted.isEmpty ? 0 : firstIndex(in: inserted.indices) { inserted[$0] >= row }
    if after < inserted.count, inserted[after] == row { return nil }
    let kept = row - after
    let before = removed.isEmpty ? kept : kept + firstIndex(in: removed.indices) { removed[$0] - $0 > kept }
    return if let order { Int(order.rows[before]) } else { before }
  }
}

extension ClusterTree {
  /// Returns this tree as the first version of a tree that may be edited.
  package func startingLineage() -> ClusterTree { with(Lineage()) }

  /// Returns this tree as the version that follows `earlier`. `change` says which rows were removed and inserted.
  package func following(_ earlier: ClusterTree, _ change: RowChange) -> ClusterTree {
    with(earlier.lineage.map { Lineage(after: $0, change) } ?? Lineage())
  }

  /// Returns a function that maps rows of `earlier` to rows of this tree; nil if this tree is not known to be a later
  /// version of `earlier`. The returned function returns nil for rows that were removed in the meantime.
  package func rowMapping(from earlier: ClusterTree) -> ((Int) -> Int?)? {
    rowChanges(since: earlier).map { changes in
      { row in changes.reduce(Optional(row)) { row, change in row.flatMap { change.row(after: $0) } } }
    }
  }

  /// Finds a point of `earlier` in this tree, and returns the point's tree index in this tree. Returns nil if the
  /// point was removed, or if this tree is not known to be a later version of `earlier`.
  ///
  /// - Complexity: O(log pointCount); O(pointCount) if the point has moved
  package func treeIndex(ofTreeIndex treeIndex: Int, in earlier: ClusterTree) -> Int? {
    guard let row = rowMapping(from: earlier)?(earlier.row(atTreeIndex: treeIndex)) else { return nil }
    if plane == earlier.plane, let same = try? self.treeIndex(ofRow: row, at: earlier.position(atTreeIndex: treeIndex))
    {
      return same
    }
    return self.treeIndex(ofRow: row)
  }

  /// Returns the changes that lead from `earlier` to this tree, in order; nil if this tree is not known to be a later
  /// version of `earlier`.
  func rowChanges(since earlier: ClusterTree) -> [RowChange]? {
    guard let lineage, let old = earlier.lineage else { return nil }
    return lineage.changes(since: old)
  }
}
