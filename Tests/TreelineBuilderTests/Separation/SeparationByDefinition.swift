import PointSets
import Treeline

/// Computes the distances at which the nodes of a tree are split, from the definition alone: see `SeparationBuild`.
///
/// Takes O(n^3) steps.
struct SeparationByDefinition {
  struct Split: Equatable {
    /// Tree index of the first point of the node's right child.
    var node: Int
    var squaredDistance: UInt64
  }

  /// The splits, in the order in which they happen.
  private(set) var splits: [Split] = []

  private let outline: TreeOutline
  private let positions: [PlanePoint]

  init(_ outline: TreeOutline) {
    self.outline = outline
    positions = outline.entries.map { outline.meanPosition(of: $0) }
    var shown = outline.entries.isEmpty ? [] : [0]
    var distance = UInt64.max
    while let next = next(of: shown, at: distance) {
      distance = next.squaredDistance
      let index = shown.firstIndex(of: next.entry)!
      let children = outline.entries[next.entry].children
      splits.append(Split(node: outline.entries[children[1]].cluster.range.lowerBound, squaredDistance: distance))
      shown.replaceSubrange(index...index, with: children)
    }
  }

  /// Returns the entry that is split next. This is the entry with the greatest distance. Of several entries with this
  /// distance, it is the first in tree order.
  private func next(of shown: [Int], at distance: UInt64) -> (entry: Int, squaredDistance: UInt64)? {
    var next: (entry: Int, squaredDistance: UInt64)?
    for entry in shown where !outline.entries[entry].children.isEmpty {
      let splitsAt = min(distance, key(of: entry, among: shown))
      if splitsAt > next?.squaredDistance ?? 0 { next = (entry, splitsAt) }
    }
    return next
  }

  /// Returns the squared distance at which an entry can be split. It is at most the squared distance at which the entry
  /// itself may be split, and at most the least squared distance from one of its children to the other child or to
  /// another shown entry.
  private func key(of entry: Int, among shown: [Int]) -> UInt64 {
    let children = outline.entries[entry].children
    var key = outline.ownSquaredDistance(of: entry, squaredDistance(children[0], children[1]))
    for other in shown where other != entry {
      key = min(key, squaredDistance(children[0], other), squaredDistance(children[1], other))
    }
    return key
  }

  private func squaredDistance(_ a: Int, _ b: Int) -> UInt64 {
    outline.tree.plane.squaredDistance(positions[a], positions[b])
  }
}

extension TreeOutline {
  /// Returns the squared distance at which an entry may be split if nothing else is shown. Two conditions must hold.
  /// Its children are at least this distance apart. Its points scatter by at least the distance times the root of a
  /// half (0.7); this is not needed if the children are twice the distance apart.
  func ownSquaredDistance(of entry: Int, _ apart: UInt64) -> UInt64 {
    // The tree stores the mean square as two numbers with a precision of 24 bits.
    let spread = entries[entry].cluster.spread
    let scatter = (Double(spread.xx) + Double(spread.yy)) * 2
    let quarter = UInt64((UInt128(apart) + 3) / 4)
    return min(apart, max(quarter, UInt64(exactly: scatter.rounded(.up)) ?? .max))
  }

  /// Returns the mean of a cluster's positions. Each coordinate is rounded to the nearest unit, and halves are rounded
  /// up.
  func meanPosition(of entry: Entry) -> PlanePoint {
    let points = entry.cluster.range.map { tree.position(atTreeIndex: $0) }
    let count = UInt64(points.count)
    let x = points.reduce(0) { $0 + UInt64($1.x) }
    let y = points.reduce(0) { $0 + UInt64($1.y) }
    return PlanePoint(x: UInt32((2 * x + count) / (2 * count)), y: UInt32((2 * y + count) / (2 * count)))
  }
}

extension Plane {
  /// Returns the squared distance of two points, clamped to 2^64 - 1.
  func squaredDistance(_ a: PlanePoint, _ b: PlanePoint) -> UInt64 {
    var width = abs(Int64(a.x) - Int64(b.x))
    if projection == .webMercator { width = min(width, 1 << 32 - width) }
    let height = abs(Int64(a.y) - Int64(b.y))
    return UInt64(clamping: Int128(width) * Int128(width) + Int128(height) * Int128(height))
  }
}
