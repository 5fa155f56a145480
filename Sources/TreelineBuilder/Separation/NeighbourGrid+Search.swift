import Treeline

extension NeighbourGrid {
  /// A rectangle of cells. On a circle of longitudes, the first column follows the last column.
  struct Area {
    var columns: (first: UInt32, last: UInt32)
    var rows: (first: UInt32, last: UInt32)
  }

  /// If a search radius is at least this large, all cells are searched. This takes little time, because the plane has
  /// room for only about a thousand nodes at this distance from each other.
  private static let reachOfAll: UInt32 = 1 << 27

  /// Returns a rectangle of cells that contains all positions at most `reach` away from either of two positions.
  /// Returns nil if the two positions are so far apart that many other nodes may be between them. In this case, the
  /// cells around each position must be searched separately.
  @inline(__always) func area(around a: PlanePoint, _ b: PlanePoint, reach: UInt32) -> Area? {
    if reach >= Self.reachOfAll {
      let last = UInt32(truncatingIfNeeded: columnCount &- 1)
      return Area(columns: (0, last), rows: (0, last))
    }
    let (top, bottom) = (min(a.y, b.y), max(a.y, b.y))
    let width = projection.width(a.x, b.x)
    guard width <= 4 &* reach, bottom &- top <= 4 &* reach else { return nil }
    let west = a.x &+ width == b.x ? a.x : b.x
    return Area(
      columns: (column(before(west, reach)), column(behind(west &+ width, reach))),
      rows: (column(top &- min(top, reach)), column(bottom &+ min(.max &- bottom, reach))))
  }

  @inline(__always) private func before(_ x: UInt32, _ reach: UInt32) -> UInt32 {
    projection.isCyclic ? x &- reach : x &- min(x, reach)
  }

  @inline(__always) private func behind(_ x: UInt32, _ reach: UInt32) -> UInt32 {
    projection.isCyclic ? x &+ reach : x &+ min(.max &- x, reach)
  }

  @inline(__always) func forEachCell(of area: Area, _ body: (_ column: UInt32, _ row: UInt32) -> Void) {
    var column = area.columns.first
    while true {
      var row = area.rows.first
      while true {
        body(column, row)
        if row == area.rows.last { break }
        row &+= 1
      }
      if column == area.columns.last { break }
      column = UInt64(column) &+ 1 == columnCount ? 0 : column &+ 1
    }
  }

  /// The nearest node that a search has found so far, and the square of its distance.
  struct Neighbour {
    var squaredDistance: UInt64
    /// Number of the node; `InternalNode.none` if all points of the node share one position, or if no node was found.
    var node = InternalNode.none
  }

  /// Searches the cells of an area for the node that is closest to either of two positions. If this node is closer
  /// than `nearest`, stores the node in `nearest`. Skips the node `exception`.
  ///
  /// - Returns: the number of cells that were searched, and the number of their chunks. A chunk holds up to four nodes
  ///   of one cell.
  @inline(__always) func findNearest(
    to a: PlanePoint, _ b: PlanePoint, in area: Area, but exception: UInt32, _ nearest: inout Neighbour
  ) -> (cells: Int, chunks: Int) {
    var seen = (cells: 0, chunks: 0)
    var sieve = Sieve(a, b, but: exception, nearest.squaredDistance)
    forEachCell(of: area) { column, row in
      seen.cells &+= 1
      guard var chunk = cell(column, row) else { return }
      while true {
        seen.chunks &+= 1
        if sieve.passesAny(of: chunk.pointee) {
          compare(chunk, a, b, but: exception, &nearest)
          sieve.narrow(to: nearest.squaredDistance)
        }
        if chunk.pointee.next == 0 { break }
        chunk = chunks + Int(chunk.pointee.next)
      }
    }
    return seen
  }

  private func compare(
    _ chunk: UnsafeMutablePointer<Chunk>, _ a: PlanePoint, _ b: PlanePoint, but exception: UInt32,
    _ nearest: inout Neighbour
  ) {
    let lanes = Self.lanes(of: chunk)
    for lane in 0..<Int(chunk.pointee.count) where lanes[8 + lane] != exception {
      let position = PlanePoint(x: lanes[lane], y: lanes[4 + lane])
      let squaredDistance = projection.squaredDistance(position, toNearerOf: a, b)
      if squaredDistance < nearest.squaredDistance {
        nearest = Neighbour(squaredDistance: squaredDistance, node: lanes[8 + lane])
      }
    }
  }
}

/// Tests four nodes at once, and rejects nodes that are too far away. Most nodes are rejected.
///
/// To save time, both axes are treated as circles of 2^32 units, and differences are measured the shorter way around.
/// On an axis that is no circle, the result may be too small, but never too great. So no near node is rejected.
/// Squares are rounded, so the limit is increased to allow for rounding. The distances of nodes that are not rejected
/// are then computed exactly.
private struct Sieve {
  private let ax: SIMD4<UInt32>
  private let ay: SIMD4<UInt32>
  private let bx: SIMD4<UInt32>
  private let by: SIMD4<UInt32>
  private let exception: SIMD4<UInt32>
  private var limit: SIMD4<Float>

  @inline(__always) init(_ a: PlanePoint, _ b: PlanePoint, but exception: UInt32, _ squaredDistance: UInt64) {
    (ax, ay) = (SIMD4(repeating: a.x), SIMD4(repeating: a.y))
    (bx, by) = (SIMD4(repeating: b.x), SIMD4(repeating: b.y))
    self.exception = SIMD4(repeating: exception)
    limit = SIMD4(repeating: Self.limit(squaredDistance))
  }

  /// Returns the limit for computed squares of distances. It is greater than the exact limit, to allow for rounding.
  /// Computing a square takes five rounded steps, and each step reduces the square by less than 2^-24 of its value.
  @inline(__always) private static func limit(_ squaredDistance: UInt64) -> Float {
    Float(squaredDistance) * (1 + 0x1p-20)
  }

  @inline(__always) mutating func narrow(to squaredDistance: UInt64) {
    limit = SIMD4(repeating: Self.limit(squaredDistance))
  }

  @inline(__always) func passesAny(of chunk: NeighbourGrid.Chunk) -> Bool {
    let a = Self.squaredLengths(chunk.x &- ax, chunk.y &- ay)
    let b = Self.squaredLengths(chunk.x &- bx, chunk.y &- by)
    return any((a .<= limit .| b .<= limit) .& (chunk.node .!= exception))
  }

  @inline(__always) private static func squaredLengths(_ x: SIMD4<UInt32>, _ y: SIMD4<UInt32>) -> SIMD4<Float> {
    let (x, y) = (SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: x)), SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: y)))
    return x * x + y * y
  }
}
