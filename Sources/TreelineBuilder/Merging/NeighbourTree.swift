import CPrefetch
import Treeline

/// The clusters that there are, by position: a tree of boxes over clusters along the Hilbert curve, eight in a block
/// and eight boxes in a node.
///
/// A merged cluster takes the place of one of its parts, and boxes above change as need be. Once half of the places are
/// free, the tree is made anew. So it does not matter how distances are distributed: a search looks at the same few
/// boxes whether clusters lie evenly, on a line or in groups of groups.
struct NeighbourTree: ~Copyable {
  /// No cluster.
  static let none = UInt32.max

  /// For each block the x of eight clusters and their y, which fill a cache line, and their least members. A free place
  /// has the cluster `none`.
  private let blocks: UnsafeMutablePointer<UInt32>
  private let blockCount: Int
  /// For each node the least x, the least y, the greatest x and the greatest y of eight boxes. Those of blocks come
  /// first, the root last. Where there is no box, the least is above the greatest.
  private var levels: [UnsafeMutablePointer<UInt32>] = []
  /// How many blocks there are, then how many nodes at each level but the last.
  private var childCounts: [Int] = []
  private var levelCounts: [Int] = []

  /// Of a block and of a node.
  private static let stride = 32

  private static func allocate(_ count: Int) -> UnsafeMutablePointer<UInt32> {
    UnsafeMutableRawPointer.allocate(byteCount: count * stride * 4, alignment: 64)
      .bindMemory(to: UInt32.self, capacity: count * stride)
  }

  /// - Parameters:
  ///   - count: how many clusters there are, 1 or more.
  ///   - cluster: each of them along the Hilbert curve, by its least member and its position.
  init(count: Int, _ cluster: (Int) -> (number: UInt32, position: PlanePoint)) {
    blockCount = (count + 7) / 8
    blocks = Self.allocate(blockCount)
    MemoryBlock(blocks, count: blockCount * Self.stride).adviseLargePages()
    blocks.initialize(repeating: Self.none, count: blockCount * Self.stride)
    for index in 0..<count {
      let (number, position) = cluster(index)
      set(number, position, at: UInt32(index))
    }
    var below = blockCount
    while below > 1 || levels.isEmpty {
      let (level, size) = (levels.count, (below + 7) / 8)
      let boxes = Self.allocate(size)
      levels.append(boxes)
      levelCounts.append(size)
      childCounts.append(below)
      for node in 0..<size {
        (boxes + node * Self.stride).initialize(repeating: .max, count: 16)
        (boxes + node * Self.stride + 16).initialize(repeating: 0, count: 16)
      }
      for child in 0..<below { set(box(ofChild: child, below: level), ofChild: child, at: level) }
      below = size
    }
  }

  deinit {
    MemoryBlock(blocks, count: blockCount * Self.stride).deallocate()
    for (level, count) in zip(levels, levelCounts) { MemoryBlock(level, count: count * Self.stride).deallocate() }
  }
}

// MARK: - Places

extension NeighbourTree {
  @inline(__always) private func block(_ block: Int) -> UnsafeMutablePointer<UInt32> { blocks + block &* Self.stride }

  @inline(__always) private func block(of place: UInt32) -> (start: UnsafeMutablePointer<UInt32>, lane: Int) {
    (block(Int(place >> 3)), Int(place & 7))
  }

  @inline(__always) func position(at place: UInt32) -> PlanePoint {
    let (block, lane) = block(of: place)
    return PlanePoint(x: block[lane], y: block[8 &+ lane])
  }

  /// Calls with all clusters, in the order of their places.
  func forEach(_ body: (_ cluster: UInt32, _ position: PlanePoint) -> Void) {
    for place in 0..<UInt32(8 * blockCount) {
      let (block, lane) = block(of: place)
      if block[16 + lane] != Self.none { body(block[16 + lane], position(at: place)) }
    }
  }

  /// Puts a merged cluster in the place of one of its parts, and frees the other's.
  @inline(__always) mutating func merge(
    _ cluster: UInt32, at position: PlanePoint, into place: UInt32, freeing other: UInt32
  ) {
    set(Self.none, PlanePoint(x: .max, y: .max), at: other)
    set(cluster, position, at: place)
    if place >> 3 != other >> 3 { refit(Int(other >> 3)) }
    refit(Int(place >> 3))
  }

  @inline(__always) private func set(_ cluster: UInt32, _ position: PlanePoint, at place: UInt32) {
    let (block, lane) = block(of: place)
    block[lane] = position.x
    block[8 &+ lane] = position.y
    block[16 &+ lane] = cluster
  }

  /// Brings the boxes above a block up to date, as far as they change.
  @inline(__always) private func refit(_ block: Int) {
    var child = block
    for level in 0..<levels.count {
      guard set(box(ofChild: child, below: level), ofChild: child, at: level) else { return }
      child >>= 3
    }
  }

  /// The box around a block, or around the boxes of a node.
  @inline(__always) private func box(ofChild child: Int, below level: Int) -> PlaneRect {
    var box = PlaneRect(minX: .max, minY: .max, maxX: 0, maxY: 0)
    if level == 0 {
      let block = block(child)
      for lane in 0..<8 where block[16 &+ lane] != Self.none {
        box.formUnion(PlanePoint(x: block[lane], y: block[8 &+ lane]))
      }
    } else {
      let boxes = levels[level &- 1] + child &* Self.stride
      for lane in 0..<8 {
        box.minX = min(box.minX, boxes[lane])
        box.minY = min(box.minY, boxes[8 &+ lane])
        box.maxX = max(box.maxX, boxes[16 &+ lane])
        box.maxY = max(box.maxY, boxes[24 &+ lane])
      }
    }
    return box
  }

  /// - Returns: whether that is another box than before.
  @discardableResult @inline(__always) private func set(_ box: PlaneRect, ofChild child: Int, at level: Int) -> Bool {
    let boxes = levels[level] + (child >> 3) &* Self.stride
    let lane = child & 7
    if boxes[lane] == box.minX && boxes[8 &+ lane] == box.minY && boxes[16 &+ lane] == box.maxX
      && boxes[24 &+ lane] == box.maxY
    {
      return false
    }
    (boxes[lane], boxes[8 &+ lane]) = (box.minX, box.minY)
    (boxes[16 &+ lane], boxes[24 &+ lane]) = (box.maxX, box.maxY)
    return true
  }
}

// MARK: - Searching

extension NeighbourTree {
  /// The nearest cluster, of several the one with the least member.
  struct Nearest {
    var squaredDistance = UInt64.max
    /// `none` where there is no other.
    var cluster = NeighbourTree.none

    @inline(__always) mutating func offer(_ cluster: UInt32, _ squaredDistance: UInt64) {
      if squaredDistance < self.squaredDistance || squaredDistance == self.squaredDistance && cluster < self.cluster {
        (self.squaredDistance, self.cluster) = (squaredDistance, cluster)
      }
    }

    /// A quarter of the squared distance: what is farther away by half its differences, rounded down, is farther away.
    /// Squares of these do not overflow. The greatest square stands for all that are greater.
    @inline(__always) var quarter: UInt64 { squaredDistance == .max ? .max : squaredDistance >> 2 }
  }

  /// The square of half a distance, but for roundings down.
  @inline(__always) private static func quarter(_ width: UInt32, _ height: UInt32) -> UInt64 {
    let (x, y) = (UInt64(width >> 1), UInt64(height >> 1))
    return x &* x &+ y &* y
  }

  /// How far a coordinate is from an interval.
  @inline(__always) private static func gap(_ value: UInt32, _ least: UInt32, _ greatest: UInt32) -> UInt32 {
    let below = Int64(least) &- Int64(value)
    let above = Int64(value) &- Int64(greatest)
    return UInt32(truncatingIfNeeded: max(below, above, 0))
  }

  /// Looks for the cluster nearest to another: first in its block, then in those whose boxes are near enough.
  @inline(__always) func nearest(to cluster: UInt32, at place: UInt32) -> Nearest {
    let position = position(at: place)
    var nearest = Nearest()
    var child = Int(place >> 3)
    search(block: child, position, cluster, &nearest)
    for level in 0..<levels.count {
      search(child >> 3, at: level, position, cluster, but: child & 7, &nearest)
      child >>= 3
    }
    return nearest
  }

  /// - Parameter but: a lane to be left out, or 8.
  private func search(
    _ node: Int, at level: Int, _ position: PlanePoint, _ cluster: UInt32, but: Int, _ nearest: inout Nearest
  ) {
    let boxes = levels[level] + node &* Self.stride
    let limit = nearest.quarter
    // A bit for each lane that is near enough.
    var near: UInt32 = 0
    for lane in 0..<8 {
      let x = Self.gap(position.x, boxes[lane], boxes[16 &+ lane])
      let y = Self.gap(position.y, boxes[8 &+ lane], boxes[24 &+ lane])
      near |= (Self.quarter(x, y) <= limit ? 1 : 0) &<< UInt32(truncatingIfNeeded: lane)
    }
    near &= ~(1 &<< UInt32(truncatingIfNeeded: but)) & childMask(of: node, at: level)
    if level == 0 {
      var toFetch = near
      while toFetch != 0 {
        prefetch(block(node << 3 | toFetch.trailingZeroBitCount))
        toFetch &= toFetch &- 1
      }
    }
    while near != 0 {
      let lane = near.trailingZeroBitCount
      near &= near &- 1
      // The limit may be less by now.
      let x = Self.gap(position.x, boxes[lane], boxes[16 &+ lane])
      let y = Self.gap(position.y, boxes[8 &+ lane], boxes[24 &+ lane])
      guard Self.quarter(x, y) <= nearest.quarter else { continue }
      if level == 0 {
        search(block: node << 3 | lane, position, cluster, &nearest)
      } else {
        search(node << 3 | lane, at: level &- 1, position, cluster, but: 8, &nearest)
      }
    }
  }

  /// Bits for the children that there are.
  @inline(__always) private func childMask(of node: Int, at level: Int) -> UInt32 {
    let count = childCounts[level] &- node &* 8
    return count >= 8 ? 0xFF : 1 &<< UInt32(truncatingIfNeeded: count) &- 1
  }

  @inline(__always) private func search(
    block: Int, _ position: PlanePoint, _ cluster: UInt32, _ nearest: inout Nearest
  ) {
    let block = self.block(block)
    let limit = nearest.quarter
    var near: UInt32 = 0
    for lane in 0..<8 {
      let (x, y) = (block[lane], block[8 &+ lane])
      let width = max(x, position.x) &- min(x, position.x)
      let height = max(y, position.y) &- min(y, position.y)
      near |= (Self.quarter(width, height) <= limit ? 1 : 0) &<< UInt32(truncatingIfNeeded: lane)
    }
    while near != 0 {
      let lane = near.trailingZeroBitCount
      near &= near &- 1
      let other = block[16 &+ lane]
      if other == Self.none || other == cluster { continue }
      nearest.offer(
        other, Plane.Projection.planar.squaredDistance(position, PlanePoint(x: block[lane], y: block[8 &+ lane])))
    }
  }

  /// The same among clusters on the other side of the seam: those to which the way around is the shorter one.
  ///
  /// - Parameter canMerge: whether a cluster may be merged with the target across the seam.
  @inline(never) func searchAround(
    _ target: UInt32, at place: UInt32, _ nearest: inout Nearest, canMerge: (UInt32) -> Bool
  ) {
    let position = position(at: place)
    let toSeam = UInt64(min(position.x, 0 &- position.x))
    guard toSeam * toSeam <= nearest.squaredDistance else { return }
    var waiting = [(node: 0, level: levels.count - 1)]
    while let (node, level) = waiting.popLast() {
      for lane in 0..<8 {
        let (boxes, child) = (levels[level] + node * Self.stride, node << 3 | lane)
        guard boxes[lane] <= boxes[16 + lane] else { continue }
        let width = Self.leastWidthAround(position.x, boxes[lane], boxes[16 + lane])
        guard let width, UInt64(width) * UInt64(width) <= nearest.squaredDistance else { continue }
        if level > 0 {
          waiting.append((child, level - 1))
          continue
        }
        for lane in 0..<8 {
          let cluster = block(child)[16 + lane]
          if cluster == Self.none || cluster == target { continue }
          let other = self.position(at: UInt32(child << 3 | lane))
          let squaredDistance = Plane.Projection.webMercator.squaredDistance(position, other)
          let isAround = max(other.x, position.x) - min(other.x, position.x) > 1 << 31
          if isAround, squaredDistance <= nearest.squaredDistance, canMerge(cluster) {
            nearest.offer(cluster, squaredDistance)
          }
        }
      }
    }
  }

  /// How far it is at least from an x across the seam to some others, where that is the shorter way; nil if it is not.
  private static func leastWidthAround(_ x: UInt32, _ least: UInt32, _ greatest: UInt32) -> UInt32? {
    if greatest > x && greatest - x > 1 << 31 { return x &- greatest }
    if least < x && x - least > 1 << 31 { return least &- x }
    return nil
  }
}
