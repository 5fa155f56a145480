import Treeline

/// Points in the order of their dot products with an axis.
///
/// Points of equal products stand in any order, so what is made of them must not depend on it.
struct ProjectionOrder {
  let corner: PlanePoint
  let axis: PrincipalAxis

  /// So few points are sorted by insertion.
  private static let few = 12

  @inline(__always)
  func product(_ point: PlanePoint) -> Int64 {
    axis.x &* Int64(point.x &- corner.x) &+ axis.y &* Int64(point.y &- corner.y)
  }

  /// Copies points in order; those of a build that is cancelled in any.
  ///
  /// They are dealt out to drawers of equal width, a few points to each if they lie evenly, and each drawer is sorted by
  /// itself.
  ///
  /// - Complexity: O(count) for points that lie evenly, O(count x 62) for any: a drawer is halved by value.
  func sort(
    _ points: UnsafePointer<PlanePoint>, count: Int, into sorted: UnsafeMutablePointer<PlanePoint>,
    _ monitor: BuildMonitor
  ) {
    guard count > 2 * Self.few else {
      sorted.update(from: points, count: count)
      return sortFew(sorted, count: count)
    }
    let range = range(of: points, count: count, monitor)
    let drawers = Drawers(over: range, forCount: count)
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: drawers.count + 1) { ends in
      // As every place is written to, whether cancelled or not, no drawer reaches beyond the points.
      deal(points, count: count, to: drawers, ends, into: sorted, monitor)
      if monitor.isCancelled { return }
      var start = 0
      for drawer in 0..<drawers.count {
        let end = Int(ends[drawer])
        if end &- start > 1 {
          halve(sorted + start, count: end &- start, drawers.values(in: drawer), monitor)
        }
        start = end
      }
    }
  }

  private func range(of points: UnsafePointer<PlanePoint>, count: Int, _ monitor: BuildMonitor)
    -> ClosedRange<Int64>
  {
    var (least, most) = (product(points[0]), product(points[0]))
    monitor.pass(over: 0..<count) { block in
      for index in block {
        let product = product(points[index])
        least = min(least, product)
        most = max(most, product)
      }
    }
    return least...most
  }
}

// MARK: - Dealing out

/// The values of some dot products cut into ranges of equal width, a power of two.
private struct Drawers {
  let count: Int
  private let least: Int64
  private let shift: UInt64

  /// Counts and places of more would not stay in the cache.
  private static let mostBits = 11

  /// About eight points go to each of the drawers, or to every second.
  init(over range: ClosedRange<Int64>, forCount count: Int) {
    least = range.lowerBound
    // Products have 62 bits and a sign, so no difference overflows.
    let width = UInt64(range.upperBound &- range.lowerBound)
    let bits = min(Int.bitWidth - (count >> 3).leadingZeroBitCount, Self.mostBits)
    shift = UInt64(max(0, UInt64.bitWidth - width.leadingZeroBitCount - bits))
    self.count = Int(width >> shift) + 1
  }

  @inline(__always)
  func drawer(of product: Int64) -> Int {
    Int(truncatingIfNeeded: UInt64(bitPattern: product &- least) &>> shift)
  }

  @inline(__always)
  func values(in drawer: Int) -> ClosedRange<Int64> {
    let first = least &+ Int64(drawer) &<< Int64(shift)
    return first...first &+ (1 &<< Int64(shift) &- 1)
  }
}

extension ProjectionOrder {
  /// - Parameter ends: set to where the points of each drawer end.
  private func deal(
    _ points: UnsafePointer<PlanePoint>, count: Int, to drawers: Drawers,
    _ ends: UnsafeMutableBufferPointer<UInt32>, into sorted: UnsafeMutablePointer<PlanePoint>,
    _ monitor: BuildMonitor
  ) {
    let ends = ends.baseAddress!
    ends.update(repeating: 0, count: drawers.count)
    monitor.pass(over: 0..<count) { block in
      for index in block { ends[drawers.drawer(of: product(points[index]))] &+= 1 }
    }
    var start: UInt32 = 0
    for drawer in 0..<drawers.count { (ends[drawer], start) = (start, start &+ ends[drawer]) }
    monitor.pass(over: 0..<count) { block in
      for index in block {
        let point = points[index]
        let drawer = drawers.drawer(of: product(point))
        sorted[Int(ends[drawer])] = point
        ends[drawer] &+= 1
      }
    }
  }
}

// MARK: - Sorting in place

extension ProjectionOrder {
  /// Sorts points by parting them in the middle of the values that their products may have.
  ///
  /// Recursion is as deep as the values have bits.
  private func halve(
    _ points: UnsafeMutablePointer<PlanePoint>, count: Int, _ values: ClosedRange<Int64>,
    _ monitor: BuildMonitor
  ) {
    var (points, count, least, most) = (points, count, values.lowerBound, values.upperBound)
    while count > Self.few && least < most {
      let middle = least &+ (most &- least) / 2
      let lowCount = part(points, count: count, upTo: middle, monitor)
      halve(points, count: lowCount, least...middle, monitor)
      (points, count, least) = (points + lowCount, count &- lowCount, middle &+ 1)
    }
    if least < most { sortFew(points, count: count) }
  }

  /// Brings the points of products up to a value to the front and returns how many there are.
  private func part(
    _ points: UnsafeMutablePointer<PlanePoint>, count: Int, upTo value: Int64, _ monitor: BuildMonitor
  ) -> Int {
    var lowCount = 0
    monitor.pass(over: 0..<count) { block in
      for index in block {
        // They change places whatever the product, so that no branch is guessed wrong.
        let point = points[index]
        points[index] = points[lowCount]
        points[lowCount] = point
        lowCount &+= product(point) <= value ? 1 : 0
      }
    }
    return lowCount
  }

  private func sortFew(_ points: UnsafeMutablePointer<PlanePoint>, count: Int) {
    var index = 1
    while index < count {
      let point = points[index]
      let product = product(point)
      var place = index
      while place > 0, self.product(points[place &- 1]) > product {
        points[place] = points[place &- 1]
        place &-= 1
      }
      points[place] = point
      index &+= 1
    }
  }
}
