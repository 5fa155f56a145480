/// Each of these zooms is, to the last bit, the least at which a query without a limit gives the answer that is told.
extension ClusterTree {
  /// The least zoom at which a cut shows a cluster's parts in its place. It is nil if none does: for a cluster of one
  /// position, for parts that are never far enough apart, for a cut of 0 pixels. It is -infinity for a cluster of so
  /// few points that they are always unclustered.
  ///
  /// It may be hidden within a larger cluster at that zoom.
  ///
  /// - Parameters:
  ///   - id: Of the cluster.
  ///   - cut: By detail or spacing; a limit depends on what is in view.
  ///   - tileSize: Of which tiles the zoom is told.
  /// - Throws: `QueryError` for a limit, for pixels that are no length, and where the tree lacks what the cut needs;
  ///   `QueryError.unknownCluster` where the tree has no such cluster; `IndexError` where a file is damaged.
  public func expansionZoom(of id: ClusterID, by cut: Cut, tileSize: Viewport.TileSize = .pixels256) throws -> Double? {
    let zoom = try withStorage { storage -> Double? in
      guard let scale = try PixelScale(cut, of: storage) else { throw QueryError.limitWithoutViewport }
      let node = try node(id)
      guard let pair = try storage.childPair(of: node), scale.pixels != 0 else { return nil }
      let zoom = try scale.leastZoom(splitting: scale.coarseness(of: node, pair))
      return node.count < cut.unclustered.leastMembers ? -.infinity : cut.unclustered.zoom(orSooner: zoom)
    }
    return zoom.map { $0 - tileSize.zoomOffset }
  }

  /// The zoom from which a cut shows a point by itself, wherever it is in view. It is nil if the point shares its
  /// position, or lies too close to another for any zoom, and -infinity if it is always shown by itself.
  ///
  /// - Parameters:
  ///   - treeIndex: Where it stands in tree order, in `0 ..< pointCount`; see `treeIndex(ofRow:at:)`.
  ///   - cut: By detail or spacing; a limit depends on what is in view.
  ///   - tileSize: Of which tiles the zoom is told.
  /// - Throws: `QueryError` for a limit, for pixels that are no length, and where the tree lacks what the cut needs;
  ///   `IndexError` where a file is damaged.
  /// - Complexity: O(depth)
  public func unclusteredZoom(ofTreeIndex treeIndex: Int, by cut: Cut, tileSize: Viewport.TileSize = .pixels256) throws
    -> Double?
  {
    let zoom = try withStorage { storage -> Double? in
      guard let scale = try PixelScale(cut, of: storage) else { throw QueryError.limitWithoutViewport }
      let path = try path(toTreeIndex: treeIndex)
      guard path.last!.count == 1 else { return nil }
      var least = Double.infinity
      for node in path where Int(node.count) >= cut.unclustered.leastMembers {
        if let pair = try storage.childPair(of: node) { least = min(least, try scale.coarseness(of: node, pair)) }
      }
      return cut.unclustered.zoom(orSooner: least == .infinity ? -.infinity : try scale.leastZoom(splitting: least))
    }
    return zoom.map { $0 - tileSize.zoomOffset }
  }
}

extension UnclusteredPoints {
  /// The zoom from which there are no clusters, if that is below another.
  fileprivate func zoom(orSooner zoom: Double?) -> Double? { fromZoom < zoom ?? .infinity ? fromZoom : zoom }
}
