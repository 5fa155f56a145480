/// The nodes that are shown at some distance, found by where they are.
///
/// Nodes that are shown have no points in common, so each goes by the place of its first point. They are kept by the
/// cells of a grid, no narrower than the distance and less than twice as wide: as long as any two of them are that far
/// apart there are few in a cell, and what is nearer than that lies in the same cell or beside it.
struct ShownNodes {
  private let projection: Plane.Projection
  private var positions: [PlanePoint]
  private var count = 0
  /// Nodes by a hash of their cell, as lists: how each begins, and what follows each node.
  private var heads = [Self.end]
  private var next: [UInt32]
  /// Cells are 2^this units wide.
  private var cellShift: UInt32 = 32

  private static let end = UInt32.max

  init(pointCount: Int, on projection: Plane.Projection) {
    self.projection = projection
    positions = [PlanePoint](repeating: PlanePoint(x: 0, y: 0), count: pointCount)
    next = [UInt32](repeating: Self.end, count: pointCount)
  }

  func position(of node: UInt32) -> PlanePoint { positions[Int(node)] }

  mutating func insert(_ node: UInt32, at position: PlanePoint) {
    if count == heads.count { arrange(inLists: 2 * heads.count) }
    positions[Int(node)] = position
    link(node)
    count += 1
  }

  mutating func remove(_ node: UInt32) {
    let list = list(of: cell(of: positions[Int(node)]))
    var link = heads[list]
    if link == node {
      heads[list] = next[Int(node)]
    } else {
      while next[Int(link)] != node { link = next[Int(link)] }
      next[Int(link)] = next[Int(node)]
    }
    count -= 1
  }

  /// Makes cells as wide as a distance asks for, given by its square, which is above 0.
  mutating func fit(to squaredDistance: UInt64) {
    let bits = UInt32(64 - (squaredDistance - 1).leadingZeroBitCount)
    let shift = (bits + 1) / 2
    if shift == cellShift { return }
    cellShift = shift
    arrange(inLists: heads.count)
  }

  /// The node nearest to a position of those that are nearer than a distance to which cells were fitted, given by its
  /// square.
  func nearest(
    to position: PlanePoint, within squaredDistance: UInt64, besides node: UInt32
  ) -> (node: UInt32, squaredDistance: UInt64)? {
    var nearest: (node: UInt32, squaredDistance: UInt64)?
    let cell = cell(of: position)
    for y in rows(around: cell.y) {
      for step in -1...1 as ClosedRange<Int64> {
        // Past the last column comes the first one, which on a plain plane holds nothing that is near.
        let x = UInt32(truncatingIfNeeded: Int64(cell.x) + step) & lastCell
        var other = heads[list(of: PlanePoint(x: x, y: y))]
        while other != Self.end {
          let distance = projection.squaredDistance(position, positions[Int(other)])
          if other != node && distance < nearest?.squaredDistance ?? squaredDistance {
            nearest = (other, distance)
          }
          other = next[Int(other)]
        }
      }
    }
    return nearest
  }
}

// MARK: - Cells

extension ShownNodes {
  private var lastCell: UInt32 { UInt32.max >> cellShift }

  private func rows(around y: UInt32) -> ClosedRange<UInt32> {
    (y > 0 ? y - 1 : 0)...(y < lastCell ? y + 1 : y)
  }

  private func cell(of position: PlanePoint) -> PlanePoint {
    PlanePoint(x: position.x >> cellShift, y: position.y >> cellShift)
  }

  private func list(of cell: PlanePoint) -> Int {
    let key = UInt64(cell.x) << 32 | UInt64(cell.y)
    return Int((key &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - heads.count.trailingZeroBitCount))
  }

  private mutating func link(_ node: UInt32) {
    let list = list(of: cell(of: positions[Int(node)]))
    next[Int(node)] = heads[list]
    heads[list] = node
  }

  /// Puts all nodes into so many lists anew, a power of two.
  private mutating func arrange(inLists listCount: Int) {
    let old = heads
    heads = [UInt32](repeating: Self.end, count: listCount)
    for head in old {
      var node = head
      while node != Self.end {
        let following = next[Int(node)]
        link(node)
        node = following
      }
    }
  }
}

extension Plane.Projection {
  /// The square of the distance between two positions, the shorter way around where x is the circle of longitudes; up to
  /// 2^64 - 1, which stands for all that is greater.
  func squaredDistance(_ a: PlanePoint, _ b: PlanePoint) -> UInt64 {
    var width = a.x > b.x ? a.x - b.x : b.x - a.x
    if self == .webMercator { width = min(width, 0 &- width) }
    let height = a.y > b.y ? a.y - b.y : b.y - a.y
    let (square, overflow) = (UInt64(width) * UInt64(width))
      .addingReportingOverflow(UInt64(height) * UInt64(height))
    return overflow ? .max : square
  }
}
