import PointSets
import Treeline

extension PlaneWindow {
  /// Returns a random window: between two points of a tree, around a point, or anywhere. It may cross the seam.
  static func random(over tree: ClusterTree, _ random: inout SplitMix64) -> PlaneWindow {
    func corner() -> PlanePoint {
      tree.pointCount > 0 && random.index(below: 3) > 0
        ? tree.position(atTreeIndex: random.index(below: tree.pointCount))
        : PlanePoint(x: UInt32(truncatingIfNeeded: random.next()), y: UInt32(truncatingIfNeeded: random.next()))
    }
    let (a, b) = (corner(), corner())
    if random.index(below: 3) > 0 {
      return PlaneWindow(x: a.x, width: b.x &- a.x, minY: min(a.y, b.y), maxY: max(a.y, b.y))
    }
    let size = UInt32.max >> UInt32(random.index(below: 32))
    return PlaneWindow(
      x: a.x &- size / 2, width: size, minY: a.y - min(a.y, size / 2), maxY: a.y + min(.max - a.y, size / 2))
  }

  /// Returns a random window inside this window. The two windows sometimes share edges.
  func randomPart(_ random: inout SplitMix64) -> PlaneWindow {
    func cut(_ size: UInt32) -> UInt32 { random.index(below: 4) == 0 ? 0 : UInt32(random.index(below: Int(size) + 1)) }
    let west = cut(width)
    let north = cut(maxY - minY)
    let east = cut(width - west)
    let south = cut(maxY - minY - north)
    return PlaneWindow(x: x &+ west, width: width - west - east, minY: minY + north, maxY: maxY - south)
  }
}
