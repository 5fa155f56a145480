import Treeline

/// The leaves of a tree: distinct positions, and the points at each position in the order of their rows.
struct Leaves: @unchecked Sendable {
  /// Number of leaves. If leaves can be added, the number of leaves for which there is memory.
  let leafCount: Int
  /// Whether leaves are in Z-order.
  let isInZOrder: Bool
  let positions: UnsafeMutablePointer<PlanePoint>
  let rows: UnsafeMutablePointer<UInt32>
  /// For each leaf, the indices in `rows` at which its rows begin and end.
  let starts: UnsafeMutablePointer<UInt32>
  let ends: UnsafeMutablePointer<UInt32>

  /// Makes the leaves of all points, in Z-order. Positions and rows are written to the spare arrays of `arrays`. Only
  /// `starts` is allocated.
  init(_ arrays: PointArrays, pointCount: Int, threads: Int, _ monitor: BuildMonitor) {
    let (positions, rows) = (arrays.sparePoints, arrays.spareRows)
    let starts: UnsafeMutablePointer<UInt32> = monitor.allocate(count: pointCount + 1)
    nonisolated(unsafe) let placed = UnsafeMutableBufferPointer<CodedNumber>.inZOrder(
      arrays.points, count: pointCount, threads: threads, monitor)
    defer { monitor.deallocate { MemoryBlock(placed.baseAddress!, count: pointCount).deallocate() } }
    var count = 0
    monitor.pass(over: 0..<pointCount) { block in
      for index in block {
        rows[index] = placed[index].number
        if index > 0 && placed[index].code == placed[index - 1].code { continue }
        positions[count] = ZOrder.point(of: placed[index].code)
        starts[count] = UInt32(index)
        count += 1
      }
    }
    starts[count] = UInt32(pointCount)
    (self.positions, self.rows, self.starts) = (positions, rows, starts)
    // The rows of a leaf end where the rows of the next leaf begin.
    ends = starts + 1
    (leafCount, isInZOrder) = (count, true)
  }

  /// Allocates memory for a number of leaves. The memory must be freed by `deallocate`.
  init(capacity: Int, rowCapacity: Int) {
    (leafCount, isInZOrder) = (capacity, false)
    (positions, rows) = (.allocate(capacity: capacity), .allocate(capacity: rowCapacity))
    (starts, ends) = (.allocate(capacity: capacity), .allocate(capacity: capacity))
  }

  /// Deallocates leaves that were made by `init(capacity:rowCapacity:)`.
  func deallocate() {
    positions.deallocate()
    rows.deallocate()
    starts.deallocate()
    ends.deallocate()
  }

  @inline(__always) func count(of leaf: Int) -> UInt32 { ends[leaf] - starts[leaf] }

  @inline(__always) func position(of leaf: Int) -> PlanePoint { positions[leaf] }

  /// Whether leaf `a` comes before leaf `b` in Z-order.
  @inline(__always) func precedes(_ a: UInt32, _ b: UInt32) -> Bool {
    isInZOrder ? a < b : ZOrder.code(of: positions[Int(a)]) < ZOrder.code(of: positions[Int(b)])
  }

  /// Returns the rows of a leaf in rising order.
  func rows(of leaf: Int) -> [UInt32] {
    Array(UnsafeBufferPointer(start: rows + Int(starts[leaf]), count: Int(count(of: leaf))))
  }

  /// Writes the points of a leaf in tree order. All these points have the same position, so no node is split between
  /// two of them. To record this, also writes a gap and a separation between each point and the next point.
  @inline(__always) func write(
    _ leaf: Int, to arrays: PointArrays, _ separations: UnsafeMutablePointer<UInt16>, at first: Int
  ) {
    let count = Int(count(of: leaf))
    (arrays.points + first).update(repeating: positions[leaf], count: count)
    (arrays.rows + first).update(from: rows + Int(starts[leaf]), count: count)
    (arrays.gaps + first).initialize(repeating: Gap.none, count: count - 1)
    (separations + first + 1).initialize(repeating: SeparationCode.zero.rawValue, count: count - 1)
  }
}
