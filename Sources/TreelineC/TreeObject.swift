import CTreeline
@_spi(Server) import Treeline
import TreelineBuilder
import TreelineVerification

/// A tree for C, and its strings. C may read the strings as long as the tree exists.
final class TreeObject: CObject {
  static let noun = "a tree"
  let tree: ClusterTree
  /// The tree without its filter.
  let unfiltered: ClusterTree
  /// The tree to which filters are applied: `unfiltered`, or the tree of the marked rows.
  let marked: ClusterTree
  /// The unfiltered tree with its coordinates; nil if the tree cannot be edited.
  let editable: EditableTree?
  private let growth: Block
  private let anchor: Block
  private let defaultCut: Block
  private let title: Block
  private let attribution: Block
  private let unit: Block

  /// - Parameters:
  ///   - unfiltered: The tree without its filter; nil if `tree` has no filter.
  ///   - marked: The tree with only the points of marked rows; nil if no rows were marked.
  init(
    _ tree: ClusterTree, unfiltered: ClusterTree? = nil, marked: ClusterTree? = nil, editable: EditableTree? = nil
  ) {
    self.editable = editable
    (self.tree, self.unfiltered) = (tree, unfiltered ?? tree)
    self.marked = marked ?? self.unfiltered
    growth = Block(text: "\(tree.growth)")
    anchor = Block(text: tree.anchor.rawValue)
    defaultCut = Block(text: Cut.standard(of: tree).parameters.first.map { "\($0.name)=\($0.value)" } ?? "")
    let description = tree.withStorage(\.description)
    title = Block(text: description.title ?? "")
    attribution = Block(text: description.attribution ?? "")
    unit = Block(text: description.unit ?? "")
  }

  var facts: treeline_facts {
    let bounds = tree.root?.bounds ?? BoundingBox(west: .nan, south: .nan, east: .nan, north: .nan)
    return treeline_facts(
      point_count: tree.pointCount, passing_point_count: tree.filteredPointCount,
      clipped_point_count: tree.clippedPointCount, has_separations: tree.hasSeparations,
      has_badges: tree.badgeCurve != nil, is_planar: tree.plane.projection == .planar, west: bounds.west,
      south: bounds.south, east: bounds.east, north: bounds.north, growth: growth.text, anchor: anchor.text,
      default_cut: defaultCut.text, title: title.text, attribution: attribution.text, unit: unit.text)
  }

  /// Checks a tree index that C passes.
  ///
  /// - Throws: `ArgumentError` if the index is out of range, which is a mistake of the caller.
  func checked(treeIndex: Int64) throws -> Int {
    guard let index = Int(exactly: treeIndex), 0..<tree.pointCount ~= index else {
      throw ArgumentError("expected a tree index from 0 to less than \(tree.pointCount), found \(treeIndex)")
    }
    return index
  }
}

private let version = Block(text: Release.version)

@_cdecl("treeline_version") public func versionText() -> UnsafePointer<CChar> { version.text }

@_cdecl("treeline_open")
public func openTree(_ path: UnsafePointer<CChar>?, _ error: ErrorPlace) -> OpaquePointer? {
  attemptObject(error) { TreeObject(try ClusterTree(contentsOfFile: text(path, "a path"))) }
}

@_cdecl("treeline_save")
public func saveTree(
  _ tree: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ description: UnsafePointer<treeline_description>?,
  _ overwriting: Bool, _ error: ErrorPlace
) -> Bool {
  attempt(error) { () -> Void in
    try tree.object(TreeObject.self).unfiltered.write(
      to: IndexDestination(text(path, "a path"), overwriting: overwriting),
      description: description.map { try IndexDescription($0.pointee) })
  } != nil
}

@_cdecl("treeline_verify")
public func verifyIndex(_ path: UnsafePointer<CChar>?, _ error: ErrorPlace) -> OpaquePointer? {
  attemptObject(error) {
    let problems = try ClusterTree.problems(ofIndex: text(path, "a path"))
    return Table([TableColumn("problem", texts: problems.map { "\($0)" })])
  }
}

@_cdecl("treeline_tree_free") public func freeTree(_ tree: OpaquePointer?) { tree?.release() }

@_cdecl("treeline_tree_facts")
public func treeFacts(_ tree: OpaquePointer?, _ facts: UnsafeMutablePointer<treeline_facts>?) {
  facts?.pointee = tree.objectIfAny(TreeObject.self)?.facts ?? treeline_facts()
}

@_cdecl("treeline_tree_content_hash")
public func treeContentHash(_ tree: OpaquePointer?) -> UInt64 {
  tree.objectIfAny(TreeObject.self)?.tree.contentHash ?? 0
}

@_cdecl("treeline_tree_columns")
public func treeColumns(_ tree: OpaquePointer?) -> OpaquePointer? {
  guard let columns = tree.objectIfAny(TreeObject.self)?.tree.columns else { return nil }
  return OpaquePointer(
    owning: Table([
      TableColumn("name", texts: columns.map(\.name)), TableColumn("kind", texts: columns.map(\.kind.rawValue)),
    ]))
}

@_cdecl("treeline_tree_groups")
public func treeGroups(_ tree: OpaquePointer?) -> OpaquePointer? {
  guard let groups = tree.objectIfAny(TreeObject.self)?.unfiltered.groups else { return nil }
  let ranges = groups.map { $0.cluster?.range ?? 0..<0 }
  return OpaquePointer(
    owning: Table([
      TableColumn("name", texts: groups.map(\.name)),
      TableColumn("first", integers: ranges.map { Int64($0.lowerBound) }),
      TableColumn("end", integers: ranges.map { Int64($0.upperBound) }),
    ]))
}

@_cdecl("treeline_select")
public func selectPoints(_ tree: OpaquePointer?, _ filter: UnsafePointer<CChar>?, _ error: ErrorPlace)
  -> OpaquePointer?
{
  attemptObject(error) {
    let object = try tree.object(TreeObject.self)
    let marked = object.marked
    // If the new filter and the tree's old filter share conditions, the results for these conditions are reused.
    let selected = try string(filter).map { try marked.filtered(by: Filter($0), reusing: object.tree) }
    return TreeObject(selected ?? marked, unfiltered: object.unfiltered, marked: marked, editable: object.editable)
  }
}

@_cdecl("treeline_select_rows")
public func selectRows(_ tree: OpaquePointer?, _ marks: UnsafePointer<UInt8>?, _ count: Int, _ error: ErrorPlace)
  -> OpaquePointer?
{
  attemptObject(error) {
    let object = try tree.object(TreeObject.self)
    let all = object.unfiltered
    let marks = try array(marks, count, of: "marks")
    let marked = all.selecting(rows: { marks.indices.contains($0) && marks[$0] != 0 })
    return TreeObject(marked, unfiltered: all, marked: marked, editable: object.editable)
  }
}

@_cdecl("treeline_tree_index_of_row")
public func treeIndexOfRow(_ tree: OpaquePointer?, _ row: Int64) -> Int64 {
  Int(exactly: row).flatMap { tree.objectIfAny(TreeObject.self)?.tree.treeIndex(ofRow: $0) }.map(Int64.init) ?? -1
}
