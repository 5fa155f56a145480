import Treeline

/// The nodes that are shown at some distance, found by position.
///
/// Shown nodes share no points, so each is known by the tree index of its first point. They are hashed by the cells of
/// a grid, at least as wide as the distance and less than twice that: nodes that far apart are few in a cell, and what
/// is closer lies in the same cell or the next.
struct ShownNodes {
  private let projection: Plane.Projection
  /// The first point of all nodes.
  private let base: UInt32
  private var entries: [Entry]
  /// The first node of each list, by the hash of its cell; a power of two of them.
  private var heads: [UInt32]
  /// Cells are 2^this units wide.
  private var cellShift: UInt32 = 32

  private struct Entry {
    var position = PlanePoint(x: 0, y: 0)
    /// The next node of the same list.
    var next = ShownNodes.end
  }

  private static let end = UInt32.max

  init(below root: Node, on projection: Plane.Projection) {
    self.projection = projection
    base = root.first
    let pointCount = Int(root.count)
    entries = [Entry](repeating: Entry(), count: pointCount)
    heads = [UInt32](repeating: Self.end, count: 1 << max(Int.bitWidth - pointCount.leadingZeroBitCount - 1, 0))
  }

  func position(of node: UInt32) -> PlanePoint { entries[Int(node - base)].position }

  mutating func insert(_ node: UInt32, at position: PlanePoint) {
    entries[Int(node - base)].position = position
    link(node)
  }

  mutating func remove(_ node: UInt32) {
    let list = list(of: cell(of: position(of: node)))
    var link = heads[list]
    if link == node {
      heads[list] = entries[Int(node - base)].next
    } else {
      while entries[Int(link - base)].next != node { link = entries[Int(link - base)].next }
      entries[Int(link - base)].next = entries[Int(node - base)].next
    }
  }

  /// Makes cells as wide as a distance requires, given by its square, which is above 0.
  mutating func fit(to squaredDistance: UInt64) {
    let bits = UInt32(64 - (squaredDistance - 1).leadingZeroBitCount)
    let shift = (bits + 1) / 2
    if shift == cellShift { return }
    cellShift = shift
    let old = heads
    heads = [UInt32](repeating: Self.end, count: old.count)
    for var node in old {
      while node != Self.end {
        let next = entries[Int(node - base)].next
        link(node)
        node = next
      }
    }
  }

  /// Calls with the nodes about as near to a position as a distance, given by its square, and some farther ones; cells
  /// are at least as wide.
  func forEach(near position: PlanePoint, within squaredDistance: UInt64, _ body: (_ node: UInt32) -> Void) {
    let reach = Int64(Double(squaredDistance).squareRoot()) + 1
    for y in cells(around: position.y, reach) where y >= 0 && y <= Int64(lastCell) {
      for x in cells(around: position.x, reach) {
        let cell = PlanePoint(x: UInt32(truncatingIfNeeded: x) & lastCell, y: UInt32(truncatingIfNeeded: y))
        var node = heads[list(of: cell)]
        while node != Self.end {
          body(node)
          node = entries[Int(node - base)].next
        }
      }
    }
  }

  /// The node nearest to a position and closer than a distance, given by its square; cells are at least as wide.
  func nearest(to position: PlanePoint, within squaredDistance: UInt64, besides node: UInt32) -> (
    node: UInt32, squaredDistance: UInt64
  )? {
    // Coordinates of closer nodes differ by at most this.
    let reach = Int64(Double(squaredDistance).squareRoot())
    var nearest = Self.end
    var nearestDistance = squaredDistance
    for y in cells(around: position.y, reach) where y >= 0 && y <= Int64(lastCell) {
      for x in cells(around: position.x, reach) {
        // Next to the last column is the first, which on a plain plane holds nothing near.
        let cell = PlanePoint(x: UInt32(truncatingIfNeeded: x) & lastCell, y: UInt32(truncatingIfNeeded: y))
        var other = heads[list(of: cell)]
        while other != Self.end {
          let entry = entries[Int(other - base)]
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

  /// Along one axis, and beyond its ends.
  private func cells(around coordinate: UInt32, _ reach: Int64) -> ClosedRange<Int64> {
    (Int64(coordinate) - reach) >> Int64(cellShift)...(Int64(coordinate) + reach) >> Int64(cellShift)
  }

  /// Neighbours in a row are neighbours in memory.
  private func list(of cell: PlanePoint) -> Int { Int(cell.x &+ cell.y &* 0x9E37_79B1) & (heads.count - 1) }

  private mutating func link(_ node: UInt32) {
    let list = list(of: cell(of: position(of: node)))
    entries[Int(node - base)].next = heads[list]
    heads[list] = node
  }
}
