import CTreeline
@_spi(Server) import Treeline

@_cdecl("treeline_members")
public func members(_ tree: OpaquePointer?, _ id: UInt64, _ offset: Int, _ limit: Int, _ error: ErrorPlace)
  -> OpaquePointer?
{
  attemptObject(error) {
    let tree = try tree.object(TreeObject.self).tree
    let (members, page) = try memberPage(of: id, in: tree, offset, limit)
    return Table(pointColumns(atTreeIndices: page.map(members.treeIndex), of: tree))
  }
}

/// Returns the points of a cluster, and a page of them. Offset and limit may be huge, but the page never extends past
/// the last point.
func memberPage(of id: UInt64, in tree: ClusterTree, _ offset: Int, _ limit: Int) throws -> (RowNumbers, Range<Int>) {
  let members = tree.members(of: try tree.cluster(ClusterID(rawValue: id)))
  let start = Int(min(size(offset), size(members.count)))
  return (members, start..<start + Int(min(size(limit), size(members.count - start))))
}

@_cdecl("treeline_search")
public func search(
  _ tree: OpaquePointer?, _ beginning: UnsafePointer<CChar>?, _ column: UnsafePointer<CChar>?, _ limit: Int,
  _ error: ErrorPlace
) -> OpaquePointer? {
  attemptObject(error) {
    let tree = try tree.object(TreeObject.self).tree
    let searched = try text(beginning, "a text")
    let hits = try tree.search(searched, in: string(column), limit: Int(min(size(limit), size(tree.pointCount))))
    return Table(
      pointColumns(atTreeIndices: hits.map(\.treeIndex), of: tree) + [TableColumn("text", texts: hits.map(\.text))])
  }
}

private func pointColumns(atTreeIndices treeIndices: [Int], of tree: ClusterTree) -> [TableColumn] {
  let coordinates = treeIndices.map { tree.plane.coordinate(at: tree.position(atTreeIndex: $0)) }
  return [
    TableColumn("row", integers: treeIndices.map { Int64(tree.row(atTreeIndex: $0)) }),
    TableColumn("tree_index", integers: treeIndices.map { Int64($0) }),
    TableColumn("x", doubles: coordinates.map(\.longitude)), TableColumn("y", doubles: coordinates.map(\.latitude)),
  ]
}

@_cdecl("treeline_values")
public func columnValues(
  _ tree: OpaquePointer?, _ column: UnsafePointer<CChar>?, _ treeIndices: UnsafePointer<Int64>?, _ count: Int,
  _ error: ErrorPlace
) -> OpaquePointer? {
  attemptObject(error) {
    let (object, name) = (try tree.object(TreeObject.self), try text(column, "the name of a column"))
    guard let column = object.tree.column(name) else {
      throw FilterError.unknownColumn(name: name, known: object.tree.columns.map(\.name))
    }
    let indices = try array(treeIndices, count, of: "tree indices").map { try object.checked(treeIndex: $0) }
    if column.kind == .number, case .integers(let integers) = column.values, integers.digits == 0 {
      return Table([TableColumn(column.name, integers: indices.map { integers.integer(at: $0) })])
    }
    return Table([TableColumn(column.name, indices.map { column.value(atTreeIndex: $0) }, of: column)])
  }
}

@_cdecl("treeline_hull")
public func hull(_ tree: OpaquePointer?, _ id: UInt64, _ error: ErrorPlace) -> OpaquePointer? {
  attemptObject(error) {
    let tree = try tree.object(TreeObject.self).tree
    let corners = tree.convexHull(of: try tree.cluster(ClusterID(rawValue: id)))
    return Table([
      TableColumn("x", doubles: corners.map(\.longitude)), TableColumn("y", doubles: corners.map(\.latitude)),
    ])
  }
}

@_cdecl("treeline_expansion_zoom")
public func expansionZoom(
  _ tree: OpaquePointer?, _ id: UInt64, _ cut: UnsafePointer<CChar>?, _ zoom: UnsafeMutablePointer<Double>?,
  _ error: ErrorPlace
) -> Bool {
  attempt(error) { () -> Void in
    let (cut, tileSize) = try readScale(cut)
    let zoom = try given(zoom, "memory for a zoom")
    let tree = try tree.object(TreeObject.self).tree
    let found = try tree.separationZoom(of: ClusterID(rawValue: id), for: cut, tileSize: tileSize)
    zoom.pointee = QueryParameters.Bounds().reached(found) ?? .nan
  } != nil
}

@_cdecl("treeline_unclustered_zoom")
public func unclusteredZoom(
  _ tree: OpaquePointer?, _ treeIndex: Int64, _ cut: UnsafePointer<CChar>?, _ zoom: UnsafeMutablePointer<Double>?,
  _ error: ErrorPlace
) -> Bool {
  attempt(error) { () -> Void in
    let (cut, tileSize) = try readScale(cut)
    let zoom = try given(zoom, "memory for a zoom")
    let object = try tree.object(TreeObject.self)
    let index = try object.checked(treeIndex: treeIndex)
    zoom.pointee = try object.tree.unclusteredZoom(ofTreeIndex: index, for: cut, tileSize: tileSize) ?? .nan
  } != nil
}

/// Reads a cut, and the tile size that defines the meaning of zooms.
private func readScale(_ text: UnsafePointer<CChar>?) throws -> (cut: Cut, tileSize: Viewport.TileSize) {
  try read(text) { (Cut(&$0), $0.tileSize("tile-size") ?? .pixels256) }
}

@_cdecl("treeline_transition")
public func transition(_ from: OpaquePointer?, _ to: OpaquePointer?, _ error: ErrorPlace) -> OpaquePointer? {
  attemptObject(error) {
    let (first, second, transition) = try transition(from, to)
    return table(of: transition, from: first.clusters, to: second.clusters)
  }
}

/// Returns two answers that C passes, and the changes between these answers.
func transition(_ from: OpaquePointer?, _ to: OpaquePointer?) throws -> (
  first: AnswerObject, second: AnswerObject, ClusterTransition
) {
  let (first, second) = (try from.object(AnswerObject.self), try to.object(AnswerObject.self))
  guard first.clusters.tree.isSame(as: second.clusters.tree) else {
    throw ArgumentError("the answers come from two trees; pass two answers from the same tree")
  }
  return (first, second, ClusterTransition(from: first.clusters, to: second.clusters))
}

/// Returns a transition as a table, with a row for each cluster to draw.
private func table(of transition: ClusterTransition, from first: Clusters, to second: Clusters) -> Table {
  var rows: [(change: Int64, from: Int, to: Int, hidden: Int, filteredOut: Int, filteredIn: Int)] = []
  func append(
    _ change: Int64, _ from: Cluster?, _ to: Cluster?, hidden: Int = 0, filtered: (out: Int, in: Int) = (0, 0)
  ) {
    func place(_ cluster: Cluster?, in answer: Clusters) -> Int {
      cluster.flatMap { answer.firstIndex(containingTreeIndex: $0.range.lowerBound) } ?? -1
    }
    rows.append((change, place(from, in: first), place(to, in: second), hidden, filtered.out, filtered.in))
  }
  /// The first row of a replacement has the counts of the whole replacement.
  func append(_ change: Int64, _ from: Cluster, _ to: Cluster, countsOf whole: ClusterTransition.Replacement?) {
    append(
      change, from, to, hidden: whole?.hiddenPointCount ?? 0,
      filtered: (whole?.filteredOutPointCount ?? 0, whole?.filteredInPointCount ?? 0))
  }
  for cluster in transition.kept {
    append(0, cluster, cluster, filtered: transition.filteredPointCounts(in: cluster.range))
  }
  for split in transition.splits {
    for (number, part) in split.parts.enumerated() { append(1, split.whole, part, countsOf: number == 0 ? split : nil) }
  }
  for merge in transition.merges {
    for (number, part) in merge.parts.enumerated() { append(2, part, merge.whole, countsOf: number == 0 ? merge : nil) }
  }
  for cluster in transition.entered { append(3, nil, cluster) }
  for cluster in transition.exited { append(4, cluster, nil) }
  return Table([
    TableColumn("change", integers: rows.map(\.change)), TableColumn("from", integers: rows.map { Int64($0.from) }),
    TableColumn("to", integers: rows.map { Int64($0.to) }),
    TableColumn("hidden", integers: rows.map { Int64($0.hidden) }),
    TableColumn("filtered_out", integers: rows.map { Int64($0.filteredOut) }),
    TableColumn("filtered_in", integers: rows.map { Int64($0.filteredIn) }),
  ])
}
