import CTreeline
import Treeline
import TreelineBuilder

@_cdecl("treeline_update")
public func updateTree(
  _ tree: OpaquePointer?, _ edit: UnsafePointer<treeline_edit>?, _ columns: UnsafePointer<treeline_column>?,
  _ columnCount: Int, _ monitor: UnsafePointer<treeline_monitor>?, _ error: ErrorPlace
) -> OpaquePointer? {
  attemptObject(error) {
    let object = try tree.object(TreeObject.self)
    let edit = try given(edit, "an edit").pointee
    guard let editable = object.editable else {
      if object.unfiltered.groups.isEmpty == false { throw EditError.grouped }
      throw ArgumentError("this tree cannot be edited; build it with editable=true")
    }
    let rows = 0..<editable.pointCount
    let removed = try edit.rows(edit.removed, edit.removed_count, "removed", in: rows)
    let moved = try edit.places(edit.moved, edit.moved_points, "moved", in: rows)
    if let twice = Set(removed).intersection(moved.map(\.row)).min() {
      throw ArgumentError("the edit both removes and moves row \(twice); list each row only once")
    }
    let insertedCount = try edit.inserted_points.checkedCount
    // The counts of existing and of inserted points are at most 2^31 each, so their sum does not overflow.
    let count = editable.pointCount - removed.count + insertedCount
    let inserted = try edit.places(edit.inserted, edit.inserted_points, "inserted", in: 0..<count)
    let columns = try inputColumns(columns, columnCount, pointCount: count)
    let next = try editable.updating(
      removing: removed, moving: moved, inserting: inserted,
      cancellation: monitor?.pointee.buildCancellation ?? BuildCancellation(), progress: monitor?.pointee.report)
    return try TreeObject(next.tree, adding: columns, editable: next, monitor?.pointee)
  }
}

extension treeline_edit {
  /// Returns the row numbers that a C program has passed.
  ///
  /// - Throws: `ArgumentError` if the row numbers do not ascend, or if one of them is out of range.
  fileprivate func rows(_ start: UnsafePointer<Int64>?, _ count: Int, _ verb: String, in range: Range<Int>) throws
    -> [Int]
  {
    var last = -1
    return try array(start, count, of: "\(verb) rows").map { row in
      guard let row = Int(exactly: row), last < row, range.contains(row) else {
        throw ArgumentError(
          "expected \(verb) rows in ascending order, at least 0 and below \(range.upperBound), found \(row)"
            + (last < 0 ? "" : " after \(last)"))
      }
      last = row
      return row
    }
  }

  fileprivate func places(
    _ start: UnsafePointer<Int64>?, _ points: treeline_points, _ verb: String, in range: Range<Int>
  ) throws -> [EditableTree.Place] {
    let places = zip(try rows(start, points.checkedCount, verb, in: range), try points.coordinates)
    return places.map { (row: $0, coordinate: $1) }
  }
}
