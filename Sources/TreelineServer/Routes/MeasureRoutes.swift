import Treeline
@_spi(Server) import TreelineComparison
@_spi(Server) import TreelineFormats

/// `/v1/{index}/measures`: how good an answer is, in the numbers of `treeline compare`.
enum MeasureRoutes {
  static func measures(_ asked: inout Asked) -> Answer {
    let index = asked.index
    let method = asked.parameters.choice("method", of: ClusterRoutes.Method.self) ?? .pca
    let view = View(&asked.parameters, of: asked.tree)
    let compared = comparisonView(view, &asked.parameters, of: asked.tree)
    switch method {
    case .pca:
      let cut = Cut(&asked.parameters, of: asked.tree, hasScale: view.zoom != nil)
      return Answer(Answer.json, isDear: true) { bytes in
        let clusters = try cut.clusters(of: index.tree, in: view)
        write(try compared.map { try SampledMeasures(of: clusters, over: index.tree, in: $0) }, to: &bytes)
      }
    case .grid:
      let cells = GridCells(&asked.parameters, of: asked.tree, in: view)
      return Answer(Answer.json, isDear: true) { bytes in
        let clusters = try cells.clusters(of: index, in: view)
        write(try compared.map { try SampledMeasures(of: clusters, over: index.tree, in: $0) }, to: &bytes)
      }
    }
  }

  /// nil where nothing is in view.
  private static func comparisonView(
    _ view: View, _ parameters: inout QueryParameters, of tree: ClusterTree
  ) -> ComparisonView? {
    guard let zoom = view.zoom else {
      parameters.refuse(
        "zoom", expected: "a zoom, or a width and a height, as measures are in pixels", found: nil)
      return nil
    }
    guard view.window != nil else { return nil }
    do {
      return try ComparisonView(view.box ?? tree.wholeBox, zoom: zoom, on: tree.plane)
    } catch {
      parameters.refuse(
        "bbox", expected: "a box of an area and at most 16384 px a side", found: parameters.value("bbox"))
      return nil
    }
  }

  private static func write(_ measures: SampledMeasures?, to bytes: inout OutputBytes) {
    let measures = measures ?? .none
    bytes.append("{\"cluster_count\":")
    bytes.append(measures.clusterCount)
    bytes.append(",\"point_count\":")
    bytes.append(measures.pointCount)
    bytes.append(",\"points_in_view\":")
    bytes.append(measures.pointsInView)
    bytes.append(",\"sampled_points\":")
    bytes.append(measures.sampledPoints)
    bytes.append(",\"distortion\":")
    bytes.append(json: measures.distortion)
    bytes.append(",\"overlap\":")
    bytes.append(json: measures.overlap)
    bytes.append(",\"closest_pair\":")
    bytes.append(json: measures.closestPair)
    bytes.append(",\"grid_look\":")
    bytes.append(json: measures.gridLook)
    bytes.append(",\"neighbour_spread\":")
    bytes.append(json: measures.neighbourSpread)
    bytes.append(",\"data_distance\":")
    bytes.append(json: measures.dataDistance)
    bytes.append("}\n")
  }
}

extension ClusterTree {
  /// What is looked at where nothing else is asked for.
  fileprivate var wholeBox: BoundingBox {
    plane.projection == .planar
      ? BoundingBox(
        west: plane.left, south: plane.top - plane.side, east: plane.left + plane.side, north: plane.top)
      : .world
  }
}
