/// A criterion in pixels that decides which clusters a cut splits. The raw value of a criterion is the name of its
/// parameter. Lists of all criteria in texts, options and messages are made from this type.
package enum PixelCriterion: String, Sendable, Hashable, CaseIterable {
  /// The root mean square distance of points from the mean of their cluster.
  case detail

  /// The distance between clusters.
  case spacing

  /// The scale of badges: a factor for their diameters instead of a number of pixels.
  case badges

  /// The metric of the merged trees that support the criterion; nil if every tree supports it.
  package var metric: MergeMetric? {
    switch self {
    case .detail: nil
    case .spacing: .distance
    case .badges: .badges
    }
  }

  /// Whether the criterion needs a tree with separations. Split trees of older indexes may have them, too.
  package var needsSeparations: Bool { metric != nil }

  /// Whether `UnclusteredPoints` have an effect with this criterion. They have no effect with badges: with badges, a
  /// point is unclustered exactly if there is room for it.
  var leavesRoomForUnclustered: Bool { self != .badges }

  /// Approximate side of the square that a cluster takes up, in pixels, if the criterion has the value 1. With badges
  /// at scale 1, this is the diameter of the smallest badge of the default curve.
  var clusterSide: Double { self == .badges ? 10 : 1 }

  /// In error messages, the words before the range of valid values.
  var unit: String { self == .badges ? "a scale " : "a number of pixels " }

  /// Whether the criterion keeps clusters apart, provided that each cluster is shown at its own position
  /// (`Cluster.coordinate`).
  package var keepsApart: Bool {
    switch self {
    case .detail: false
    case .spacing, .badges: true
    }
  }

  /// The clusters of a cut, in words. `amount` is the number of pixels, or the scale of badges.
  package func phrase(_ amount: String) -> String {
    switch self {
    case .detail: "clusters of the tree, split down to a detail of \(amount) px"
    case .spacing: "clusters of the tree, shown at least \(amount) px apart"
    case .badges: "as many badges and dots as fit without touching"
    }
  }

  /// The default value: a number of pixels, or the scale of badges. The default spacing is the diameter of the largest
  /// badge, so that no badges touch.
  package var standard: Double {
    switch self {
    case .detail: 20
    case .spacing: BadgeSize.largest
    case .badges: 1
    }
  }

  /// Returns the name of a criterion with its article: `a spacing`, `badges`.
  static func phrase(for name: String) -> String {
    name == PixelCriterion.badges.rawValue ? name : "a \(name)"
  }

  /// Returns a phrase that lists all criteria: `a detail, a spacing or badges`.
  package static func list(
    _ conjunction: String = "or", spelling: (_ name: String) -> String = PixelCriterion.phrase(for:)
  ) -> String { allCases.map { spelling($0.rawValue) }.listed(conjunction) }
}

extension Cut {
  /// Returns a cut into clusters that spread so little that a badge represents them well. A cluster is shown as a whole
  /// once the root mean square distance of its points to their mean is at most `pixels`. The cut needs a viewport with
  /// a zoom.
  ///
  /// The choice of clusters depends on the zoom and not on the viewport. So a pan changes clusters only at the edge,
  /// and neighboring tiles of a map use the same choice of clusters. The answer at a greater zoom, fractional or not,
  /// refines the answer at a smaller zoom.
  ///
  /// - Parameter pixels: 0 or more. At 0 every position is shown as a cluster of its own.
  public static func detail(_ pixels: Double) -> Cut { Cut(.detail, pixels: pixels) }

  /// Returns a cut into clusters that are at least `pixels` apart, so that badges of that size never touch. Badges
  /// would not touch in a larger viewport either. The cut needs a tree that was built for spacings and a viewport with
  /// a zoom.
  ///
  /// Each split of a cluster has a distance, its separation, which was found when the tree was built. Clusters are
  /// split in order of falling distances. Splitting ends at the distance that is `pixels` long at the zoom of the
  /// viewport. The answer
  /// - changes only at the edge if the map is panned, and is the same in neighboring tiles of a map;
  /// - is refined by the answer at a greater zoom, fractional or not, and by the answer with a smaller spacing;
  /// - has a number of clusters that is bounded by the area shown, however many points there are.
  ///
  /// The spacing is not guaranteed for points that are shown unclustered, or for clusters that are shown at other
  /// positions than their own (`Cluster.coordinate`).
  ///
  /// - Parameter pixels: 0 or more.
  public static func spacing(_ pixels: Double) -> Cut { Cut(.spacing, pixels: pixels) }

  /// Returns a cut into clusters whose badges do not touch. Each badge is drawn with the diameter that
  /// `ClusterTree.badgeDiameter(of:for:)` returns: a dot for a single point, a larger badge for more points. The cut
  /// needs a tree that was built for badges and a viewport with a zoom.
  ///
  /// Two clusters are merged at the scale at which their badges would touch, so a point stays unclustered as long as
  /// there is room. No two badges of the answer touch, and no badges would touch in a larger viewport. The promises of
  /// `spacing(_:)` about pans, tiles and zooms also hold for this cut.
  ///
  /// These promises hold for badges at the positions of their clusters. The position of a cluster is its mean or, in a
  /// tree that was grown with `ClusterAnchor.member`, the position of a member.
  ///
  /// - Parameter scale: The factor for diameters and gaps, 0 or more: 0.5 for a small screen, 2 for a poster. At 0
  ///   every position is shown as a cluster of its own, except for positions that are a few units of the plane apart.
  public static func badges(scale: Double = 1) -> Cut { Cut(.badges, pixels: scale) }

  /// Makes a cut from a criterion and its number of pixels: `Cut(.detail, pixels: 20)` is `Cut.detail(20)`.
  package init(_ criterion: PixelCriterion, pixels: Double) {
    self.init(.pixels(criterion, pixels), limit: .max)
  }
}

extension ClusterTree {
  /// The criterion of the default cut of a map; nil if the cut is a limit.
  var standardCriterion: PixelCriterion? {
    badgeCurve != nil ? .badges : hasSeparations ? .spacing : isGrouped ? .detail : nil
  }
}

/// The criterion of a cut, prepared for one tree. The criterion is a detail, a spacing or badges. The scale measures
/// how coarse a node is. For a zoom, the scale also gives the greatest coarseness at which a node is shown whole.
/// Coarser nodes are split.
struct PixelScale {
  let storage: TreeStorage

  let coarseness: Coarseness
  let criterion: PixelCriterion
  let pixels: Double

  /// The measure of how coarse a node is.
  enum Coarseness {
    /// The mean square distance of a node's points to their mean.
    case squaredRadius

    /// The codes of separations. A separation is the distance at which a node is split. A node with two children
    /// separates two points that are neighbors in tree order, and no other node separates these two points. So the
    /// node's code is stored at the tree index of the second point, which is the first point of the right child.
    case separation(UnsafePointer<UInt16>)
  }
}

extension PixelScale {
  /// - Throws: `QueryError.notByPixels` if the cut has only a limit. `QueryError.noSeparations`, `.grownForBadges` or
  ///   `.noBadges` if the tree lacks what the criterion needs.
  init(_ cut: Cut, of storage: TreeStorage) throws(QueryError) {
    guard let (criterion, pixels) = cut.pixels else { throw .notByPixels }
    try cut.unclustered.check()
    try self.init(criterion, pixels, of: storage)
  }

  /// - Throws: `QueryError.noSeparations`, `.grownForBadges` or `.noBadges` if the tree lacks what the criterion needs.
  init(_ criterion: PixelCriterion, _ pixels: Double, of storage: TreeStorage) throws(QueryError) {
    let coarseness: Coarseness
    switch criterion {
    case .detail: coarseness = .squaredRadius
    case .spacing:
      guard storage.badgeCurve == nil else { throw .grownForBadges }
      guard let separations = storage.separations else { throw .noSeparations }
      coarseness = .separation(separations)
    case .badges:
      guard let separations = storage.separations, storage.badgeCurve != nil else { throw .noBadges }
      coarseness = .separation(separations)
    }
    self.init(storage: storage, coarseness: coarseness, criterion: criterion, pixels: pixels)
  }

  /// Returns how coarse a node is. If coarseness is measured by separations, no node is coarser than its parent,
  /// except in a damaged file.
  @inline(__always) func coarseness(of node: Node, _ pair: ChildPair, _ counted: some CountedPoints) throws(IndexError)
    -> Double
  {
    switch coarseness {
    case .squaredRadius: try storage.squaredRadius(of: node, counted)
    case .separation(let codes): Double(codes[Int(node.first &+ pair.leftCount)])
    }
  }

  /// Returns whether the parts of a node are shown instead of the node.
  ///
  /// - Parameters:
  ///   - greatest: The greatest coarseness at which a node is shown whole.
  ///   - leastMembers: A node with fewer points is replaced by its parts, whatever its coarseness.
  @inline(__always) func splits(
    _ node: Node, _ pair: ChildPair, _ counted: some CountedPoints, above greatest: Double, leastMembers: Int
  ) throws(IndexError) -> Bool {
    // Points are counted only if the result depends on their number.
    if leastMembers > 2 && counted.count(of: node) < leastMembers { return true }
    return try coarseness(of: node, pair, counted) > greatest
  }

  /// Returns, for a zoom, the greatest coarseness at which a node is shown whole. Coarser nodes are split.
  func greatestCoarseness(atZoom zoom: Double) throws(QueryError) -> Double {
    let units = try units(atZoom: zoom)
    return switch coarseness {
    case .squaredRadius: units * units
    // Means are rounded to whole units before distances are measured. Rounding moves each mean by less than a unit.
    // The distance of two means changes by less than two units, so `distance(ofUnits:)` adds two units.
    case .separation: Double(SeparationCode(atLeast: distance(ofUnits: units)).rawValue) - 1
    }
  }

  /// Returns the least distance at which nodes are shown separately. `units` are the pixels of the cut, converted to
  /// units of the plane.
  private func distance(ofUnits units: Double) -> Double {
    func rounded(_ units: Double) -> Double { storage.badgeCurve?.distance(unitsPerPixel: units) ?? units + 2 }
    // For any number of pixels above 0, the distance is greater than for 0 pixels.
    return pixels > 0 ? max(rounded(units), rounded(0).nextUp) : rounded(units)
  }

  private func units(atZoom zoom: Double) throws(QueryError) -> Double {
    guard zoom.isFinite else { throw .zoomNotFinite(found: zoom) }
    guard pixels.isFinite, pixels >= 0 else { throw .notALength(name: criterion.rawValue, found: pixels) }
    // 0 pixels are 0 units even at a zoom so low that a pixel is infinitely wide.
    return pixels == 0 ? 0 : pixels * Plane.unitsPerPixel(zoom: zoom)
  }

  /// Returns the least zoom at which nodes of a given coarseness are replaced by their parts. The result agrees with
  /// queries to the last bit, because queries use the same computation.
  ///
  /// - Returns: nil if such nodes are shown whole at every zoom; -infinity if they are replaced at every zoom.
  /// - Complexity: The function tries 64 zooms.
  func leastZoom(splitting coarseness: Double) throws(QueryError) -> Double? {
    func isSplit(_ zoom: Double) throws(QueryError) -> Bool { coarseness > (try greatestCoarseness(atZoom: zoom)) }
    // 0 pixels have the same length at every zoom.
    if pixels == 0 { return try isSplit(0) ? -.infinity : nil }
    // At the zoom `coarsest`, a pixel is infinitely many units long. At `finest`, its length is 0.
    let (coarsest, finest) = (-1200.0, 1200.0)
    guard try isSplit(finest) else { return nil }
    let rank = try firstIndex(in: Self.rank(coarsest) + 1..<Self.rank(finest)) { rank throws(QueryError) in
      try isSplit(Self.zoom(ofRank: rank))
    }
    return Self.zoom(ofRank: rank)
  }

  /// Returns the rank of a zoom: the number of floating-point numbers between the zoom and 0, with the zoom's sign.
  /// Ranks sort like the zooms.
  private static func rank(_ zoom: Double) -> Int128 {
    zoom.sign == .minus ? -Int128(zoom.magnitude.bitPattern) : Int128(zoom.bitPattern)
  }

  private static func zoom(ofRank rank: Int128) -> Double {
    let zoom = Double(bitPattern: UInt64(rank.magnitude))
    return rank < 0 ? -zoom : zoom
  }
}

extension TreeStorage {
  fileprivate func squaredRadius(of node: Node, _ counted: some CountedPoints) throws(IndexError) -> Double {
    try checkSummary(of: node)
    return counted.spread(of: node, in: self).spread.trace
  }
}

extension NodeSpread {
  /// The mean squared distance of the points to their mean; 0 if a damaged file contains NaN.
  package var trace: Double {
    let sum = Double(xx) + Double(yy)
    return sum > 0 ? sum : 0
  }
}
