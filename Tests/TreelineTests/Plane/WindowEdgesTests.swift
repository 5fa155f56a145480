import PointSets
import TestSupport
import Testing

@_spi(Server) @testable import Treeline

/// Compares `WindowEdges`, which compares four numbers at a time, with checks of single positions.
@Suite struct WindowEdgesTests {
  /// Returns one of a few numbers, so that edges often coincide. The least and the greatest number are among them.
  private static func number(_ random: inout SplitMix64) -> UInt32 {
    let numbers: [UInt32] = [0, 1, 2, 3, 1000, 1 << 31 - 1, 1 << 31, 1 << 31 + 1, .max - 3, .max - 2, .max - 1, .max]
    return numbers[random.index(below: numbers.count)]
  }

  @Test(arguments: Trials.seeds(20)) func sidesAreOutsideAsTheWindowSays(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<10_000 {
      let (y1, y2) = (Self.number(&random), Self.number(&random))
      let window = PlaneWindow(
        x: Self.number(&random), width: Self.number(&random), minY: min(y1, y2), maxY: max(y1, y2))
      let edges = WindowEdges(of: window)
      let records = (0..<2).map { _ in
        let (x1, x2) = (Self.number(&random), Self.number(&random))
        let (y1, y2) = (Self.number(&random), Self.number(&random))
        let box = PlaneRect(minX: min(x1, x2), minY: min(y1, y2), maxX: max(x1, x2), maxY: max(y1, y2))
        return NodeRecord(box: box, count: 20, childOffset: 1)
      }
      let pair = edges.sidesOutside(ofPair: records)
      for (record, sides) in zip(records, [pair.left, pair.right]) {
        let box = record.box
        let (isOutside, isInside, showsSide) = Self.expected(box, in: window)
        #expect(sides.areAll == isOutside, "\(box) in \(window), seed \(seed)")
        #expect(sides.areNone == isInside, "\(box) in \(window), seed \(seed)")
        #expect(sides.leaveOneInside == showsSide, "\(box) in \(window), seed \(seed)")
        #expect(withUnsafePointer(to: record) { edges.sidesOutside(of: $0).bytes } == sides.bytes)
      }
    }
  }

  /// Computes the result from single positions: the ends of the box, the ends of the window, and the positions just
  /// outside the window.
  private static func expected(_ box: PlaneRect, in window: PlaneWindow) -> (
    isOutside: Bool, isInside: Bool, showsSide: Bool
  ) {
    let east = window.x &+ window.width
    let columns = [box.minX, box.maxX, window.x, window.x &- 1, east, east &+ 1].filter {
      box.minX <= $0 && $0 <= box.maxX
    }
    let rows = [box.minY, box.maxY, window.minY, window.minY &- 1, window.maxY, window.maxY &+ 1].filter {
      box.minY <= $0 && $0 <= box.maxY
    }
    func isSeen(_ x: UInt32, _ y: UInt32) -> Bool { window.contains(PlanePoint(x: x, y: y)) }
    let seen = columns.flatMap { x in rows.map { isSeen(x, $0) } }
    let upright = [box.minX, box.maxX].contains { x in rows.allSatisfy { isSeen(x, $0) } }
    let level = [box.minY, box.maxY].contains { y in columns.allSatisfy { isSeen($0, y) } }
    return (!seen.contains(true), !seen.contains(false), upright || level)
  }
}
