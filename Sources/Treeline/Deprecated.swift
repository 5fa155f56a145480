// Names of version 0.1, kept for one version. If only the name has changed, the compiler offers to replace it.

@available(*, deprecated, renamed: "UnclusteredPoints") public typealias PointsAlone = UnclusteredPoints

extension UnclusteredPoints {
  @available(*, deprecated, renamed: "none") public static var never: Self { .none }
}

extension Cluster {
  @available(*, deprecated, renamed: "row") public var index: Int? { row }
}

extension Clusters {
  @available(*, deprecated, message: "Use clusters[number].id")
  public func id(at number: Int) -> ClusterID { nodes[number].id }

  @available(*, deprecated, renamed: "firstIndex(containingTreeIndex:)")
  public func firstIndex(holdingPlace place: Int) -> Int? { firstIndex(containingTreeIndex: place) }
}

extension ShownPosition {
  @available(*, deprecated, renamed: "treeIndex") public var place: Int? { treeIndex }
}

extension Transition {
  @available(*, deprecated, renamed: "Replacement") public typealias Fork = Replacement

  @available(*, deprecated, renamed: "exited") public var left: Clusters { exited }
}

extension Viewport {
  @available(*, deprecated, renamed: "init(_:width:height:)")
  public init(box: BoundingBox, width: Double, height: Double) { self.init(box, width: width, height: height) }

  @available(*, deprecated, message: "A viewport needs no plane: leave out 'on:'")
  public init(center: Coordinate, zoom: Double, width: Double, height: Double, on _: Plane) {
    self.init(center: center, zoom: zoom, width: width, height: height)
  }
}

extension ClusterTree {
  @available(*, deprecated, message: "Use clusters(.limit(limit, order), in: Viewport(box))")
  public func clusters(in box: BoundingBox, limit: Int, order: ExpansionOrder = .breadthFirst) throws -> Clusters {
    try clusters(.limit(limit, order), in: Viewport(box))
  }

  @available(*, deprecated, message: "Use clusters(.limit(limit, order), in: viewport)")
  public func clusters(in viewport: Viewport, limit: Int, order: ExpansionOrder = .breadthFirst) throws -> Clusters {
    try clusters(.limit(limit, order), in: viewport)
  }

  @available(
    *, deprecated, message: "Use clusters(.limit(limit, order, isContinuing: true), in: Viewport(box), after: previous)"
  )
  public func clusters(
    in box: BoundingBox, limit: Int, continuing previous: Clusters, order: ExpansionOrder = .breadthFirst
  ) throws -> Clusters { try clusters(.limit(limit, order, isContinuing: true), in: Viewport(box), after: previous) }

  @available(*, deprecated, message: "Use clusters(.detail(detail), in: Viewport(box, zoom: zoom))")
  public func clusters(
    in box: BoundingBox, zoom: Double, detail: Double, limit: Int = .max, alone: UnclusteredPoints = .none
  ) throws -> Clusters {
    try clusters(.detail(detail).atMost(limit).unclustered(alone), in: Viewport(box, zoom: zoom))
  }

  @available(*, deprecated, message: "Use clusters(.spacing(spacing), in: Viewport(box, zoom: zoom))")
  public func clusters(
    in box: BoundingBox, zoom: Double, spacing: Double, limit: Int = .max, alone: UnclusteredPoints = .none
  ) throws -> Clusters {
    try clusters(.spacing(spacing).atMost(limit).unclustered(alone), in: Viewport(box, zoom: zoom))
  }

  @available(*, deprecated, message: "Use hasPoint(in: Viewport(box))")
  public func hasPoint(in box: BoundingBox) throws -> Bool { try hasPoint(in: Viewport(box)) }

  @available(*, deprecated, renamed: "clusters(containingTreeIndex:)")
  public func clusters(holdingPlace place: Int) throws -> [Cluster] { try clusters(containingTreeIndex: place) }

  @available(*, deprecated, message: "Use expansionZoom(of: id, by: .detail(detail))")
  public func expansionZoom(of id: ClusterID, detail: Double, alone: UnclusteredPoints = .none) throws -> Double? {
    try expansionZoom(of: id, by: .detail(detail).unclustered(alone))
  }

  @available(*, deprecated, message: "Use expansionZoom(of: id, by: .spacing(spacing))")
  public func expansionZoom(of id: ClusterID, spacing: Double, alone: UnclusteredPoints = .none) throws -> Double? {
    try expansionZoom(of: id, by: .spacing(spacing).unclustered(alone))
  }

  @available(*, deprecated, message: "Use unclusteredZoom(ofTreeIndex: place, by: .detail(detail))")
  public func zoomAlone(ofPlace place: Int, detail: Double, alone: UnclusteredPoints = .none) throws -> Double? {
    try unclusteredZoom(ofTreeIndex: place, by: .detail(detail).unclustered(alone))
  }

  @available(*, deprecated, message: "Use unclusteredZoom(ofTreeIndex: place, by: .spacing(spacing))")
  public func zoomAlone(ofPlace place: Int, spacing: Double, alone: UnclusteredPoints = .none) throws -> Double? {
    try unclusteredZoom(ofTreeIndex: place, by: .spacing(spacing).unclustered(alone))
  }

  @available(*, deprecated, renamed: "treeIndex(ofRow:at:)")
  public func place(ofRow row: Int, at coordinate: Coordinate) throws(IndexError) -> Int? {
    try treeIndex(ofRow: row, at: coordinate)
  }

  @available(*, deprecated, renamed: "treeIndex(ofRow:)")
  public func place(ofRow row: Int) -> Int? { treeIndex(ofRow: row) }

  @available(*, deprecated, renamed: "position(atTreeIndex:)")
  public func position(at place: Int) -> PlanePoint { position(atTreeIndex: place) }

  @available(*, deprecated, renamed: "row(atTreeIndex:)")
  public func row(at place: Int) -> Int { row(atTreeIndex: place) }

  // This function took a tree index. If a caller passed the row of a cluster instead, it returned the values of another
  // row.
  @available(*, unavailable, renamed: "attributes(atTreeIndex:)")
  public func attributes(at place: Int) -> [(name: String, value: AttributeValue)] { fatalError() }
}

extension ClusterMap {
  @available(*, deprecated, message: "Use clusters(.limit(limit, order), in: Viewport(box))")
  public func clusters(in box: BoundingBox, limit: Int, order: ExpansionOrder = .breadthFirst) throws -> [Result] {
    try Array(clusters(.limit(limit, order), in: Viewport(box)))
  }

  @available(*, deprecated, message: "Use clusters(.detail(detail), in: Viewport(box, zoom: zoom))")
  public func clusters(
    in box: BoundingBox, zoom: Double, detail: Double, limit: Int = .max, alone: UnclusteredPoints = .none
  ) throws -> [Result] {
    try Array(clusters(.detail(detail).atMost(limit).unclustered(alone), in: Viewport(box, zoom: zoom)))
  }

  @available(*, deprecated, message: "Use clusters(.spacing(spacing), in: Viewport(box, zoom: zoom))")
  public func clusters(
    in box: BoundingBox, zoom: Double, spacing: Double, limit: Int = .max, alone: UnclusteredPoints = .none
  ) throws -> [Result] {
    try Array(clusters(.spacing(spacing).atMost(limit).unclustered(alone), in: Viewport(box, zoom: zoom)))
  }
}
