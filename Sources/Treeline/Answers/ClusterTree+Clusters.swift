extension ClusterTree {
  /// The clusters that stand for the points in view, in tree order.
  ///
  /// A pure function of the tree and its arguments. It holds always that
  /// - every point in view is in exactly one cluster, and every cluster has a point in view;
  /// - no cluster contains another;
  /// - there are no more clusters than the cut's limit;
  /// - no cluster has points of two groups, if the tree was built with ``groups``.
  ///
  /// The rest depends on the cut: see `Cut`. In view is what lies inside on the tree's plane, edges included,
  /// which is exact to a unit of the plane: 1 cm on the Earth, the 2^32nd part of the data's extent on a plain plane.
  /// A cluster stands for all its points, and its count is of all of them: some may lie out of view.
  ///
  /// ```swift
  /// let view = Viewport(center: paris, zoom: 11.5, width: 1024, height: 768)
  /// let clusters = try tree.clusters(.spacing(44).atMost(500), in: view)
  /// ```
  ///
  /// - Parameters:
  ///   - cut: How finely the points are told apart.
  ///   - viewport: What is looked at. A detail, a spacing and badges need one with a zoom.
  ///   - previous: The answer shown before, for whatever viewport. Only a limit that continues looks at it; without
  ///     one its answer is a fresh one.
  /// - Returns: The clusters; none where no point is in view.
  /// - Throws: `QueryError` where an argument is out of range or the tree lacks what the cut needs; `IndexError` where
  ///   a file is damaged.
  /// - Precondition: `previous` is of this tree.
  /// - Complexity: O(answer + depth), the size of the data apart. Best first, and where a limit bounds a cut by
  ///   pixels, O(limit log limit + depth). Continuing O(k log k + k · depth), k being the limit and the size of the
  ///   previous answer; O(k · d) more where d clusters too many are to be merged, as often as there are bits in k if
  ///   they scatter too much.
  public func clusters(_ cut: Cut, in viewport: Viewport, after previous: Clusters? = nil) throws -> Clusters {
    try clusters(Query(cut, in: viewport), after: previous)
  }

  /// The same of a query, which holds both.
  public func clusters(_ query: Query, after previous: Clusters? = nil) throws -> Clusters {
    guard query.cut.limit >= 1 else { throw QueryError.limitBelowOne(found: query.cut.limit) }
    guard let view = try query.viewport.located(on: plane) else { return noClusters }
    return try clusters(query.cut, in: view.window, zoom: view.zoom, after: previous)
  }

  /// The same for a part of the plane.
  ///
  /// - Parameter zoom: Of 256 px tiles.
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
      case .limit(let order, let isContinuing):
        let fresh = try storage.limitCut(cut.limit, order, in: view)
        guard isContinuing, let previous else { return fresh }
        precondition(previous.isOf(storage), "Expected an answer of this tree, found one of another tree")
        let visible = try previous.nodes.filter { node throws(IndexError) in
          try storage.hasVisiblePoint(node, in: view)
        }
        // What was shown under another filter may have all points that pass in one child.
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

  /// The clusters of a cut over the whole plane that stand in a viewport, edges included; in tree order.
  ///
  /// This is what a tile of a map shows: a cluster may stand where none of its points does, in the tile beside all of
  /// them. So that it is drawn once, whichever tiles are asked for, a tile shows the clusters that stand in it.
  ///
  /// - Parameters:
  ///   - cut: By detail, spacing or badges; it is not bounded by its limit, which would differ from tile to tile.
  ///   - viewport: What is looked at, with a zoom.
  /// - Throws: `QueryError` for a limit, for an argument out of range, and where the tree lacks what the cut needs;
  ///   `IndexError` where a file is damaged.
  /// - Complexity: O(answer + depth), besides nodes whose boxes reach into the window.
  public func clusters(_ cut: Cut, centeredIn viewport: Viewport) throws -> Clusters {
    try centeredClusters(Query(cut, in: viewport))
  }

  /// The same of a query, which holds both.
  public func centeredClusters(_ query: Query) throws -> Clusters { try centeredClusters(query, limit: .max) }

  /// As above, but at most the first `limit` of them.
  @_spi(Server) public func centeredClusters(_ query: Query, limit: Int) throws -> Clusters {
    guard let view = try query.viewport.located(on: plane) else { return noClusters }
    return try clusters(query.cut, centeredIn: view.window, zoom: view.zoom, limit: limit)
  }

  /// The same for a part of the plane.
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
            in: window, AllPoints(), scale: scale, zoom: zoom, leastMembers: leastMembers, isAnchored: true,
            limit: limit)
        }
      return Clusters(tree: self, nodes: nodes, isAnchored: cut.keepsApart)
    }
  }

  /// Whether any point is in view.
  public func hasPoint(in viewport: Viewport) throws -> Bool {
    guard let view = try viewport.located(on: plane) else { return false }
    return try withStorage { storage in
      guard let root = storage.root else { return false }
      let edges = storage.edges(of: view.window)
      if let selection {
        return try storage.hasVisiblePoint(root, in: PointsInView(edges: edges, counted: selection.points))
      }
      return try storage.hasVisiblePoint(root, in: PointsInView(edges: edges, counted: AllPoints()))
    }
  }

  /// Whether it has what a spacing needs: it was built so, or opened from an index that keeps it.
  public var hasSeparations: Bool { withStorage { $0.separations != nil && $0.badgeCurve == nil } }

  /// Where its clusters stand.
  public var stand: ClusterStand { withStorage { $0.stands == nil ? .mean : .member } }

  /// With what diameters it can show badges that do not touch; nil where `Cut.badges(scale:)` cannot be asked for.
  public var badgeCurve: BadgeCurve? { withStorage(\.badgeCurve) }

  /// With what diameter a cluster of an answer is drawn so that no two touch, in pixels; nil unless it was cut by
  /// badges.
  public func badgeDiameter(of cluster: Cluster, for cut: Cut) -> Double? {
    guard let scale = cut.badgeScale, let badgeCurve else { return nil }
    return badgeCurve.diameter(pointCount: cluster.pointCount) * scale
  }

  /// Whether it has what a cut needs; all trees have what a limit and a detail do.
  public func supports(_ cut: Cut) -> Bool {
    cut.badgeScale != nil ? badgeCurve != nil : !cut.needsSeparations || hasSeparations
  }
}

extension TreeStorage {
  /// The nodes of a cut by a limit.
  fileprivate func limitCut<Counted>(_ limit: Int, _ order: ExpansionOrder, in view: PointsInView<Counted>) throws
    -> [Node]
  {
    switch order {
    case .breadthFirst: try breadthFirstCut(in: view, limit: limit)
    case .widestFirst: try bestFirstCut(in: view, limit: limit, .scatter)
    case .steepestFirst: try bestFirstCut(in: view, limit: limit, .savedScatter)
    }
  }
}
