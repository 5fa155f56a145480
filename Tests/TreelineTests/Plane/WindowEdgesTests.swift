import PointSets
import Testing

@testable import Treeline

/// What is compared four numbers at a time is what the window says itself.
@Suite struct WindowEdgesTests {
  /// Few numbers, so that edges often meet, and the least and the greatest among them.
  private static func number(_ random: inout SplitMix64) -> UInt32 {
    let numbers: [UInt32] = [
      0, 1, 2, 3, 1000, 1 << 31 - 1, 1 << 31, 1 << 31 + 1, .max - 3, .max - 2, .max - 1, .max,
    ]
    return numbers[random.index(below: numbers.count)]
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func sidesAreOutsideAsTheWindowSays(seed: UInt64) {
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
        #expect(sides.areAll == !window.intersects(box), "\(box) in \(window), seed \(seed)")
        #expect(sides.areNone == window.contains(box), "\(box) in \(window), seed \(seed)")
        if !sides.areAll {
          #expect(sides.leaveOneInside == window.containsSide(of: box), "\(box) in \(window), seed \(seed)")
        }
        #expect(withUnsafePointer(to: record) { edges.sidesOutside(of: $0).bytes } == sides.bytes)
      }
    }
  }
}
