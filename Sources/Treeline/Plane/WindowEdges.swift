/// A window made ready for comparing its edges with those of many boxes, four numbers at a time and without a branch.
struct WindowEdges {
  let window: PlaneWindow
  /// West, north, west, north and east, south, east, south.
  private let lower: SIMD4<Int32>
  private let upper: SIMD4<Int32>
  /// All bits set where it is enough that one of two comparisons says so: everywhere but for a window past the seam.
  private let eitherDoes: SIMD4<Int32>
  let crossesSeam: Bool

  init(of window: PlaneWindow) {
    let east: UInt32
    (east, crossesSeam) = window.x.addingReportingOverflow(window.width)
    self.window = window
    lower = Self.signed(SIMD4(window.x, window.minY, window.x, window.minY))
    upper = Self.signed(SIMD4(east, window.maxY, east, window.maxY))
    // Past the seam a window is all that does not lie between its east and its west: what lies to the east of the one
    // must lie to the west of the other, too, to be outside.
    eitherDoes = SIMD4(crossesSeam ? 0 : -1, -1, crossesSeam ? 0 : -1, -1)
  }

  /// Vectors are compared as signed numbers, which is right if the greatest bit of each is turned.
  @inline(__always)
  private static func signed(_ numbers: SIMD4<UInt32>) -> SIMD4<Int32> {
    SIMD4(truncatingIfNeeded: numbers ^ SIMD4(repeating: 1 << 31))
  }

  /// Whether all of a box lies outside of the window, and whether any of it does: all bits are set where it holds.
  ///
  /// - Parameter crossesSeam: that of the window, asked for once for several boxes.
  @inline(__always)
  func leaveOut(_ box: UnsafePointer<PlaneRect>, crossesSeam: Bool) -> (all: Int32, some: Int32) {
    let sides = Self.signed(UnsafeRawPointer(box).loadUnaligned(as: SIMD4<UInt32>.self))
    // All bits of an entry are set where it holds.
    let above = unsafeBitCast(sides .> upper, to: SIMD4<Int32>.self)
    let below = unsafeBitCast(sides .< lower, to: SIMD4<Int32>.self)
    // For the box's least sides that they lie above, for the others below: all of it is outside; and the other way round.
    let opposite = SIMD4(lowHalf: below.highHalf, highHalf: below.lowHalf)
    var outside = above | opposite
    if crossesSeam { outside = above & opposite | outside & eitherDoes }
    let either = outside | SIMD4(outside[1], outside[0], outside[3], outside[2])
    return (either[0], either[2])
  }
}
