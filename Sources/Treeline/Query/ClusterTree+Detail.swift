extension ClusterTree {
  /// The clusters that stand for the points in a box, each spread so little that a badge stands for it well: a cluster is
  /// shown as one once the root mean square distance of its points to their mean is at most `detail` pixels.
  ///
  /// Which clusters these are depends on the zoom and not on the box. So a pan changes nothing but at the edge, the tiles
  /// of a map agree with their neighbours, and the answer at a greater zoom, which may be fractional, refines this one.
  ///
  /// A limit caps it: where there would be more clusters, the answer is that of the least greater detail at which there are
  /// not. That depends on the box, so a pan may change it anywhere; but a box inside this one, at this zoom or a greater
  /// one, still has an answer that refines this one.
  ///
  /// - Parameters:
  ///   - box: What to look at, in degrees. `west` greater than `east` crosses the antimeridian.
  ///   - zoom: At zoom 0 the world is 256 px wide, and each one more doubles it.
  ///   - detail: In pixels, 0 or more. At 0 every position is shown by itself.
  ///   - limit: The greatest number of clusters, 1 or more.
  ///   - alone: Which points are shown by themselves though a cluster could stand for them.
  /// - Throws: `QueryError` where an argument is none; `IndexError` where a file is damaged.
  /// - Complexity: O(answer + depth); where the limit bites O(limit · log limit + depth).
  public func clusters(
    in box: BoundingBox, zoom: Double, detail: Double, limit: Int = .max, alone: PointsAlone = .never
  ) throws -> Clusters {
    guard let window = try plane.window(showing: box) else { return noClusters }
    return try clusters(in: window, zoom: zoom, detail: detail, limit: limit, alone: alone)
  }

  /// The same for a part of the plane.
  public func clusters(
    in window: PlaneWindow, zoom: Double, detail: Double, limit: Int = .max, alone: PointsAlone = .never
  ) throws -> Clusters {
    guard limit >= 1 else { throw QueryError.limitBelowOne(found: limit) }
    let units = try Self.units(detail, of: "detail", zoom: zoom)
    defer { withExtendedLifetime(storage) {} }
    let storage = storage
    return Clusters(
      tree: self,
      nodes: try storage.cut(
        in: window, limit: limit, leastMembers: alone.leastMembers, scale: units * units,
        expandsAll: alone.isAll(atZoom: zoom)
      ) { node, _ throws(IndexError) in
        try storage.squaredRadius(of: node)
      })
  }

  static func units(_ pixels: Double, of name: String, zoom: Double) throws(QueryError) -> Double {
    guard zoom.isFinite else { throw .zoomNotFinite(found: zoom) }
    guard pixels.isFinite, pixels >= 0 else { throw .notALength(name: name, found: pixels) }
    // At a zoom so low that a pixel is endless, 0 of them are still 0.
    return pixels == 0 ? 0 : pixels * Plane.unitsPerPixel(zoom: zoom)
  }
}

extension Cluster {
  /// The root mean square distance of its points to their mean, in plane units.
  public var radius: Double { spread.trace.squareRoot() }
}

extension NodeSpread {
  /// The mean square distance to the mean; 0 where a damaged file has what is no number.
  var trace: Double {
    let sum = Double(xx) + Double(yy)
    return sum > 0 ? sum : 0
  }
}

extension TreeStorage {
  func squaredRadius(of node: Node) throws(IndexError) -> Double {
    try checkSummary(of: node)
    return summary(of: node, in: box(of: node)).spread.trace
  }
}
