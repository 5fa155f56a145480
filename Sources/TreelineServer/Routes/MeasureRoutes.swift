@_spi(Server) import Treeline
@_spi(Server) import TreelineComparison
@_spi(Server) import TreelineFormats

/// `/v1/{index}/measures`: the quality of an answer, in the measures that `treelinemap compare` also prints.
enum MeasureRoutes {
  static func measures(_ request: inout IndexRequestContext) -> Representation {
    let index = request.index
    let method = request.parameters.choice("method", of: ClusterRoutes.Method.self) ?? .pca
    switch method {
    case .pca:
      let served = ServedQuery(&request.parameters, of: request.tree)
      let compared = comparisonView(served.query.viewport, &request.parameters, of: request.tree)
      let selection = request.selection()
      return .json(cost: selection.cost + AnswerCost.ofMeasures) {
        let tree = try selection.tree()
        let clusters = try served.clusters(of: tree)
        return members(
          try compared.map { try SampledMeasures(of: clusters, cut: served.query.cut, over: tree, in: $0) })
      }
    case .grid:
      let viewport = Viewport(&request.parameters)
      let view = request.parameters.locate(viewport, on: request.tree.plane)
      let compared = comparisonView(viewport, &request.parameters, of: request.tree)
      let cells = GridCells(&request.parameters, of: request.tree, in: view)
      return .json(cost: AnswerCost.ofMeasures) {
        let clusters = try cells.clusters(of: index, in: viewport)
        return members(try compared.map { try SampledMeasures(of: clusters, over: index.tree, in: $0) })
      }
    }
  }

  /// Returns the view to measure; nil if nothing is in view, or if a parameter is invalid.
  private static func comparisonView(_ viewport: Viewport, _ parameters: inout QueryParameters, of tree: ClusterTree)
    -> ComparisonView?
  {
    guard viewport.hasScale else {
      if parameters.has("zoom") { return nil }
      parameters.refuse("zoom", expected: "a zoom, or a width and a height, because measures are in pixels", found: nil)
      return nil
    }
    guard parameters.locate(viewport, on: tree.plane) != nil else { return nil }
    do { return try ComparisonView(viewport, on: tree.plane) } catch {
      let name = viewport.areaParameter
      parameters.refuse(
        name, expected: "a box with an area and at most 16384 px per side", found: parameters.value(name))
      return nil
    }
  }

  private static func members(_ measures: SampledMeasures?) -> [String: Double?] {
    let measures = measures ?? .none
    let members = [
      "cluster_count": Double(measures.clusterCount), "point_count": Double(measures.pointCount),
      "points_in_view": Double(measures.pointsInView), "sampled_points": Double(measures.sampledPoints),
      "distortion": measures.distortion, "overlap": measures.overlap, "closest_pair": measures.closestPair,
      "grid_look": measures.axisShare, "neighbour_spread": measures.neighbourSpread,
      "data_distance": measures.dataDistance,
    ]
    return members.mapValues { $0.flatMap { $0.isFinite ? $0 : nil } }
  }
}
