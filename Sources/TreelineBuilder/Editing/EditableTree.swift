import Synchronization
import Treeline

/// A tree with the coordinates from which it was built, for edits that name points by their rows.
///
/// Callers that store their own values and keys, such as callers in C, use an editable tree instead of a
/// `ClusterMap`.
package final class EditableTree: Sendable {
  /// The tree, without columns.
  package let tree: ClusterTree
  private let coordinates: [Coordinate]
  private let projection: Plane.Projection
  private let options: BuildOptions
  /// Editor of the tree; nil if there is none. An edit takes the editor away from this tree, and passes it to the tree
  /// that results from the edit.
  private let editor: Mutex<TreeEditor?>

  package typealias Place = (row: Int, coordinate: Coordinate)

  /// - Parameters:
  ///   - tree: The tree that a build with these options makes from the coordinates. It has no groups or columns.
  package convenience init(
    _ tree: ClusterTree, of coordinates: [Coordinate], as projection: Plane.Projection, options: BuildOptions
  ) { self.init(tree, coordinates, projection, options, nil) }

  private init(
    _ tree: ClusterTree, _ coordinates: [Coordinate], _ projection: Plane.Projection, _ options: BuildOptions,
    _ editor: TreeEditor?
  ) {
    (self.tree, self.coordinates, self.projection, self.options) = (tree, coordinates, projection, options)
    self.editor = Mutex(editor)
  }

  package var pointCount: Int { coordinates.count }

  /// Returns the tree after an edit. This tree equals a tree that is built from the new coordinates.
  ///
  /// Like `ClusterMap.updating`, merges clusters again around the changed points, or builds the whole tree again.
  ///
  /// - Parameters:
  ///   - removed: Rows to remove, in rising order.
  ///   - moved: Rows to move, with their new coordinates. No row occurs twice, and no row is also in `removed`.
  ///   - inserted: Points to insert, with their rows after the edit, in rising order.
  /// - Throws: `EditError.invalidCoordinate`, `BuildError`, or `CancellationError`.
  /// - Precondition: Rows exist and are in order.
  package func updating(
    removing removed: [Int], moving moved: [Place], inserting inserted: [Place],
    cancellation: BuildCancellation = BuildCancellation(), progress: (@Sendable (BuildProgress) -> Void)? = nil
  ) throws -> EditableTree {
    for (row, coordinate) in moved + inserted where !projection.holds(coordinate) {
      throw EditError.invalidCoordinate(key: "in row \(row)", found: coordinate, projection: projection)
    }
    let count = coordinates.count - removed.count + inserted.count
    guard count <= IndexHeader.maximumPointCount else { throw BuildError.tooManyPoints(found: count) }
    let edit = TreeEditor.Edit(
      removed: removed.map { ($0, coordinates[$0]) },
      moved: moved.compactMap { row, target in
        coordinates[row] == target ? nil : (row, coordinates[row], target)
      },
      added: inserted.map { ($0.row, $0.coordinate) })
    if edit.count == 0 { return EditableTree(tree, coordinates, projection, options, editor.take()) }
    var next = coordinates
    for (row, coordinate) in moved { next[row] = coordinate }
    next = next.edited(removing: removed, inserting: inserted.map(\.coordinate), at: inserted.map(\.row))
    if options.mergesLocally(edit.count, of: count) {
      let editor = editor.take() ?? TreeEditor(tree) { coordinates }
      if let editor, let tree = editor.update(edit, coordinates: { next }) {
        return EditableTree(tree, next, projection, options, editor)
      }
    }
    let tree = try ClusterTree.build(
      next, groupedBy: nil, as: projection, options: options, cancellation: cancellation, progress: progress)
    return EditableTree(tree, next, projection, options, nil)
  }
}

extension BuildOptions {
  /// Whether merging only around the changed points is probably faster than a build.
  func mergesLocally(_ changeCount: Int, of pointCount: Int) -> Bool {
    guard growth.mergeMetric?.keepsApart ?? false else { return false }
    return changeCount * pointsPerChange <= pointCount
  }
}
