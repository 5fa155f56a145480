import PointSets
import Testing
import Treeline

/// Checks windows that wrap around the world. A few positions suffice to cover all cases.
@Suite struct PlaneWindowExhaustiveTests {
  /// Eight positions that represent the whole circle: four on either side of the wrap.
  static let xs: [UInt32] = [.max - 3, .max - 2, .max - 1, .max, 0, 1, 2, 3]

  @Test func containsAndIntersectsFollowFromPoints() {
    for x in Self.xs {
      for width: UInt32 in [0, 1, 2, 5, .max - 5, .max - 2, .max - 1, .max] {
        let window = PlaneWindow(x: x, width: width, minY: 5, maxY: 6)
        for minX in Self.xs {
          #expect(window.contains(PlanePoint(x: minX, y: 5)) == holds(window, minX))
          #expect(!window.contains(PlanePoint(x: minX, y: 4)) && !window.contains(PlanePoint(x: minX, y: 7)))
          for maxX in Self.xs where maxX >= minX { check(window, PlaneRect(minX: minX, minY: 5, maxX: maxX, maxY: 6)) }
        }
      }
    }
  }

  private func holds(_ window: PlaneWindow, _ x: UInt32) -> Bool {
    (Int64(x) - Int64(window.x) + 1 << 32) % (1 << 32) <= Int64(window.width)
  }

  /// Compares a window and a rectangle at only a few positions. They include the ends of the window and of the
  /// rectangle.
  private func check(_ window: PlaneWindow, _ rect: PlaneRect) {
    let ends = Self.xs + [window.x &+ window.width, window.x &- 1, window.x &+ window.width &+ 1]
    let inRect = ends.filter { rect.minX <= $0 && $0 <= rect.maxX }
    #expect(window.contains(rect) == inRect.allSatisfy { holds(window, $0) }, "\(window), \(rect)")
    #expect(window.intersects(rect) == inRect.contains { holds(window, $0) }, "\(window), \(rect)")
  }

  @Test func edgesAboveAndBelowCount() {
    let window = PlaneWindow(x: 0, width: .max, minY: 10, maxY: 20)
    for (minY, maxY, contains, intersects) in [
      (10, 20, true, true), (9, 20, false, true), (10, 21, false, true), (0, 10, false, true), (20, 30, false, true),
      (0, 9, false, false), (21, 30, false, false), (15, 15, true, true), (0, 99, false, true),
    ] as [(UInt32, UInt32, Bool, Bool)] {
      let rect = PlaneRect(minX: 3, minY: minY, maxX: 4, maxY: maxY)
      #expect(window.contains(rect) == contains && window.intersects(rect) == intersects, "\(rect)")
    }
  }
}
