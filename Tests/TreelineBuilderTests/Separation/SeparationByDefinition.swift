import PointSets
import Treeline

/// The distances at which nodes of a tree are split, by definition only: see `SeparationBuild`.
///
/// O(n^3).
struct SeparationByDefinition {
  struct Split: Equatable {
    /// Tree index of the first point of its right child.
    var node: Int
    var squaredDistance: UInt64
  }

  /// In the order in which they happen.
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

  /// Returns the entry that is split next: at the greatest distance, and the first in tree order for ties.
  private func next(of shown: [Int], at distance: UInt64) -> (entry: Int, squaredDistance: UInt64)? {
    var next: (entry: Int, squaredDistance: UInt64)?
    for entry in shown where !outline.entries[entry].children.isEmpty {
      let splitsAt = min(distance, key(of: entry, among: shown))
      if splitsAt > next?.squaredDistance ?? 0 { next = (entry, splitsAt) }
    }
    return next
  }

  /// Returns the square of the least distance between a child and the other child or another shown entry, but at most
  /// the squared distance at which the entry itself may be split.
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
  /// Returns the squared distance at which an entry may be split if nothing else is shown. Its children must be at
  /// least this distance apart. Its points must scatter by the root of a half (0.7) of the distance, unless the
  /// children are twice the distance apart.
  func ownSquaredDistance(of entry: Int, _ apart: UInt64) -> UInt64 {
    // The mean square is kept as two numbers of 24 bits.
    let spread = entries[entry].cluster.spread
    let scatter = (Double(spread.xx) + Double(spread.yy)) * 2
    let quarter = UInt64((UInt128(apart) + 3) / 4)
    return min(apart, max(quarter, UInt64(exactly: scatter.rounded(.up)) ?? .max))
  }

  /// Returns the mean of a cluster's positions, with each coordinate rounded to the nearest unit, halves up.
  func meanPosition(of entry: Entry) -> PlanePoint {
    let points = entry.cluster.range.map { tree.position(atTreeIndex: $0) }
    let count = UInt64(points.count)
    let x = points.reduce(0) { $0 + UInt64($1.x) }
    let y = points.reduce(0) { $0 + UInt64($1.y) }
    return PlanePoint(x: UInt32((2 * x + count) / (2 * count)), y: UInt32((2 * y + count) / (2 * count)))
  }
}

extension Plane {
  /// Returns a squared distance, at most 2^64 - 1.
  func squaredDistance(_ a: PlanePoint, _ b: PlanePoint) -> UInt64 {
    var width = abs(Int64(a.x) - Int64(b.x))
    if projection == .webMercator { width = min(width, 1 << 32 - width) }
    let height = abs(Int64(a.y) - Int64(b.y))
    return UInt64(clamping: Int128(width) * Int128(width) + Int128(height) * Int128(height))
  }
}
