import GridBaseline
@_spi(Server) import Treeline
import TreelineBuilder

@_spi(Server) @testable import TreelineComparison

/// Points, and everything that a comparison with the standard methods needs.
struct Compared {
  let tree: ClusterTree
  let grid: Grid
  let methods: [ClusteringMethod]

  init(_ coordinates: [Coordinate], as projection: Plane.Projection = .webMercator) throws {
    tree = try ClusterTree(coordinates, as: projection, options: BuildOptions(threads: 1))
    let merged = try ClusterTree(
      coordinates, as: projection, options: BuildOptions(supporting: .spacing, threads: 1))
    let (tree, grid) = (tree, Grid(over: tree))
    self.grid = grid
    let choices: [MethodChoice] =
      [.grid] + [.breadthFirst, .widestFirst, .by(.detail)].map { .tree($0, .splitting(.mean)) }
      + [.tree(.by(.spacing), .merging(by: .distance))]
    let trees: [Growth: ComparedTree] = [
      .splitting(.mean): ComparedTree(tree), .merging(by: .distance): ComparedTree(merged, inOrderOf: tree),
    ]
    methods = choices.map { $0.method(grid: grid, cellSize: .pixels(64), trees: trees) }
  }

  func report(_ options: ComparisonOptions = ComparisonOptions()) throws -> ComparisonReport {
    try ComparisonReport(of: methods, over: tree, and: grid, options: options)
  }

  func journey(limit: Int? = nil) throws -> JourneyComparison? {
    var options = ComparisonOptions(limit: limit)
    options.journey = .flight
    return try JourneyComparison(of: methods, over: tree, and: grid, options: options)
  }
}
