/// What a cut by pixels goes by, made ready for a tree: how coarse a node is, and how coarse a node may be at a zoom
/// to be shown as a whole.
struct PixelScale {
  let storage: TreeStorage

  let coarseness: Coarseness
  let criterion: PixelCriterion
  let pixels: Double

  /// In what unit nodes are compared.
  enum Coarseness {
    /// The mean square distance of a node's points to their mean.
    case squaredRadius

    /// The codes of separations, each of a node with two children at the tree index of its right child's first point:
    /// every such node parts two neighbouring points, and no two part the same ones.
    case separation(UnsafePointer<UInt16>)
  }
}

extension PixelScale {
  /// - Throws: `QueryError.notByPixels` for a limit, `.noSeparations` or `.noBadges` where the tree lacks what the cut
  ///   goes by.
  init(_ cut: Cut, of storage: TreeStorage) throws(QueryError) {
    guard let (criterion, pixels) = cut.pixels else { throw .notByPixels }
    try cut.unclustered.check()
    try self.init(criterion, pixels, of: storage)
  }

  /// - Throws: `QueryError.noSeparations` or `.noBadges` where the tree lacks what the cut goes by.
  init(_ criterion: PixelCriterion, _ pixels: Double, of storage: TreeStorage) throws(QueryError) {
    let coarseness: Coarseness
    switch criterion {
    case .detail: coarseness = .squaredRadius
    case .spacing:
      guard let separations = storage.separations, storage.badgeCurve == nil else { throw .noSeparations }
      coarseness = .separation(separations)
    case .badges:
      guard let separations = storage.separations, storage.badgeCurve != nil else { throw .noBadges }
      coarseness = .separation(separations)
    }
    self.init(storage: storage, coarseness: coarseness, criterion: criterion, pixels: pixels)
  }

  /// How coarse a node is. Separations never grow from parent to child; a damaged file may say otherwise.
  @inline(__always) func coarseness(of node: Node, _ pair: ChildPair, _ counted: some CountedPoints) throws(IndexError)
    -> Double
  {
    switch coarseness {
    case .squaredRadius: try storage.squaredRadius(of: node, counted)
    case .separation(let codes): Double(codes[Int(node.first &+ pair.leftCount)])
    }
  }

  /// Whether a node is shown by its parts.
  ///
  /// - Parameters:
  ///   - greatest: The greatest coarseness of a node that is shown as a whole.
  ///   - leastMembers: Nodes of fewer points are shown by their parts, however coarse.
  @inline(__always) func splits(
    _ node: Node, _ pair: ChildPair, _ counted: some CountedPoints, above greatest: Double, leastMembers: Int
  ) throws(IndexError) -> Bool {
    // Not to count where nothing depends on it.
    if leastMembers > 2 && counted.count(of: node) < leastMembers { return true }
    return try coarseness(of: node, pair, counted) > greatest
  }

  /// The greatest coarseness of a node that is shown as a whole.
  func greatestCoarseness(atZoom zoom: Double) throws(QueryError) -> Double {
    let units = try units(atZoom: zoom)
    return switch coarseness {
    case .squaredRadius: units * units
    // Distances were measured between means rounded to whole units, each less than a unit from where it is shown.
    case .separation: Double(SeparationCode(atLeast: distance(ofUnits: units)).rawValue) - 1
    }
  }

  /// The distance from which on nodes are parted where the pixels of the cut are some units of the plane.
  private func distance(ofUnits units: Double) -> Double {
    func rounded(_ units: Double) -> Double { storage.badgeCurve?.distance(unitsPerPixel: units) ?? units + 2 }
    // However short they are, they are added to something.
    return pixels > 0 ? max(rounded(units), rounded(0).nextUp) : rounded(units)
  }

  private func units(atZoom zoom: Double) throws(QueryError) -> Double {
    guard zoom.isFinite else { throw .zoomNotFinite(found: zoom) }
    guard pixels.isFinite, pixels >= 0 else { throw .notALength(name: criterion.rawValue, found: pixels) }
    // At a zoom so low that a pixel is endless, 0 of them are still 0.
    return pixels == 0 ? 0 : pixels * Plane.unitsPerPixel(zoom: zoom)
  }

  /// The least zoom at which nodes up to a coarseness are no longer all shown as wholes: the very number from which a
  /// query says so, to the last bit, for it is found by asking what a query asks.
  ///
  /// - Returns: nil if there is none; -infinity if it is so at each.
  /// - Complexity: 64 zooms are tried.
  func leastZoom(splitting coarseness: Double) throws(QueryError) -> Double? {
    func isSplit(_ zoom: Double) throws(QueryError) -> Bool { coarseness > (try greatestCoarseness(atZoom: zoom)) }
    // Whether 0 pixels are short enough is all one at every zoom.
    if pixels == 0 { return try isSplit(0) ? -.infinity : nil }
    // At the one a pixel is longer than any number tells, at the other shorter.
    let (coarsest, finest) = (-1200.0, 1200.0)
    guard try isSplit(finest) else { return nil }
    let rank = try firstIndex(in: Self.rank(coarsest) + 1..<Self.rank(finest)) { rank throws(QueryError) in
      try isSplit(Self.zoom(ofRank: rank))
    }
    return Self.zoom(ofRank: rank)
  }

  /// How many numbers lie between a zoom and 0, which orders zooms as integers.
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
  /// The mean square distance to the mean; 0 where a damaged file has what is no number.
  var trace: Double {
    let sum = Double(xx) + Double(yy)
    return sum > 0 ? sum : 0
  }
}
