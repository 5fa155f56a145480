import Treeline

/// Answers one query after the other of an index, for a tool that traces reads and writes of memory.
///
///     TracedQueries INDEX LIMIT [WEST,SOUTH,EAST,NORTH …]
///
/// Prints where the node records begin, how many there are, and an address that is written to before each query; then,
/// how many clusters each answer has.
@main enum TracedQueries {
  static func main() throws {
    let arguments = CommandLine.arguments
    let tree = try ClusterTree(index: arguments[1])
    let boxes = arguments[3...].map { argument in
      let sides = argument.split(separator: ",").map { Double($0)! }
      return BoundingBox(west: sides[0], south: sides[1], east: sides[2], north: sides[3])
    }
    // So much comes from the system by itself, at an address that nothing else writes to, now or later.
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
