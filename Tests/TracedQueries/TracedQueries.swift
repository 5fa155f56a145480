import Treeline

/// Runs queries of an index, one after another, for a tool that traces reads and writes of memory.
///
///     TracedQueries INDEX LIMIT [WEST,SOUTH,EAST,NORTH …]
///
/// First prints the address of the node records, the number of records, and an address that is written before each
/// query. Then prints the number of clusters in each answer.
@main enum TracedQueries {
  static func main() throws {
    let arguments = CommandLine.arguments
    let tree = try ClusterTree(contentsOfFile: arguments[1])
    let boxes = arguments[3...].map { argument in
      let sides = argument.split(separator: ",").map { Double($0)! }
      return BoundingBox(west: sides[0], south: sides[1], east: sides[2], north: sides[3])
    }
    // The system provides a block of this size directly, at an address to which nothing else ever writes.
    let mark = UnsafeMutablePointer<Int>.allocate(capacity: 1 << 20)
    tree.withStorage { print(UInt(bitPattern: $0.nodes), $0.nodeCount, UInt(bitPattern: mark)) }
    for (index, box) in boxes.enumerated() {
      write(index, to: mark)
      print(try tree.clusters(.limit(Int(arguments[2])!), in: Viewport(box)).count)
    }
  }

  @inline(never) @_optimize(none) private static func write(_ index: Int, to mark: UnsafeMutablePointer<Int>) {
    mark.initialize(to: index)
  }
}
