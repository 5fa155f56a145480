import Treeline

/// The nodes that are shown at some distance, found by where they are.
///
/// Nodes that are shown have no points in common, so each goes by the tree index of its first point. They are kept by
/// the cells of a grid, no narrower than the distance and less than twice as wide: as long as any two of them are that
/// far apart there are few in a cell, and what is nearer than that lies in the same cell or beside it.
struct ShownNodes {
  private let projection: Plane.Projection
  private var entries: [Entry]
  private var count = 0
  /// How the list of nodes begins whose cells have the same hash.
  private var heads = [Self.end]
  /// Cells are 2^this units wide.
  private var cellShift: UInt32 = 32

  private struct Entry {
    var position = PlanePoint(x: 0, y: 0)
    /// What follows in the same list.
    var next = ShownNodes.end
  }

  private static let end = UInt32.max

  init(pointCount: Int, on projection: Plane.Projection) {
    self.projection = projection
    entries = [Entry](repeating: Entry(), count: pointCount)
  }

  func position(of node: UInt32) -> PlanePoint { entries[Int(node)].position }

  mutating func insert(_ node: UInt32, at position: PlanePoint) {
    if count == heads.count { arrange(inLists: 2 * heads.count) }
    entries[Int(node)].position = position
    link(node)
    count += 1
  }

  mutating func remove(_ node: UInt32) {
    let list = list(of: cell(of: position(of: node)))
    var link = heads[list]
    if link == node {
      heads[list] = entries[Int(node)].next
    } else {
      while entries[Int(link)].next != node { link = entries[Int(link)].next }
      entries[Int(link)].next = entries[Int(node)].next
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

  /// The node nearest to a position of those that are nearer than a distance, given by its square; cells are as wide
  /// as that at least.
  func nearest(to position: PlanePoint, within squaredDistance: UInt64, besides node: UInt32) -> (
    node: UInt32, squaredDistance: UInt64
  )? {
    // Coordinates of what is nearer differ by that at most.
    let reach = Int64(Double(squaredDistance).squareRoot())
    var nearest = Self.end
    var nearestDistance = squaredDistance
    for y in cells(around: position.y, reach) where y >= 0 && y <= Int64(lastCell) {
      for x in cells(around: position.x, reach) {
        // Beside the last column is the first, which on a plain plane has nothing that is near.
        let cell = PlanePoint(x: UInt32(truncatingIfNeeded: x) & lastCell, y: UInt32(truncatingIfNeeded: y))
        var other = heads[list(of: cell)]
        while other != Self.end {
          let entry = entries[Int(other)]
          let distance = projection.squaredDistance(position, entry.position)
          if distance < nearestDistance && other != node { (nearest, nearestDistance) = (other, distance) }
          other = entry.next
        }
      }
    }
    return nearest == Self.end ? nil : (nearest, nearestDistance)
  }
}

// MARK: - Cells

extension ShownNodes {
  private var lastCell: UInt32 { UInt32.max >> cellShift }

  private func cell(of position: PlanePoint) -> PlanePoint {
    PlanePoint(x: position.x >> cellShift, y: position.y >> cellShift)
  }

  /// Along one axis, also beyond its ends.
  private func cells(around coordinate: UInt32, _ reach: Int64) -> ClosedRange<Int64> {
    (Int64(coordinate) - reach) >> Int64(cellShift)...(Int64(coordinate) + reach) >> Int64(cellShift)
  }

  /// Neighbours in a row are neighbours in memory, too.
  private func list(of cell: PlanePoint) -> Int { Int(cell.x &+ cell.y &* 0x9E37_79B1) & (heads.count - 1) }

  private mutating func link(_ node: UInt32) {
    let list = list(of: cell(of: position(of: node)))
    entries[Int(node)].next = heads[list]
    heads[list] = node
  }

  /// Puts all nodes into so many lists anew, a power of two.
  private mutating func arrange(inLists listCount: Int) {
    let old = heads
    heads = [UInt32](repeating: Self.end, count: listCount)
    for head in old {
      var node = head
      while node != Self.end {
        let next = entries[Int(node)].next
        link(node)
        node = next
      }
    }
  }
}
