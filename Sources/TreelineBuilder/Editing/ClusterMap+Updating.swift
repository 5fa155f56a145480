import Synchronization
import Treeline

extension ClusterMap where Value: Identifiable, Value.ID: Comparable {
  /// Returns the map after an edit that inserts, removes or moves values.
  ///
  /// ```swift
  /// let vehicles = try ClusterMap(fleet, at: \.coordinate, supporting: .badges())
  /// let later = try vehicles.updating(inserting: [bus], removing: [tram.id], moving: [train])
  /// ```
  ///
  /// The result equals a map that is built from the new values, sorted by their ids. In particular, both trees have
  /// the same content hash. The result has no filter. The old map does not change.
  ///
  /// If possible, clusters are merged again only around the values that change, and the rest of the tree is copied.
  /// This is possible if the tree was built for spacings or badges. The first such edit of a map reads the merge
  /// history of its tree, which takes about half as long as a build. The new map inherits the history, so apply the
  /// next edit to the new map.
  ///
  /// Otherwise the map is built again. It is also built again if many values change, or if its plane changes. The
  /// plane changes if the widest gap between longitudes is elsewhere after the edit. Without a map projection, the
  /// plane changes if the bounding square of the coordinates changes. Columns are always encoded again.
  ///
  /// - Parameters:
  ///   - inserted: Values to insert. Their ids are not on the map.
  ///   - removed: Ids of values to remove.
  ///   - moved: Values that replace the values with the same ids. The new values may have other coordinates and other
  ///     properties.
  /// - Throws: `EditError`; `ColumnError.cancelled` if the current task is cancelled; or what the map's coordinate
  ///   function throws.
  /// - Complexity: A few milliseconds for each value that changes, plus a copy of the tree and of `values`. If the map
  ///   is built again, the edit takes as long as a build.
  public func updating(
    inserting inserted: [Value] = [], removing removed: [Value.ID] = [], moving moved: [Value] = []
  ) throws -> ClusterMap { try updating(by: \.id, inserting: inserted, removing: removed, moving: moved) }
}

extension ClusterMap {
  /// Returns this map after an edit, like `updating(inserting:removing:moving:)`, for values whose key is not their id.
  ///
  /// - Parameters:
  ///   - key: The key of a value. No two values have the same key.
  ///   - inserted: Values to insert. Their keys are not on the map.
  ///   - removed: Keys of values to remove.
  ///   - moved: Values that replace the values with the same keys.
  /// - Throws: `EditError`; `ColumnError.cancelled` if the current task is cancelled; or what the map's coordinate
  ///   function throws.
  public func updating<Key: Comparable>(
    by key: KeyPath<Value, Key> & Sendable, inserting inserted: [Value] = [], removing removed: [Key] = [],
    moving moved: [Value] = []
  ) throws -> ClusterMap {
    guard let recipe = recipe as? MapRecipe<Value> else { throw EditError.notBuilt }
    guard !recipe.isGrouped else { throw EditError.grouped }
    let (sorted, order) = try recipe.isSorted(by: key) ? (values, nil) : sorted(by: key)
    let edit = try ValueEdit(sorted, inserted, removed, moved, by: key, recipe)
    let next = edit.applied(to: sorted)
    let (edited, editor) = try editedTree(after: edit.points, of: next, isSorted: order == nil, recipe)
    let tree = edited.following(tree, edit.rowChange(order: order))
    do {
      return try ClusterMap(next, on: tree, adding: recipe.columns, recipe: recipe.with(editor, sortedBy: key))
    } catch ColumnError.unsuitableValue(let column, let row, let expected, let found, let remedy) {
      throw EditError.unsuitableValue(
        key: "\(next[row][keyPath: key])", column: column, expected: expected, found: found, remedy: remedy)
    }
  }

  /// Returns a function that says whether any value of the map has a given key. Returns nil if the values of the map
  /// are not known to be sorted by the key path `key`.
  func keySearch<Key: Comparable>(by key: KeyPath<Value, Key>) -> ((Key) -> Bool)? {
    guard (recipe as? MapRecipe<Value>)?.isSorted(by: key) ?? false else { return nil }
    return { wanted in
      let index = firstIndex(in: values.indices) { !(values[$0][keyPath: key] < wanted) }
      return index < values.count && values[index][keyPath: key] == wanted
    }
  }

  /// Returns the values sorted by their keys, and the previous row of each value. The rows are nil if the values were
  /// sorted already.
  ///
  /// - Throws: `EditError.unequalKey`, `EditError.sharedKey`
  private func sorted<Key: Comparable>(by key: KeyPath<Value, Key>) throws -> (values: [Value], order: [UInt32]?) {
    let keys = values.map { $0[keyPath: key] }
    guard keys.allSatisfy({ $0 == $0 }) else { throw EditError.unequalKey }
    let pairs = values.indices.dropFirst()
    if pairs.allSatisfy({ keys[$0 - 1] < keys[$0] }) { return (values, nil) }
    let order = values.indices.sorted { keys[$0] < keys[$1] }
    if let twice = pairs.first(where: { !(keys[order[$0 - 1]] < keys[order[$0]]) }) {
      throw EditError.sharedKey("\(keys[order[twice]])")
    }
    return (order.map { values[$0] }, order.map { UInt32($0) })
  }

  /// Returns the tree after an edit, and the editor for the next edit; the editor may be nil. The tree has no columns.
  private func editedTree(
    after edit: TreeEditor.Edit, of next: [Value], isSorted: Bool, _ recipe: MapRecipe<Value>
  ) throws -> (ClusterTree, TreeEditor?) {
    if isSorted && edit.count == 0 {
      return (tree.removing(columns: Set(tree.columns.map(\.name))), recipe.editor.take())
    }
    if isSorted, recipe.options.mergesLocally(edit.count, of: next.count) {
      let editor = try recipe.editor.take() ?? TreeEditor(tree) { try values.map(recipe.coordinate) }
      if let editor, let tree = try editor.update(edit, coordinates: { try next.map(recipe.coordinate) }) {
        return (tree, editor)
      }
    }
    return (try ClusterTree(next.map(recipe.coordinate), as: recipe.projection, options: recipe.options), nil)
  }
}

/// An edit of values that are sorted by their keys.
private struct ValueEdit<Value: Sendable> {
  /// Indices of values to remove, in rising order.
  private var removed: [Int] = []
  /// Values to move, and their indices.
  private var moved: [(index: Int, value: Value)] = []
  /// Values to insert, in rising order of their keys.
  private let inserted: [Value]
  /// The points that change. A value that is replaced but keeps its coordinate is not included.
  private(set) var points = TreeEditor.Edit()

  init<Key: Comparable>(
    _ values: [Value], _ inserted: [Value], _ removed: [Key], _ moved: [Value], by key: KeyPath<Value, Key>,
    _ recipe: MapRecipe<Value>
  ) throws {
    var keys = inserted.map { $0[keyPath: key] } + removed + moved.map { $0[keyPath: key] }
    guard keys.allSatisfy({ $0 == $0 }) else { throw EditError.unequalKey }
    keys.sort()
    if let twice = keys.indices.dropFirst().first(where: { keys[$0 - 1] == keys[$0] }) {
      throw EditError.keyTwice("\(keys[twice])")
    }
    func find(_ wanted: Key) -> (index: Int, exists: Bool) {
      let index = firstIndex(in: values.indices) { !(values[$0][keyPath: key] < wanted) }
      return (index, index < values.count && values[index][keyPath: key] == wanted)
    }
    func existing(_ wanted: Key) throws -> Int {
      let (index, exists) = find(wanted)
      guard exists else { throw EditError.noSuchKey("\(wanted)") }
      return index
    }
    func coordinate(_ value: Value) throws -> Coordinate {
      let found = try recipe.coordinate(value)
      guard recipe.projection.holds(found) else {
        throw EditError.invalidCoordinate(key: "\(value[keyPath: key])", found: found, projection: recipe.projection)
      }
      return found
    }
    for key in removed { self.removed.append(try existing(key)) }
    self.removed.sort()
    points.removed = try self.removed.map { ($0, try coordinate(values[$0])) }
    for value in moved {
      let index = try existing(value[keyPath: key])
      self.moved.append((index, value))
      let (from, to) = (try coordinate(values[index]), try coordinate(value))
      if from != to { points.moved.append((index, from, to)) }
    }
    self.inserted = inserted.sorted { $0[keyPath: key] < $1[keyPath: key] }
    for (number, value) in self.inserted.enumerated() {
      let (index, exists) = find(value[keyPath: key])
      if exists { throw EditError.keyExists("\(value[keyPath: key])") }
      // The row of this value depends on how many values before it are inserted or removed.
      let row = index + number - firstIndex(in: self.removed.indices) { self.removed[$0] >= index }
      points.added.append((row, try coordinate(value)))
    }
    guard values.count - removed.count + inserted.count <= IndexHeader.maximumPointCount else {
      throw BuildError.tooManyPoints(found: values.count - removed.count + inserted.count)
    }
  }

  /// Returns the rows that the edit removes and inserts.
  ///
  /// - Parameter order: For each sorted value, its row before the values were sorted; nil if the values were sorted
  ///   already.
  func rowChange(order: [UInt32]?) -> RowChange {
    RowChange(removed: removed, inserted: points.added.map(\.row), order: order)
  }

  /// Returns the values after the edit.
  func applied(to values: [Value]) -> [Value] {
    var values = values
    for (index, value) in moved { values[index] = value }
    return values.edited(removing: removed, inserting: inserted, at: points.added.map(\.row))
  }
}

extension Array {
  /// Returns the elements after an edit.
  ///
  /// - Parameters:
  ///   - removed: Indices of elements to remove, in rising order.
  ///   - rows: Indices that the inserted elements have after the edit, in rising order.
  func edited(removing removed: [Int], inserting inserted: [Element], at rows: [Int]) -> [Element] {
    if removed.isEmpty && inserted.isEmpty { return self }
    var (next, start, position) = ([Element](), 0, 0)
    next.reserveCapacity(count - removed.count + inserted.count)
    for removal in removed + [count] {
      while position < rows.count, rows[position] - next.count <= removal - start {
        let kept = rows[position] - next.count
        next += self[start..<start + kept]
        start += kept
        next.append(inserted[position])
        position += 1
      }
      next += self[start..<removal]
      start = removal + 1
    }
    return next
  }
}

extension Mutex<TreeEditor?> {
  /// Takes the editor away, so that no other edit can take it.
  func take() -> TreeEditor? {
    withLock { editor in
      defer { editor = nil }
      return editor
    }
  }
}

/// How a map was built from its values, so that an edit can build the edited map in the same way.
final class MapRecipe<Value: Sendable>: Sendable {
  let coordinate: @Sendable (Value) throws -> Coordinate
  let projection: Plane.Projection
  let options: BuildOptions
  let isGrouped: Bool
  let columns: [MapColumn<Value>]
  /// Key by which an edit has sorted the values; nil if no edit has sorted them.
  private let key: (AnyKeyPath & Sendable)?
  /// Editor of the map's tree. The next edit takes the editor, and passes it to the map that results from the edit.
  fileprivate let editor: Mutex<TreeEditor?>

  init(
    at coordinate: @escaping @Sendable (Value) throws -> Coordinate, as projection: Plane.Projection,
    _ options: BuildOptions, isGrouped: Bool, _ columns: [MapColumn<Value>],
    sortedBy key: (AnyKeyPath & Sendable)? = nil,
    editor: TreeEditor? = nil
  ) {
    (self.coordinate, self.projection, self.options) = (coordinate, projection, options)
    (self.isGrouped, self.columns, self.key) = (isGrouped, columns, key)
    self.editor = Mutex(editor)
  }

  func with(_ editor: TreeEditor?, sortedBy key: AnyKeyPath & Sendable) -> MapRecipe {
    MapRecipe(
      at: coordinate, as: projection, options, isGrouped: isGrouped, columns, sortedBy: key, editor: editor)
  }

  func isSorted(by key: AnyKeyPath) -> Bool { self.key.map { $0 == key } ?? false }
}
