import GridBaseline
import Treeline
@_spi(Server) import TreelineFormats

/// `/v1/{index}/clusters` and what lies below it.
enum ClusterRoutes {
  enum Method: String, CaseIterable {
    case pca
    case grid
  }

  static func clusters(_ asked: inout Asked) -> Answer {
    let index = asked.index
    let method = asked.parameters.choice("method", of: Method.self) ?? .pca
    let view = View(&asked.parameters, of: asked.tree)
    switch method {
    case .pca:
      let cut = Cut(&asked.parameters, of: asked.tree, hasScale: view.zoom != nil)
      let look = Look(&asked.parameters)
      return Answer(Answer.geoJSON, isDear: cut.isDear) { bytes in
        try look.write(try cut.clusters(of: index.tree, in: view), of: index, in: view, to: &bytes)
      }
    case .grid:
      let cells = GridCells(&asked.parameters, of: asked.tree, in: view)
      return Answer(Answer.geoJSON, isDear: !index.hasGrid) { bytes in
        write(try cells.clusters(of: index, in: view), of: index, to: &bytes)
      }
    }
  }

  /// A cell goes by the first of its points in tree order: a small number that is no other cell's.
  private static func write(_ clusters: [GridCluster], of index: ServedIndex, to bytes: inout OutputBytes) {
    let (grid, tree, writer) = (index.grid, index.tree, index.features)
    writer.open(&bytes)
    for (number, cluster) in clusters.enumerated() {
      let single = cluster.pointCount == 1 ? cluster.firstRow : nil
      writer.append(
        ClusterFeature(
          id: UInt64(cluster.firstRow), pointCount: cluster.pointCount,
          coordinate: grid.coordinate(of: cluster),
          bounds: grid.boundingBox(of: cluster), isStack: cluster.isStack,
          index: single.map(tree.row(atTreeIndex:)),
          columns: single.map(tree.attributes(atTreeIndex:)) ?? []),
        isFirst: number == 0, to: &bytes)
    }
    writer.close(&bytes)
  }

  static func cluster(_ asked: inout Asked) throws -> Answer {
    let (index, id, hasEllipse) = (asked.index, try asked.clusterID(), asked.parameters.flag("ellipses"))
    return Answer(Answer.geoJSON) { bytes in
      write(try index.tree.cluster(id), hasEllipse, of: index, to: &bytes)
    }
  }

  static func parent(_ asked: inout Asked) throws -> Answer {
    let (index, id, hasEllipse) = (asked.index, try asked.clusterID(), asked.parameters.flag("ellipses"))
    return Answer(Answer.geoJSON) { bytes in
      guard let parent = try index.tree.parent(of: id) else {
        throw Problem.notFound("The cluster of all points is part of no other.")
      }
      write(parent, hasEllipse, of: index, to: &bytes)
    }
  }

  private static func write(
    _ cluster: Cluster, _ hasEllipse: Bool, of index: ServedIndex, to bytes: inout OutputBytes
  ) {
    index.features.append(ClusterFeature(cluster, of: index.tree, hasEllipse: hasEllipse), to: &bytes)
    bytes.append("\n")
  }

  static func children(_ asked: inout Asked) throws -> Answer {
    let (index, id, hasEllipse) = (asked.index, try asked.clusterID(), asked.parameters.flag("ellipses"))
    return Answer(Answer.geoJSON) { bytes in
      index.features.open(&bytes)
      for (number, child) in try index.tree.children(of: id).enumerated() {
        index.features.append(
          ClusterFeature(child, of: index.tree, hasEllipse: hasEllipse), isFirst: number == 0, to: &bytes)
      }
      index.features.close(&bytes)
    }
  }

  static func members(_ asked: inout Asked) throws -> Answer {
    let (index, id) = (asked.index, try asked.clusterID())
    let offset = asked.parameters.integer("offset", in: 0...1 << 31) ?? 0
    let limit = asked.parameters.integer("limit", in: 1...1000) ?? 100
    return Answer(Answer.geoJSON) { bytes in
      let range = try index.tree.cluster(id).range
      bytes.append("{\"total\":")
      bytes.append(range.count)
      bytes.append(",\"offset\":")
      bytes.append(offset)
      bytes.append(",\"type\":\"FeatureCollection\",\"features\":[")
      for (number, place) in range.dropFirst(offset).prefix(limit).enumerated() {
        index.features.append(
          try HeldPoint(at: place, of: index.tree).feature, isFirst: number == 0, to: &bytes)
      }
      index.features.close(&bytes)
    }
  }

  static func expansionZoom(_ asked: inout Asked) throws -> Answer {
    let (tree, id) = (asked.tree, try asked.clusterID())
    let pixels = Pixels(&asked.parameters, of: tree, isNeeded: true)
    let alone = Cut.alone(&asked.parameters, isByPixels: true)
    return Answer(Answer.json) { bytes in
      let zoom: Double? =
        switch pixels {
        case .detail(let pixels): try tree.expansionZoom(of: id, detail: pixels, alone: alone)
        case .spacing(let pixels): try tree.expansionZoom(of: id, spacing: pixels, alone: alone)
        case nil: nil
        }
      bytes.append("{\"zoom\":")
      // What is too small to be a cluster is none at any zoom.
      bytes.append(json: zoom.map { max($0, 0) })
      bytes.append("}\n")
    }
  }

  static func whereIs(_ asked: inout Asked) throws -> Answer {
    let index = asked.index
    let row = asked.parameters.integer("row", in: 0...Int(UInt32.max))
    if !asked.parameters.has("row") {
      asked.parameters.refuse("row", expected: "a row number of the input, from 0", found: nil)
    }
    let pixels = Pixels(&asked.parameters, of: asked.tree, isNeeded: false)
    return Answer(Answer.json, isDear: !index.hasPlaces) { bytes in
      guard let row, let place = index.place(ofRow: row) else {
        throw Problem.notFound("No point of this index has that row.")
      }
      let point = try HeldPoint(at: place, of: index.tree)
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
      if let pixels {
        bytes.append(",\"zoom_alone\":")
        bytes.append(json: try pixels.zoomAlone(ofPlace: place, of: index.tree).map { max($0, 0) })
      }
      bytes.append("}\n")
    }
  }
}

/// A detail or a spacing, where one of them is asked for by itself.
private enum Pixels {
  case detail(Double)
  case spacing(Double)

  init?(_ parameters: inout QueryParameters, of tree: ClusterTree, isNeeded: Bool) {
    let detail = Cut.pixels("detail", &parameters)
    let spacing = Cut.pixels("spacing", &parameters)
    switch (parameters.has("detail"), parameters.has("spacing")) {
    case (true, true): parameters.refuse("spacing", expected: "either a detail or a spacing", found: "both")
    case (false, false) where isNeeded:
      parameters.refuse("spacing", expected: "a detail or a spacing, in pixels", found: nil)
    case (false, true) where !tree.hasSeparations:
      parameters.refuse(
        "spacing", expected: "no spacing of an index without separations", found: parameters.value("spacing"))
    default: break
    }
    if let detail {
      self = .detail(detail)
    } else if let spacing {
      self = .spacing(spacing)
    } else {
      return nil
    }
  }

  func zoomAlone(ofPlace place: Int, of tree: ClusterTree) throws -> Double? {
    switch self {
    case .detail(let pixels): try tree.zoomAlone(ofPlace: place, detail: pixels)
    case .spacing(let pixels): try tree.zoomAlone(ofPlace: place, spacing: pixels)
    }
  }
}

/// A point by itself, though it may share its position with others, and the clusters that hold it.
private struct HeldPoint {
  let feature: ClusterFeature
  /// The largest first.
  let path: [Cluster]

  init(at place: Int, of tree: ClusterTree) throws {
    path = try tree.clusters(holdingPlace: place)
    let coordinate = tree.plane.coordinate(at: tree.position(atTreeIndex: place))
    feature = ClusterFeature(
      id: path.last!.id.rawValue, pointCount: 1, coordinate: coordinate,
      bounds: BoundingBox(
        west: coordinate.longitude, south: coordinate.latitude, east: coordinate.longitude,
        north: coordinate.latitude),
      index: tree.row(atTreeIndex: place), columns: tree.attributes(atTreeIndex: place))
  }
}
