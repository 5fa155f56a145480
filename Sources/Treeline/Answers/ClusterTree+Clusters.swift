extension ClusterTree {
  /// Returns the clusters that represent the points in view, in tree order.
  ///
  /// The result depends only on the tree and the arguments. These promises always hold:
  /// - every point in view is in exactly one cluster, and every cluster has a point in view;
  /// - no cluster contains another cluster;
  /// - the number of clusters is at most the cut's limit;
  /// - if the tree was built with ``groups``, no cluster has points of two groups.
  ///
  /// All other properties depend on the cut: see `Cut`. A point is in view if it lies inside the viewport or on its
  /// edges, measured on the tree's plane. This measurement is exact to one unit of the plane. A unit is 1 cm on the
  /// Earth. On a plane with x and y instead of degrees, a unit is 2^-32 of the data's extent. A cluster represents all
  /// its points and counts all of them, even if some of them lie out of view.
  ///
  /// ```swift
  /// let view = Viewport(center: louvre, zoom: 11.5, width: 1024, height: 768)
  /// let clusters = try tree.clusters(.spacing(44).atMost(500), in: view)
  /// ```
  ///
  /// - Parameters:
  ///   - cut: The cut, which decides how finely the tree is divided into clusters.
  ///   - viewport: The part of the map that is shown. A cut with a detail, a spacing or badges needs a viewport with a
  ///     zoom.
  ///   - previous: The previous answer, for any viewport. Only a cut with a continuing limit uses it; see
  ///     `Cut.Continuity`. If `previous` is nil, the result depends only on the tree and the other arguments.
  /// - Returns: The clusters; none if no point is in view.
  /// - Throws: `QueryError` if an argument is out of range or the tree does not support the cut; `IndexError` if the
  ///   file is damaged.
  /// - Precondition: `previous` is an answer of this tree.
  /// - Complexity: O(answer + depth), where answer is the number of clusters returned. Apart from the depth, the time
  ///   does not depend on the number of points. In widest-first and steepest-first order, the complexity is O(limit
  ///   log limit + depth). A limit that is combined with a detail, a spacing or badges has this complexity, too.
  ///   Continuing a previous answer takes O(k log k + k · depth), where k is the limit plus the size of the previous
  ///   answer. If d clusters must be merged to keep the limit, the merges add O(k · d) to this time. If the scatter
  ///   would exceed its bound (see `Cut.limit`), the merges add O(k · d · log k) instead.
  public func clusters(_ cut: Cut, in viewport: Viewport, after previous: Clusters? = nil) throws -> Clusters {
    try clusters(Query(cut, in: viewport), after: previous)
  }

  /// Returns the clusters of a query, which contains a cut and a viewport.
  public func clusters(_ query: Query, after previous: Clusters? = nil) throws -> Clusters {
    guard query.cut.limit >= 1 else { throw QueryError.limitBelowOne(found: query.cut.limit) }
    guard let view = try query.viewport.located(on: plane) else { return noClusters }
    return try clusters(query.cut, in: view.window, zoom: view.zoom, after: previous)
  }

  /// Returns the clusters of a cut in a part of the plane.
  ///
  /// - Parameter zoom: The zoom, for tiles of 256 px.
  package func clusters(_ cut: Cut, in window: PlaneWindow, zoom: Double? = nil, after previous: Clusters? = nil) throws
    -> Clusters
  {
    guard cut.limit >= 1 else { throw QueryError.limitBelowOne(found: cut.limit) }
    return try withStorage { storage in
      let edges = storage.edges(of: window)
      let nodes =
        if let selection {
          try nodes(of: cut, in: PointsInView(edges: edges, counted: selection.points), zoom: zoom, after: previous)
        } else {
          try nodes(of: cut, in: PointsInView(edges: edges, counted: AllPoints()), zoom: zoom, after: previous)
        }
      return Clusters(tree: self, nodes: nodes, isAnchored: cut.keepsApart)
    }
  }

  private func nodes<Counted>(
    of cut: Cut, in view: PointsInView<Counted>, zoom: Double?, after previous: Clusters?
  ) throws -> [Node] {
    try withStorage { storage in
      if storage.groups != nil && cut.limit < pointCount {
        let needed = try storage.cutRoots(in: view).count
        guard needed <= cut.limit else { throw QueryError.limitBelowGroups(found: cut.limit, needed: needed) }
      }
      switch cut.criterion {
      case .limit(let order, let continuity):
        let fresh = try storage.limitCut(cut.limit, order, in: view)
        guard continuity == .continuing, let previous else { return fresh }
        precondition(previous.isOf(storage), "Expected an answer of this tree, found an answer of another tree")
        let visible = try previous.nodes.filter { node throws(IndexError) in
          try storage.hasVisiblePoint(node, in: view)
        }
        // If the filter has changed, it is possible that all passing points of a previous cluster lie in one child of
        // the cluster. The lowest node that contains these points then takes the cluster's place.
        let lowest = try visible.map { node throws(IndexError) in try storage.lowestNode(below: node, view.counted) }
        return try Continuation(of: lowest, and: fresh, of: storage, in: view).nodes(limit: cut.limit) ?? fresh
      case .pixels(let criterion, let pixels):
        let scale = try PixelScale(criterion, pixels, of: storage)
        try cut.unclustered.check()
        guard let zoom else { throw QueryError.noZoom }
        return try storage.scaleCut(
          in: view, zoom: zoom, scale: scale, limit: cut.limit, unclustered: cut.unclustered)
      }
    }
  }

  /// Cuts the tree for the whole plane, and returns the clusters whose positions lie in a viewport or on its edges. The
  /// clusters are in tree order.
  ///
  /// A map tile shows the clusters whose positions lie in the tile. So each cluster is drawn once, whichever tiles are
  /// requested. The position of a cluster may lie in a tile that contains none of the cluster's points.
  ///
  /// - Parameters:
  ///   - cut: A cut with a detail, a spacing or badges. The limit of the cut is ignored, because its effect would
  ///     differ from tile to tile.
  ///   - viewport: The part of the map that is shown, with a zoom.
  /// - Throws: `QueryError` if the cut has only a limit, if an argument is out of range, or if the tree does not
  ///   support the cut; `IndexError` if the file is damaged.
  /// - Complexity: O(answer + depth), plus the number of nodes whose boxes overlap the viewport.
  package func clusters(_ cut: Cut, centeredIn viewport: Viewport) throws -> Clusters {
    try centeredClusters(Query(cut, in: viewport))
  }

  /// Returns a query's clusters whose positions lie in the query's viewport.
  func centeredClusters(_ query: Query) throws -> Clusters { try centeredClusters(query, limit: .max) }

  /// Returns a query's clusters whose positions lie in the query's viewport, but at most the first `limit` of these
  /// clusters.
  @_spi(Server) public func centeredClusters(_ query: Query, limit: Int) throws -> Clusters {
    guard let view = try query.viewport.located(on: plane) else { return noClusters }
    return try clusters(query.cut, centeredIn: view.window, zoom: view.zoom, limit: limit)
  }

  /// Returns a cut's clusters whose positions lie in a part of the plane.
  package func clusters(_ cut: Cut, centeredIn window: PlaneWindow, zoom: Double?, limit: Int = .max) throws
    -> Clusters
  {
    try withStorage { storage in
      let scale = try PixelScale(cut, of: storage)
      guard let zoom else { throw QueryError.noZoom }
      let leastMembers = cut.unclustered.leastMembers(atZoom: zoom)
      let nodes =
        if let selection {
          try storage.centeredCut(
            in: window, selection.points, scale: scale, zoom: zoom, leastMembers: leastMembers,
            isAnchored: cut.keepsApart, limit: limit)
        } else {
          try storage.centeredCut(
            in: window, AllPoints(), scale: scale, zoom: zoom, leastMembers: leastMembers,
            isAnchored: cut.keepsApart || !isFiltered, limit: limit)
        }
      return Clusters(tree: self, nodes: nodes, isAnchored: cut.keepsApart)
    }
  }

  /// Whether the tree has the separations that a cut with a spacing needs. The separation of a cluster is the distance
  /// at which the cluster is split. A tree has separations if it was built for spacings. A tree that was opened from an
  /// index of an older version may also have separations if it was built in another way.
  public var hasSeparations: Bool { withStorage { $0.separations != nil && $0.badgeCurve == nil } }

  /// The rule for the positions of the tree's clusters.
  public var anchor: ClusterAnchor { withStorage { $0.anchors == nil ? .mean : .member } }

  /// The diameters of badges. Badges with these diameters do not touch in an answer for `Cut.badges(scale:)`. The
  /// property is nil if the tree does not support this cut.
  package var badgeCurve: BadgeCurve? { withStorage(\.badgeCurve) }

  /// Returns the diameter of a cluster's badge, in pixels. If every badge of an answer has the diameter that this
  /// function returns, no two badges touch. Returns nil if `cut` is not a cut with badges.
  public func badgeDiameter(of cluster: Cluster, for cut: Cut) -> Double? {
    guard let scale = cut.badgeScale, let badgeCurve else { return nil }
    return badgeCurve.diameter(pointCount: cluster.pointCount) * scale
  }

  /// Returns whether the tree supports a cut. All trees support a cut with a limit or a detail.
  public func supports(_ cut: Cut) -> Bool {
    cut.badgeScale != nil ? badgeCurve != nil : !cut.needsSeparations || hasSeparations
  }
}
