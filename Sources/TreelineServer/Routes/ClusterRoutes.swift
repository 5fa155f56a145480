import GridBaseline
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

/// `/v1/{index}/clusters` and what lies below it.
enum ClusterRoutes {
  enum Method: String, CaseIterable {
    case pca
    case grid
  }

  static func clusters(_ request: inout IndexRequestContext) -> Representation {
    let index = request.index
    let method = request.parameters.choice("method", of: Method.self) ?? .pca
    switch method {
    case .pca:
      let query = ServedQuery(&request.parameters, of: request.tree)
      let style = ClusterStyle(&request.parameters, of: request.tree)
      return Representation(ContentType.geoJSON, cost: query.cost(of: index.tree)) { bytes in
        try style.write(try query.clusters(of: index.tree), of: index, for: query, to: &bytes)
      }
    case .grid:
      let view = request.parameters.locate(Viewport(&request.parameters), on: request.tree.plane)
      let cells = GridCells(&request.parameters, of: request.tree, in: view)
      return Representation(ContentType.geoJSON, cost: cells.cost(of: index, in: view)) { bytes in
        write(try cells.clusters(of: index, in: view), of: index, to: &bytes)
      }
    }
  }

  private static func write(_ clusters: [GridCluster], of index: ServedIndex, to bytes: inout OutputBytes) {
    let (grid, tree) = (index.grid, index.tree)
    index.features.open(&bytes)
    index.features.append(clusters, to: &bytes) { cluster in
      var feature = ClusterFeature(cluster, of: grid)
      if cluster.pointCount == 1 { feature.addPoint(at: cluster.firstPoint, of: tree) }
      return feature
    }
  }

  static func cluster(_ request: inout IndexRequestContext) throws -> Representation {
    try feature(&request) { tree, id in try tree.cluster(id) }
  }

  static func parent(_ request: inout IndexRequestContext) throws -> Representation {
    try feature(&request) { tree, id in
      guard let parent = try tree.parent(of: id) else {
        throw Problem.notFound("The cluster of all points is part of no other.")
      }
      return parent
    }
  }

  private static func feature(
    _ request: inout IndexRequestContext, of cluster: @escaping @Sendable (ClusterTree, ClusterID) throws -> Cluster
  ) throws -> Representation {
    let (index, id, hasEllipse) = (request.index, try request.clusterID(), request.parameters.flag("ellipses"))
    return Representation(ContentType.geoJSON) { bytes in
      let cluster = try cluster(index.tree, id)
      index.features.append(ClusterFeature(cluster, of: index.tree, hasEllipse: hasEllipse), to: &bytes)
      bytes.append("\n")
    }
  }

  static func children(_ request: inout IndexRequestContext) throws -> Representation {
    let (index, id, hasEllipse) = (request.index, try request.clusterID(), request.parameters.flag("ellipses"))
    return Representation(ContentType.geoJSON) { bytes in
      let children = try index.tree.children(of: id)
      index.features.open(&bytes)
      index.features.append(children, to: &bytes) { ClusterFeature($0, of: index.tree, hasEllipse: hasEllipse) }
    }
  }

  static func members(_ request: inout IndexRequestContext) throws -> Representation {
    let (index, id) = (request.index, try request.clusterID())
    let offset = request.parameters.integer("offset", in: 0...1 << 31) ?? 0
    let limit = request.parameters.integer("limit", in: 1...1000) ?? 100
    // Each has the path of clusters that hold it looked up.
    return Representation(ContentType.geoJSON, cost: 4 * limit) { bytes in
      let range = try index.tree.cluster(id).range
      index.features.open(&bytes, offset: offset, total: range.count)
      try index.features.append(range.dropFirst(offset).prefix(limit), to: &bytes) {
        try HeldPoint(at: $0, of: index.tree).feature
      }
    }
  }

  static func expansionZoom(_ request: inout IndexRequestContext) throws -> Representation {
    let (tree, id) = (request.tree, try request.clusterID())
    let cut = Cut(byPixels: &request.parameters, of: tree)
    request.parameters.requireCutByPixels(cut)
    let tileSize = request.parameters.tileSize("tile-size") ?? .pixels256
    return .json {
      let zoom = try cut.flatMap { try tree.expansionZoom(of: id, by: $0, tileSize: tileSize) }
      // What is too small to be a cluster is none at any zoom.
      return ["zoom": zoom.map { max($0, 0) }]
    }
  }

  static func whereIs(_ request: inout IndexRequestContext) throws -> Representation {
    let index = request.index
    let row = request.parameters.integer("row", in: 0...Int(UInt32.max))
    if !request.parameters.has("row") {
      request.parameters.refuse("row", expected: "a row number of the input, from 0", found: nil)
    }
    let cut = Cut(byPixels: &request.parameters, of: request.tree)
    if cut == nil { request.parameters.refuse(["tile-size"], expected: "\(PixelCriterion.list()) beside it") }
    let tileSize = request.parameters.tileSize("tile-size") ?? .pixels256
    return Representation(ContentType.json, cost: index.hasRowOrder ? 50 : AnswerCost.ofMeasures) { bytes in
      guard let row, let treeIndex = index.treeIndex(ofRow: row) else {
        throw Problem.notFound("No point of this index has that row.")
      }
      let point = try HeldPoint(at: treeIndex, of: index.tree)
      bytes.append("{\"row\":")
      bytes.append(row)
      bytes.append(",\"feature\":")
      index.features.append(point.feature, to: &bytes)
      bytes.append(",\"path\":[")
      for (number, cluster) in point.path.enumerated() {
        if number > 0 { bytes.append(",\n") } else { bytes.append("\n") }
        index.transitions.append(cluster, to: &bytes)
      }
      bytes.append("\n]")
      if let cut {
        bytes.append(",\"zoom_alone\":")
        let zoom = try index.tree.unclusteredZoom(ofTreeIndex: treeIndex, by: cut, tileSize: tileSize)
        bytes.append(json: zoom.map { max($0, 0) })
      }
      bytes.append("}\n")
    }
  }
}

extension FeatureCollectionWriter {
  /// Appends the features of a collection, and its end.
  @inline(__always) func append<Items: Sequence>(
    _ items: Items, to bytes: inout OutputBytes, feature: (Items.Element) throws -> ClusterFeature
  ) rethrows {
    for (number, item) in items.enumerated() { append(try feature(item), isFirst: number == 0, to: &bytes) }
    close(&bytes)
  }
}

/// A point by itself, though it may share its position with others, and the clusters that hold it.
private struct HeldPoint {
  let feature: ClusterFeature
  /// The largest first.
  let path: [Cluster]

  init(at treeIndex: Int, of tree: ClusterTree) throws {
    path = try tree.clusters(containingTreeIndex: treeIndex)
    var feature = ClusterFeature(ofPointAt: treeIndex, in: path.last!, of: tree)
    feature.addPoint(at: treeIndex, of: tree)
    self.feature = feature
  }
}

extension ClusterFeature {
  /// Says which row a single point is, and what columns the index has of it.
  fileprivate mutating func addPoint(at treeIndex: Int, of tree: ClusterTree) {
    row = tree.row(atTreeIndex: treeIndex)
    columns = tree.attributes(atTreeIndex: treeIndex)
  }
}
