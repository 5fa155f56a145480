/// Each of these zooms is, to the last bit, the least at which a query without a limit gives the answer that is told.
extension ClusterTree {
  /// The zoom from which a cluster is shown by its parts at a detail, and below which as a whole; nil where its points
  /// have one position, or at a detail of 0, and -infinity where it has so few that they always stand alone.
  ///
  /// It may be hidden within a larger cluster at that zoom.
  public func expansionZoom(
    of id: ClusterID, detail: Double, alone: PointsAlone = .never
  ) throws -> Double? {
    defer { withExtendedLifetime(storage) {} }
    let node = try node(id)
    let squaredRadius = try storage.squaredRadius(of: node)
    if detail == 0 { return nil }
    return try expansionZoom(
      of: node, alone, otherwise: Self.zoom(parting: squaredRadius, detail: detail))
  }

  /// The zoom from which a cluster is shown by its parts at a spacing, and below which as a whole; nil where they are never
  /// far enough apart, as those of one position are not, or at a spacing of 0, and -infinity where it has so few points that
  /// they always stand alone.
  ///
  /// It may be hidden within a larger cluster at that zoom.
  ///
  /// - Throws: `QueryError.noSeparations` where the tree has none.
  public func expansionZoom(
    of id: ClusterID, spacing: Double, alone: PointsAlone = .never
  ) throws -> Double? {
    defer { withExtendedLifetime(storage) {} }
    let node = try node(id)
    let separation = try storage.separation(of: node)
    if spacing == 0 { return nil }
    return try expansionZoom(
      of: node, alone, otherwise: Self.zoom(parting: separation, spacing: spacing))
  }

  private func expansionZoom(
    of node: Node, _ alone: PointsAlone, otherwise zoom: Double?
  ) throws(IndexError) -> Double? {
    guard try storage.childPair(of: node) != nil else { return nil }
    if node.count < alone.leastMembers { return -.infinity }
    return alone.fromZoom < zoom ?? .infinity ? alone.fromZoom : zoom
  }

  /// The zoom from which a point is shown by itself at a detail, wherever it is visible; nil where it shares its position,
  /// and -infinity where it always is.
  ///
  /// - Parameter place: Where it stands in tree order, in `0 ..< pointCount`; see `place(ofRow:at:)`.
  /// - Complexity: O(depth)
  public func zoomAlone(
    ofPlace place: Int, detail: Double, alone: PointsAlone = .never
  ) throws -> Double? {
    try zoomAlone(ofPlace: place, alone) { ancestors in
      let squaredRadii = try ancestors.map { try storage.squaredRadius(of: $0) }
      return try squaredRadii.min().map { try Self.zoom(parting: $0, detail: detail) } ?? -.infinity
    }
  }

  /// The zoom from which a point is shown by itself at a spacing, wherever it is visible; nil where it shares its position
  /// or lies too close to another for any zoom, and -infinity where it always is.
  ///
  /// - Parameter place: Where it stands in tree order, in `0 ..< pointCount`; see `place(ofRow:at:)`.
  /// - Throws: `QueryError.noSeparations` where the tree has none.
  /// - Complexity: O(depth)
  public func zoomAlone(
    ofPlace place: Int, spacing: Double, alone: PointsAlone = .never
  ) throws -> Double? {
    guard hasSeparations else { throw QueryError.noSeparations }
    return try zoomAlone(ofPlace: place, alone) { ancestors in
      let separations = try ancestors.map { try storage.separation(of: $0) }
      return try separations.min().map { try Self.zoom(parting: $0, spacing: spacing) } ?? -.infinity
    }
  }

  private func zoomAlone(
    ofPlace place: Int, _ alone: PointsAlone, parting: ([Node]) throws -> Double?
  ) throws -> Double? {
    precondition(place >= 0 && place < pointCount, "Expected a place below \(pointCount), found \(place)")
    defer { withExtendedLifetime(storage) {} }
    let path = try path(to: UInt32(place), downTo: .max)
    guard path.last!.count == 1 else { return nil }
    let zoom = try parting(path.dropLast().filter { Int($0.count) >= alone.leastMembers })
    return alone.fromZoom < zoom ?? .infinity ? alone.fromZoom : zoom
  }

  private static func zoom(parting squaredRadius: Double, detail: Double) throws(QueryError) -> Double? {
    try leastZoom(of: detail) { zoom throws(QueryError) in
      let units = try units(detail, of: "detail", zoom: zoom)
      return squaredRadius > units * units
    }
  }

  private static func zoom(parting separation: SeparationCode, spacing: Double) throws(QueryError) -> Double?
  {
    try leastZoom(of: spacing) { zoom throws(QueryError) in
      try separation >= requiredSeparation(zoom: zoom, spacing: spacing)
    }
  }
}

extension TreeStorage {
  /// The distance at which a node gives way to its children; zero where it has none.
  fileprivate func separation(of node: Node) throws -> SeparationCode {
    guard let separations else { throw QueryError.noSeparations }
    guard let fork = try childPair(of: node) else { return .zero }
    return SeparationCode(rawValue: separations[Int(node.first &+ fork.leftCount)])
  }
}
