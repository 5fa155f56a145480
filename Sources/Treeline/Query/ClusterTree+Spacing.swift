extension ClusterTree {
  /// Whether it has what a spacing needs: it was built so, or opened from an index that keeps it.
  public var hasSeparations: Bool { storage.separations != nil }

  /// The clusters that stand for the points in a box, any two of which are at least `spacing` pixels apart, so that badges
  /// of that size never touch: those in the box and all others that a larger box would show.
  ///
  /// Clusters are split in one fixed order of falling distances, found when the tree was built, as far as the distance
  /// goes that so many pixels are at the zoom. One that its badge stands for well waits, which leaves room for denser
  /// neighbours: it is split once its points lie 0.7 of the spacing from their mean, in the root mean square, or
  /// its parts twice the spacing from each other. So the answer
  /// - does not change under a pan but at the edge, and agrees between the tiles of a map;
  /// - is refined by the answer at a greater zoom, which may be fractional, or at a lesser spacing;
  /// - is bounded by the area that is shown, however many points there are.
  ///
  /// A limit caps it: where there would be more clusters, the answer is that of the least greater spacing at which there are
  /// not. That depends on the box, so a pan may change it anywhere; but the spacing holds, and a box inside this one, at this
  /// zoom or a greater one, still has an answer that refines this one.
  ///
  /// Points that are shown alone may be closer to others than the spacing. So may positions other than means.
  ///
  /// - Parameters:
  ///   - box: What to look at, in degrees. `west` greater than `east` crosses the antimeridian.
  ///   - zoom: At zoom 0 the world is 256 px wide, and each one more doubles it.
  ///   - spacing: In pixels, 0 or more.
  ///   - limit: The greatest number of clusters, 1 or more.
  ///   - alone: Which points are shown by themselves though a cluster could stand for them.
  /// - Throws: `QueryError.noSeparations` where the tree has none; `QueryError` where an argument is none;
  ///   `IndexError` where a file is damaged.
  /// - Complexity: O(answer + depth); where the limit bites O(limit · log limit + depth).
  public func clusters(
    in box: BoundingBox, zoom: Double, spacing: Double, limit: Int = .max, alone: PointsAlone = .never
  ) throws -> Clusters {
    guard let window = try plane.window(showing: box) else { return noClusters }
    return try clusters(in: window, zoom: zoom, spacing: spacing, limit: limit, alone: alone)
  }

  /// The same for a part of the plane.
  public func clusters(
    in window: PlaneWindow, zoom: Double, spacing: Double, limit: Int = .max, alone: PointsAlone = .never
  ) throws -> Clusters {
    guard limit >= 1 else { throw QueryError.limitBelowOne(found: limit) }
    let required = try Self.requiredSeparation(zoom: zoom, spacing: spacing)
    guard let separations = storage.separations else { throw QueryError.noSeparations }
    defer { withExtendedLifetime(storage) {} }
    return Clusters(
      tree: self,
      nodes: try storage.separatedCut(
        apartBy: required, separations, in: window, limit: limit, leastMembers: alone.leastMembers,
        expandsAll: alone.isAll(atZoom: zoom)))
  }

  static func requiredSeparation(zoom: Double, spacing: Double) throws(QueryError) -> SeparationCode {
    // Distances were measured between means rounded to whole units, each less than a unit from where it is shown.
    SeparationCode(atLeast: try units(spacing, of: "spacing", zoom: zoom) + 2)
  }
}
