import ArgumentParser
import Treeline

extension BoundingBox: @retroactive ExpressibleByArgument {
  /// Reads `west,south,east,north`.
  public init?(argument: String) {
    let edges = argument.split(separator: ",", omittingEmptySubsequences: false)
      .map { Double($0.filter { $0 != " " }) }
    guard edges.count == 4, let west = edges[0], let south = edges[1], let east = edges[2], let north = edges[3]
    else { return nil }
    self.init(west: west, south: south, east: east, north: north)
  }

  public var defaultValueDescription: String { description }
}
