import CTreeline
import Synchronization
@_spi(Server) import Treeline

/// An answer for C: its clusters, and arrays with the properties of the clusters.
final class AnswerObject: CObject {
  static let noun = "an answer"
  let clusters: Clusters
  /// Cut of the query; nil if the clusters were requested by their ids.
  let cut: Cut?
  private let arrays: Block
  /// The arrays of the clusters' extents, created when they are first requested.
  private let extents = Mutex<Block?>(nil)

  /// - Parameters:
  ///   - clusters: Clusters of the answer.
  ///   - cut: Cut of the query; nil if the clusters were not found by a query.
  ///   - position: Returns the position at which a cluster is shown; nil to show each cluster at its default position.
  init(_ clusters: Clusters, cut: Cut? = nil, position: ((Cluster) throws -> ShownPosition?)? = nil) throws {
    (self.clusters, self.cut) = (clusters, cut)
    let count = clusters.count
    let block = Block(byteCount: 8 * 8 * count)
    let arrays = ClusterArrays(at: block.array(0, of: UInt8.self, count: 0), count: count)
    clusters.write(to: arrays)
    if let position {
      for (number, cluster) in clusters.enumerated() {
        guard let shown = try position(cluster) else { continue }
        let coordinate = shown.coordinate
        (arrays.longitudes[number], arrays.latitudes[number]) = (coordinate.longitude, coordinate.latitude)
        if cluster.treeIndex == nil { arrays.treeIndices[number] = Int64(shown.treeIndex ?? -1) }
      }
    }
    self.arrays = block
  }

  var pointers: treeline_clusters_arrays {
    func array<Entry: BitwiseCopyable>(_ number: Int) -> UnsafePointer<Entry> {
      UnsafePointer(arrays.array(number, count: clusters.count))
    }
    return treeline_clusters_arrays(
      count: clusters.count, id: array(0), point_count: array(1), first: array(2), end: array(3), row: array(4),
      tree_index: array(5), x: array(6), y: array(7))
  }

  /// Returns the position at which a cluster is shown. Also returns the tree index of the point at this position, if
  /// there is such a point.
  ///
  /// - Parameter number: Index of the cluster in the answer.
  func shownPosition(_ number: Int) -> (coordinate: Coordinate, treeIndex: Int?) {
    let (treeIndex, x, y) = (pointers.tree_index[number], pointers.x[number], pointers.y[number])
    return (Coordinate(longitude: x, latitude: y), treeIndex < 0 ? nil : Int(treeIndex))
  }

  var extentPointers: treeline_extents_arrays {
    let block = extents.withLock { block in
      let found = block ?? extentsBlock
      block = found
      return found
    }
    func array(_ number: Int) -> UnsafePointer<Double> { UnsafePointer(block.array(number, count: clusters.count)) }
    return treeline_extents_arrays(
      count: clusters.count, west: array(0), south: array(1), east: array(2), north: array(3), radius: array(4),
      semi_major: array(5), semi_minor: array(6), axis_x: array(7), axis_y: array(8), badge_diameter: array(9))
  }

  private var extentsBlock: Block {
    let (tree, count) = (clusters.tree, clusters.count)
    let block = Block(byteCount: 10 * 8 * count)
    for (number, cluster) in clusters.enumerated() {
      let (bounds, ellipse) = (cluster.bounds, cluster.ellipse)
      let diameter = cut.flatMap { tree.badgeDiameter(of: cluster, for: $0) } ?? .nan
      let values = [
        bounds.west, bounds.south, bounds.east, bounds.north, cluster.planeRadius, ellipse.semiMajor, ellipse.semiMinor,
        ellipse.axisX, ellipse.axisY, diameter,
      ]
      for (array, value) in values.enumerated() { block.array(array, of: Double.self, count: count)[number] = value }
    }
    return block
  }
}

/// A cut for C. A cut selects the clusters of a tree, and can be used with any viewport.
final class CutObject: CObject {
  static let noun = "a cut"
  let cut: Cut
  fileprivate let style: PositionStyle
  /// The parameters as they were passed.
  fileprivate let text: String

  init(_ text: UnsafePointer<CChar>?, of tree: ClusterTree) throws {
    self.text = try string(text) ?? ""
    (cut, style) = try read(text) { (Cut(&$0), PositionStyle(&$0, of: tree)) }
  }
}

extension TreeObject {
  fileprivate func answer(to query: Query, _ style: PositionStyle, after previous: OpaquePointer?) throws
    -> AnswerObject
  {
    let previous = previous.objectIfAny(AnswerObject.self)?.clusters
    guard previous?.tree.isSame(as: tree) ?? true else {
      throw ArgumentError("the previous answer comes from another tree; pass an answer from this tree")
    }
    let found = try tree.clusters(query, after: previous)
    guard style.isGiven || query.keepsClustersVisible || tree.anchor == .member else {
      return try AnswerObject(found, cut: query.cut)
    }
    let view = style.view(for: query, in: try query.viewport.located(on: tree.plane))
    return try AnswerObject(found, cut: query.cut) {
      try style.position(of: $0, of: self.tree, keptVisibleIn: view)
    }
  }

  fileprivate func answer(to text: UnsafePointer<CChar>?, after previous: OpaquePointer?) throws -> AnswerObject {
    let (query, style) = try read(text) { (Query(&$0), PositionStyle(&$0, of: tree)) }
    return try answer(to: query, style, after: previous)
  }
}

@_cdecl("treeline_clusters")
public func clusters(
  _ tree: OpaquePointer?, _ query: UnsafePointer<CChar>?, _ previous: OpaquePointer?, _ error: ErrorPlace
) -> OpaquePointer? {
  attemptObject(error) { try tree.object(TreeObject.self).answer(to: query, after: previous) }
}

@_cdecl("treeline_cut_create")
public func createCut(_ tree: OpaquePointer?, _ text: UnsafePointer<CChar>?, _ error: ErrorPlace) -> OpaquePointer? {
  attemptObject(error) { try CutObject(text, of: try tree.object(TreeObject.self).tree) }
}

@_cdecl("treeline_cut_free") public func freeCut(_ cut: OpaquePointer?) { cut?.release() }

@_cdecl("treeline_clusters_in_box")
public func clustersInBox(
  _ tree: OpaquePointer?, _ cut: OpaquePointer?, _ box: UnsafePointer<treeline_box>?, _ zoom: Double,
  _ previous: OpaquePointer?, _ error: ErrorPlace
) -> OpaquePointer? {
  attemptObject(error) {
    let (tree, cut) = (try tree.object(TreeObject.self), try cut.object(CutObject.self))
    let box = try given(box, "a box").pointee
    guard QueryParameters.Bounds().zooms ~= zoom else {
      // The zoom is invalid. The cut, the box and the zoom are passed as the text of a query, so that the error
      // message is the same as for any query.
      let text = cut.text + "&bbox=\(box.west),\(box.south),\(box.east),\(box.north)&zoom=\(zoom)"
      return try text.withCString { try tree.answer(to: $0, after: previous) }
    }
    let area = BoundingBox(west: box.west, south: box.south, east: box.east, north: box.north)
    return try tree.answer(to: Query(cut.cut, in: Viewport(area, zoom: zoom)), cut.style, after: previous)
  }
}

@_cdecl("treeline_clusters_with_ids")
public func clustersWithIDs(
  _ tree: OpaquePointer?, _ ids: UnsafePointer<UInt64>?, _ count: Int, _ error: ErrorPlace
) -> OpaquePointer? {
  attemptObject(error) {
    let ids = try array(ids, count, of: "ids").map(ClusterID.init(rawValue:))
    return try AnswerObject(tree.object(TreeObject.self).tree.clusters(withIDs: ids))
  }
}

/// Creates an answer from clusters of a tree. No cluster of the answer may contain another cluster of the answer.
private func answer(of clusters: some Sequence<Cluster>, _ tree: ClusterTree) throws -> AnswerObject {
  try AnswerObject(tree.clusters(withIDs: clusters.map(\.id)))
}

@_cdecl("treeline_children")
public func children(_ tree: OpaquePointer?, _ id: UInt64, _ error: ErrorPlace) -> OpaquePointer? {
  attemptObject(error) {
    let tree = try tree.object(TreeObject.self).tree
    return try answer(of: tree.children(of: ClusterID(rawValue: id)), tree)
  }
}

@_cdecl("treeline_parent")
public func parent(_ tree: OpaquePointer?, _ id: UInt64, _ error: ErrorPlace) -> OpaquePointer? {
  attemptObject(error) {
    let tree = try tree.object(TreeObject.self).tree
    return try answer(of: [tree.parent(of: ClusterID(rawValue: id))].compactMap { $0 }, tree)
  }
}

@_cdecl("treeline_root")
public func root(_ tree: OpaquePointer?, _ error: ErrorPlace) -> OpaquePointer? {
  attemptObject(error) {
    let tree = try tree.object(TreeObject.self).tree
    return try answer(of: [tree.root].compactMap { $0 }, tree)
  }
}

@_cdecl("treeline_answer_free") public func freeAnswer(_ answer: OpaquePointer?) { answer?.release() }

@_cdecl("treeline_answer_count")
public func answerCount(_ answer: OpaquePointer?) -> Int { answer.objectIfAny(AnswerObject.self)?.clusters.count ?? 0 }

@_cdecl("treeline_answer_arrays")
public func answerArrays(_ answer: OpaquePointer?, _ arrays: UnsafeMutablePointer<treeline_clusters_arrays>?) {
  arrays?.pointee = answer.objectIfAny(AnswerObject.self)?.pointers ?? treeline_clusters_arrays()
}

@_cdecl("treeline_answer_extents")
public func answerExtents(_ answer: OpaquePointer?, _ arrays: UnsafeMutablePointer<treeline_extents_arrays>?) {
  arrays?.pointee = answer.objectIfAny(AnswerObject.self)?.extentPointers ?? treeline_extents_arrays()
}

@_cdecl("treeline_answer_find")
public func answerFind(_ answer: OpaquePointer?, _ treeIndex: Int64) -> Int64 {
  guard let index = Int(exactly: treeIndex), index >= 0 else { return -1 }
  let clusters = answer.objectIfAny(AnswerObject.self)?.clusters
  return clusters?.firstIndex(containingTreeIndex: index).map(Int64.init) ?? -1
}
