import Foundation
import Treeline
@_spi(Server) import TreelineComparison
@_spi(Server) import TreelineFormats

/// `/v1/{index}/measures`: how good an answer is, in the numbers of `treeline compare`.
enum MeasureRoutes {
  static func measures(_ request: inout IndexRequestContext) -> Representation {
    let index = request.index
    let method = request.parameters.choice("method", of: ClusterRoutes.Method.self) ?? .pca
    switch method {
    case .pca:
      let query = ServedQuery(&request.parameters, of: request.tree)
      let compared = comparisonView(query.view, &request.parameters, of: request.tree)
      return .json(isExpensive: true) {
        let clusters = try query.clusters(of: index.tree)
        return members(try compared.map { try SampledMeasures(of: clusters, over: index.tree, in: $0) })
      }
    case .grid:
      let view = ServedViewport(&request.parameters, of: request.tree)
      let compared = comparisonView(view, &request.parameters, of: request.tree)
      let cells = GridCells(&request.parameters, of: request.tree, in: view)
      return .json(isExpensive: true) {
        let clusters = try cells.clusters(of: index, in: view)
        return members(try compared.map { try SampledMeasures(of: clusters, over: index.tree, in: $0) })
      }
    }
  }

  /// nil where nothing is in view.
  private static func comparisonView(_ view: ServedViewport, _ parameters: inout QueryParameters, of tree: ClusterTree)
    -> ComparisonView?
  {
    guard let zoom = view.zoom else {
      parameters.refuse("zoom", expected: "a zoom, or a width and a height, as measures are in pixels", found: nil)
      return nil
    }
    guard view.window != nil else { return nil }
    do {
      return try ComparisonView(Viewport(view.viewport.comparedBox(on: tree.plane), zoom: zoom), on: tree.plane)
    } catch {
      parameters.refuse(
        "bbox", expected: "a box of an area and at most 16384 px a side", found: parameters.value("bbox"))
      return nil
    }
  }

  private static func members(_ measures: SampledMeasures?) -> [String: Double?] {
    let measures = measures ?? .none
    let members = [
      "cluster_count": Double(measures.clusterCount), "point_count": Double(measures.pointCount),
      "points_in_view": Double(measures.pointsInView), "sampled_points": Double(measures.sampledPoints),
      "distortion": measures.distortion, "overlap": measures.overlap, "closest_pair": measures.closestPair,
      "grid_look": measures.gridLook, "neighbour_spread": measures.neighbourSpread,
      "data_distance": measures.dataDistance,
    ]
    return members.mapValues { $0.flatMap { $0.isFinite ? $0 : nil } }
  }
}

extension Viewport {
  /// What is looked at, without its margin.
  fileprivate func comparedBox(on plane: Plane) throws -> BoundingBox {
    if let box = try box(on: plane) { return box }
    if case .tile(let tile) = area { return tile.bounds }
    if plane.projection == .webMercator { return .world }
    return BoundingBox(
      west: plane.left, south: plane.top - plane.side, east: plane.left + plane.side, north: plane.top)
  }
}

extension MapTile {
  fileprivate var bounds: BoundingBox {
    let columns = Double(1 << zoom)
    func longitude(_ x: Int) -> Double { Double(x) / columns * 360 - 180 }
    func latitude(_ y: Int) -> Double { atan(sinh(.pi * (1 - 2 * Double(y) / columns))) * 180 / .pi }
    return BoundingBox(west: longitude(x), south: latitude(y + 1), east: longitude(x + 1), north: latitude(y))
  }
}
