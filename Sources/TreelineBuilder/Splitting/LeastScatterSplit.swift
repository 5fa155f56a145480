import Treeline

/// Splits at the line that leaves the least scatter in the two halves: `SplitRule.leastScatter`.
///
/// At first, the line lies across the principal axis, at the best of all positions. Then the line is turned: each
/// point goes to the half whose mean is closer to the point. Turning is repeated as long as it removes enough scatter
/// (S. Lloyd, 1982, doi:10.1109/TIT.1982.1056489, for two means).
///
/// The scatter within the halves and the scatter between the halves add up to a constant. So the scatter within the
/// halves is least if the scatter between the halves is greatest. The scatter between the halves, multiplied by the
/// number of points n, is |n Sₗ - nₗ S|² / (nₗ nᵣ). Here S is the sum of all points. The left half has nₗ points with
/// the sum Sₗ, and the right half has nᵣ points. All numbers except this quotient are exact. The quotient and the
/// lines are computed from numbers that depend only on the halves. Each step is an operation that IEEE 754 defines to
/// the last bit. A product and a sum are fused into one operation only where the code says so.
struct LeastScatterSplit: SplitAlgorithm {
  let monitor: BuildMonitor

  func split<Sum>(
    _ points: NodePoints<Sum>, in arrays: PointArrays, across axis: PrincipalAxis, threads: Int
  ) -> SplitLine {
    let corner = points.corner
    let members = UnsafeBufferPointer(start: arrays.points + points.first, count: points.count)
    let halves = Halves(of: points.moments)
    let best = SplitPositionSearch.bestPosition(
      between: members.baseAddress!, of: points.moments, halves, DotProducts(corner: corner, axis: axis),
      linkingIn: arrays.spareRows + points.first, threads: threads, monitor)
    var turns = LineRefinement(of: halves, at: best, across: axis, from: corner)
    if members.count == 2 || monitor.isCancelled { return turns.split }
    while let next = turns.next,
      turns.take(leftSums(of: members, by: next, threads: threads), of: next), !monitor.isCancelled
    {}
    return turns.split
  }

  private func leftSums(of points: UnsafeBufferPointer<PlanePoint>, by split: SplitLine, threads: Int) -> Halves.Sums {
    if threads == 1 && points.count <= BuildMonitor.blockSize {
      return Self.leftSums(of: points.baseAddress!, count: points.count, by: split)
    }
    nonisolated(unsafe) let start = points.baseAddress!
    return inChunks(of: points.count, threads: threads) { chunk in
      var left = Halves.Sums()
      monitor.pass(over: chunk) { block in
        left = left + Self.leftSums(of: start + block.lowerBound, count: block.count, by: split)
      }
      return left
    }.reduce(Halves.Sums(), +)
  }

  /// Adds up the points left of a line. The compiler vectorizes the loop, which makes the loop three times as fast.
  /// For vectorization, a point is read as one number with x in its lower half, and the components of the axis are
  /// unsigned numbers of 32 bits. All points are added to the sums without a branch. Points right of the line are
  /// masked to zero.
  ///
  /// Coordinates are measured from the plane's corner. If the x component of the axis is negative, x is measured from
  /// the opposite corner instead, and y likewise.
  @inline(never) static func leftSums(
    of points: UnsafePointer<PlanePoint>, count: Int, by split: SplitLine
  ) -> Halves.Sums {
    let (x, y) = (MirroredAxis(split.axis.x, split.corner.x), MirroredAxis(split.axis.y, split.corner.y))
    let end = UInt64(bitPattern: split.threshold) &+ x.productOfCorner &+ y.productOfCorner &+ 1
    let mirror = x.mirror | y.mirror &<< 32
    var (leftCount, sumX, sumY) = (UInt64(0), UInt64(0), UInt64(0))
    let numbers = UnsafeRawPointer(points)
    for index in 0..<count {
      let number =
        numbers.loadUnaligned(fromByteOffset: index &* MemoryLayout<PlanePoint>.stride, as: UInt64.self) ^ mirror
      let (pointX, pointY) = (number & 0xFFFF_FFFF, number &>> 32)
      let product = pointX &* UInt64(x.component) &+ pointY &* UInt64(y.component)
      // Products have 62 bits and a sign, so differences of products do not overflow.
      let isLeft = (product &- end) &>> 63
      leftCount &+= isLeft
      sumX &+= pointX & (0 &- isLeft)
      sumY &+= pointY & (0 &- isLeft)
    }
    return Halves.Sums(count: leftCount, x: x.distances(sumX, leftCount), y: y.distances(sumY, leftCount))
  }
}

/// One component of an axis, made positive. If the component is negative, the coordinate is mirrored: it is measured
/// from the opposite end of the plane. The products of component and coordinate then differ from the original products
/// only by a constant.
private struct MirroredAxis {
  /// 0xFFFFFFFF if coordinates are mirrored, otherwise 0.
  let mirror: UInt64
  let component: UInt32
  private let corner: UInt64

  @inline(__always) init(_ component: Int64, _ corner: UInt32) {
    mirror = component < 0 ? 0xFFFF_FFFF : 0
    self.component = UInt32(truncatingIfNeeded: component.magnitude)
    self.corner = UInt64(corner) ^ mirror
  }

  @inline(__always) var productOfCorner: UInt64 { UInt64(component) &* corner }

  /// Returns the sum of the distances of `count` points from the corner of the split (see `SplitLine`). Distances are
  /// measured along x only, or along y only.
  ///
  /// - Parameter sum: The sum of the coordinates of the points. If coordinates are mirrored, this is the sum of the
  ///   mirrored coordinates.
  @inline(__always) func distances(_ sum: UInt64, _ count: UInt64) -> UInt64 {
    let distances = sum &- count &* corner
    return mirror == 0 ? distances : 0 &- distances
  }
}
