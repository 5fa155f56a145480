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
  var trace: Double {
    let sum = Double(xx) + Double(yy)
    return sum > 0 ? sum : 0
  }
}
