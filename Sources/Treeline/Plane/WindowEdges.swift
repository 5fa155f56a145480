/// A window's edges, prepared for comparison with many boxes: four at a time, without a branch.
struct WindowEdges {
  let window: PlaneWindow
  let crossesSeam: Bool
  /// East, south, west and north, in the order of vectors.
  private let farther: SIMD4<Int32>
  /// West, north, east and south, in the order of vectors.
  private let nearer: SIMD4<Int32>

  init(of window: PlaneWindow) {
    let east: UInt32
    (east, crossesSeam) = window.x.addingReportingOverflow(window.width)
    self.window = window
    farther = Self.ordered(SIMD4(east, window.maxY, window.x, window.minY))
    nearer = Self.ordered(SIMD4(window.x, window.minY, east, window.maxY))
  }

  /// Vectors are compared as signed numbers: flipping the top bit keeps the order of unsigned ones, and flipping all
  /// other bits reverses it, since the lesser of two east or south edges is the farther out.
  @inline(__always) private static func ordered(_ sides: SIMD4<UInt32>) -> SIMD4<Int32> {
    SIMD4(truncatingIfNeeded: sides ^ SIMD4(1 << 31, 1 << 31, 1 << 31 - 1, 1 << 31 - 1))
  }

  /// Which sides of a node's box are outside the window.
  @inline(__always) func sidesOutside(of record: UnsafePointer<NodeRecord>) -> SidesOutside {
    crossesSeam ? sidesOutsidePastSeam(of: record) : sidesOutsideBeforeSeam(of: record)
  }

  /// The same for two adjacent records, with one branch for both.
  @inline(__always) func sidesOutside(ofPair records: UnsafePointer<NodeRecord>) -> (
    left: SidesOutside, right: SidesOutside
  ) {
    crossesSeam
      ? (sidesOutsidePastSeam(of: records), sidesOutsidePastSeam(of: records + 1))
      : (sidesOutsideBeforeSeam(of: records), sidesOutsideBeforeSeam(of: records + 1))
  }

  @inline(__always) private func sidesOutsideBeforeSeam(of record: UnsafePointer<NodeRecord>) -> SidesOutside {
    // The box comes first in a record: its west, north, east and south.
    let sides = Self.ordered(UnsafeRawPointer(record).loadUnaligned(as: SIMD4<UInt32>.self))
    // All bits of an entry are set where it holds.
    let past = unsafeBitCast(sides .> farther, to: SIMD4<Int32>.self)
    let short = unsafeBitCast(sides .< nearer, to: SIMD4<Int32>.self)
    let both = SIMD8<Int8>(truncatingIfNeeded: SIMD8<Int32>(lowHalf: past, highHalf: short))
    return SidesOutside(bytes: unsafeBitCast(both, to: UInt64.self))
  }

  /// Across the seam, which is rare, single sides cannot be compared.
  @inline(never) private func sidesOutsidePastSeam(of record: UnsafePointer<NodeRecord>) -> SidesOutside {
    let box = record.pointee.box
    if !window.intersects(box) { return .all }
    return window.contains(box) ? .none : window.containsSide(of: box) ? .one : .several
  }
}

/// Which sides of a tight box lie outside a window, and past which of its edges.
struct SidesOutside {
  /// A byte for each of west, north, east and south, all bits set if that side is outside: in the lower half past the
  /// window's farther edge, and so all of the box; in the upper half short of the nearer edge.
  let bytes: UInt64

  static let none = SidesOutside(bytes: 0)
  static let one = SidesOutside(bytes: 0x0000_00FF_0000_0000)
  static let several = SidesOutside(bytes: 0x0000_FFFF_0000_0000)
  static let all = SidesOutside(bytes: .max)

  @inline(__always) var areNone: Bool { bytes == 0 }
  @inline(__always) var areAll: Bool { UInt32(truncatingIfNeeded: bytes) != 0 }

  /// Whether one whole side of the box is inside, and with it a point: that is, at most one is outside.
  @inline(__always) var leaveOneInside: Bool {
    let short = UInt32(truncatingIfNeeded: bytes &>> 32) & 0x0101_0101
    return !areAll && short & (short &- 1) == 0
  }
}
