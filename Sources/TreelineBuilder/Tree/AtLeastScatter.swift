import Treeline

/// Where the least scatter is left in the two halves: `SplitRule.leastScatter`.
///
/// First the best place along the principal axis is found, of all there are. Then the line is turned: each point goes to the
/// half whose mean is nearer, again and again, as long as that takes off scatter enough (S. Lloyd, 1982,
/// doi:10.1109/TIT.1982.1056489, for two means).
///
/// What the halves do not have of the scatter lies between them, so the least is left where most lies between:
/// |n Sₗ - nₗ S|² / (nₗ nᵣ), for sums S and Sₗ of all points and of the left ones. All but that quotient is exact, and
/// the quotient is made of operations that IEEE 754 defines to the last bit, done one by one, from numbers that belong to
/// the halves, however their points were found: nothing fuses a product and a sum unless told to. So are the lines.
struct AtLeastScatter: CutPlace {
  static var looksAtPoints: Bool { true }

  let monitor: BuildMonitor

  /// A step goes on if it puts a 2048th more between the halves: so there are few, O(log count) whatever the points.
  private static let leastGrowth = 1 + 0x1p-11

  func split<Sum>(
    _ arrays: PointArrays, first: Int, _ moments: Moments<Sum>, from corner: PlanePoint,
    across axis: PrincipalAxis
  ) -> Split {
    let points = UnsafeBufferPointer(start: arrays.points + first, count: Int(moments.count))
    var search = PlaceSearch(of: moments, from: corner, along: axis, monitor)
    search.search(points.baseAddress!, count: points.count, keepingIn: arrays.sparePoints + first)
    var split = Split(corner: corner, axis: axis, threshold: search.threshold)
    if points.count == 2 || monitor.isCancelled { return split }
    var halves = search.halves
    while let next = halves.bisector(from: corner) {
      let nextHalves = self.halves(of: points, by: next, like: halves)
      if nextHalves.scatterBetween <= halves.scatterBetween * Self.leastGrowth || monitor.isCancelled {
        break
      }
      (split, halves) = (next, nextHalves)
    }
    return split
  }

  private func halves(
    of points: UnsafeBufferPointer<PlanePoint>, by split: Split, like other: Halves
  ) -> Halves {
    var halves = other
    halves.left = Halves.Sums()
    monitor.pass(over: 0..<points.count) { block in
      for index in block {
        let point = points[index]
        // Added whatever the side, so that no branch is guessed wrong.
        let mask: UInt64 = split.isLeft(point) ? .max : 0
        halves.left.count &+= mask & 1
        halves.left.x &+= mask & UInt64(point.x &- split.corner.x)
        halves.left.y &+= mask & UInt64(point.y &- split.corner.y)
      }
    }
    return halves
  }
}
