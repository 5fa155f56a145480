import PointSets
@_spi(Server) import Treeline

/// A random cut by pixels at a zoom, with or without unclustered points.
struct PixelQuery: CustomStringConvertible {
  var zoom: Double
  let criterion: PixelCriterion
  let pixels: Double
  private(set) var alone: UnclusteredPoints

  init(_ random: inout SplitMix64) {
    zoom = random.number(from: -2, to: 24)
    pixels = random.number(from: 0, to: 200)
    // A cut by badges supports no unclustered points.
    let criteria = PixelCriterion.allCases.filter { $0 != .badges }
    criterion = criteria[random.index(below: criteria.count)]
    alone = UnclusteredPoints(
      leastMembers: [1, 1, 3, 8, 40, .max][random.index(below: 6)],
      fromZoom: random.index(below: 3) == 0 ? random.number(from: 0, to: 24) : .infinity)
  }

  func unclustered(_ alone: UnclusteredPoints) -> PixelQuery {
    var query = self
    query.alone = alone
    return query
  }

  func answer(of tree: ClusterTree, _ window: PlaneWindow, limit: Int? = nil) throws -> Clusters {
    let cut = Cut(criterion, pixels: pixels).unclustered(alone)
    return try tree.clusters(limit.map(cut.atMost) ?? cut, in: window, zoom: zoom)
  }

  var description: String { "zoom \(zoom), \(criterion) \(pixels), \(alone)" }
}
