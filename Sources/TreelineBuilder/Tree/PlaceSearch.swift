import Treeline

/// Finds the place along an axis at which a cut leaves the least scatter in the two halves: of equally good ones the first.
///
/// Points are dealt out by their dot products to drawers of equal width. At the ends of a drawer its sums tell what lies
/// between the halves; for the places inside there is a bound, and only where it is above the best found so far are the
/// points of the drawer looked into, in the same way. So what is found is what a look at every place would find.
struct PlaceSearch {
  private let corner: PlanePoint
  private let axis: PrincipalAxis
  private let monitor: BuildMonitor

  /// The best place so far: products up to this are left of it.
  private(set) var threshold = Int64.min
  private(set) var halves: Halves
  private var mostBetween = 0.0

  /// So few points are sorted instead.
  private static let few = 24

  init<Sum>(
    of moments: Moments<Sum>, from corner: PlanePoint, along axis: PrincipalAxis, _ monitor: BuildMonitor
  ) {
    (self.corner, self.axis, self.monitor) = (corner, axis, monitor)
    halves = Halves(of: moments)
  }

  /// Looks for a better place between some points.
  ///
  /// - Parameters:
  ///   - left: The sums of all points of lesser products.
  ///   - kept: Room for as many points. It may be where they are.
  /// - Complexity: O(count) as a rule, O(count x 62) at most: what is looked into again spans half the width or less.
  mutating func search(
    _ points: UnsafePointer<PlanePoint>, count: Int, rightOf left: Halves.Sums = Halves.Sums(),
    keepingIn kept: UnsafeMutablePointer<PlanePoint>
  ) {
    if count <= Self.few { return searchFew(points, count: count, rightOf: left) }
    let (along, across) = extent(of: points, count: count)
    if along.lowerBound == along.upperBound || monitor.isCancelled { return }
    let scale = DrawerScale(over: along, forCount: count)
    withUnsafeTemporaryAllocation(of: Drawer.self, capacity: scale.count) { drawers in
      drawers.initialize(repeating: Drawer())
      sumUp(points, count: count, in: drawers, scale)
      if monitor.isCancelled { return }
      tryEnds(of: drawers, scale, across: across, rightOf: left)
      let keptCount = open(drawers)
      if keptCount == 0 { return }
      keep(points, count: count, in: kept, drawers, scale)
      if monitor.isCancelled { return }
      deal(kept, count: keptCount, to: drawers, scale)
      if monitor.isCancelled { return }
      searchInside(drawers, rightOf: left, kept)
    }
  }

  @inline(__always)
  private func product(_ point: PlanePoint) -> Int64 {
    axis.x &* Int64(point.x &- corner.x) &+ axis.y &* Int64(point.y &- corner.y)
  }

  @inline(__always)
  private mutating func take(_ left: Halves.Sums, _ squaredDifference: Double, _ threshold: Int64) {
    let between = halves.scatterBetween(left, squaredDifference)
    if between > mostBetween || between == mostBetween && left.count < halves.left.count {
      (mostBetween, self.threshold, halves.left) = (between, threshold, left)
    }
  }

  /// Tries every place between some points.
  private mutating func searchFew(
    _ points: UnsafePointer<PlanePoint>, count: Int, rightOf left: Halves.Sums
  ) {
    withUnsafeTemporaryAllocation(of: (product: Int64, point: PlanePoint).self, capacity: Self.few) {
      let sorted = $0.baseAddress!
      for index in 0..<count {
        let point = points[index]
        let product = product(point)
        var place = index
        while place > 0, sorted[place &- 1].product > product {
          sorted[place] = sorted[place &- 1]
          place &-= 1
        }
        sorted[place] = (product, point)
      }
      var left = left
      for index in 0..<count - 1 {
        left.add(sorted[index].point, from: corner)
        let product = sorted[index].product
        if product != sorted[index &+ 1].product { take(left, halves.squaredDifference(left), product) }
      }
    }
  }
}

// MARK: - Summing up drawers

extension PlaceSearch {
  /// How far points reach along the axis and across it, as dot products.
  private func extent(
    of points: UnsafePointer<PlanePoint>, count: Int
  ) -> (along: ClosedRange<Int64>, across: Int64) {
    var (least, most) = (Int64.max, Int64.min)
    var (leastAcross, mostAcross) = (Int64.max, Int64.min)
    monitor.passOverSome(0..<count) { block in
      for index in block {
        let (dx, dy) = (Int64(points[index].x &- corner.x), Int64(points[index].y &- corner.y))
        let along = axis.x &* dx &+ axis.y &* dy
        let across = axis.x &* dy &- axis.y &* dx
        (least, most) = (min(least, along), max(most, along))
        (leastAcross, mostAcross) = (min(leastAcross, across), max(mostAcross, across))
      }
    }
    return (least...most, mostAcross &- leastAcross)
  }

  private func sumUp(
    _ points: UnsafePointer<PlanePoint>, count: Int, in drawers: UnsafeMutableBufferPointer<Drawer>,
    _ scale: DrawerScale
  ) {
    let drawers = drawers.baseAddress!
    monitor.pass(over: 0..<count) { block in
      for index in block {
        let point = points[index]
        let drawer = drawers + scale.drawer(of: product(point))
        drawer.pointee.count &+= 1
        drawer.pointee.x &+= UInt64(point.x &- corner.x)
        drawer.pointee.y &+= UInt64(point.y &- corner.y)
      }
    }
  }

  /// Tries the places between drawers, and finds what bounds those inside.
  ///
  /// On the way through a drawer of c points, n Sₗ - nₗ S strays from the straight line between its values at both ends by
  /// at most a quarter of n c times the distance of any two of them: the sum of j of them differs from j/c of the sum of all
  /// by j (c - j) / c times what their mean lies away from that of the others.
  private mutating func tryEnds(
    of drawers: UnsafeMutableBufferPointer<Drawer>, _ scale: DrawerScale, across: Int64,
    rightOf left: Halves.Sums
  ) {
    let distance = (scale.width + Double(across)) / Double(PrincipalAxis.length)
    let stray = Double(halves.all.count) * distance / 4
    var left = left
    var magnitude = halves.squaredDifference(left).squareRoot()
    for index in drawers.indices where drawers[index].count > 0 {
      let drawer = drawers[index]
      let before = magnitude
      let leastCounts = left.count &+ 1
      left.add(drawer)
      let square = halves.squaredDifference(left)
      magnitude = square.squareRoot()
      if drawer.count > 1 {
        let most = max(before, magnitude) + stray * Double(drawer.count)
        // What rounding may take away is added.
        let square = most * most * (1 + 0x1p-40)
        drawers[index].mostBetween =
          square / min(halves.productOfCounts(leastCounts), halves.productOfCounts(left.count &- 1))
      }
      take(left, square, scale.end(of: index))
    }
  }
}

// MARK: - Looking into drawers

extension PlaceSearch {
  /// Opens the drawers that may hold a better place, and returns how many points are in them.
  private func open(_ drawers: UnsafeMutableBufferPointer<Drawer>) -> Int {
    var count: UInt32 = 0
    for index in drawers.indices {
      let isOpen = drawers[index].count > 1 && drawers[index].mostBetween >= mostBetween
      drawers[index].place = isOpen ? count : Drawer.closed
      count &+= isOpen ? drawers[index].count : 0
    }
    return Int(count)
  }

  /// Copies the points of open drawers, in any order.
  private func keep(
    _ points: UnsafePointer<PlanePoint>, count: Int, in kept: UnsafeMutablePointer<PlanePoint>,
    _ drawers: UnsafeMutableBufferPointer<Drawer>, _ scale: DrawerScale
  ) {
    let drawers = drawers.baseAddress!
    var keptCount = 0
    monitor.pass(over: 0..<count) { block in
      for index in block {
        let point = points[index]
        // Written whatever becomes of it: the end never overtakes the point being read.
        kept[keptCount] = point
        keptCount &+= drawers[scale.drawer(of: product(point))].place == Drawer.closed ? 0 : 1
      }
    }
  }

  /// Brings the points of open drawers into the order of these.
  private func deal(
    _ kept: UnsafeMutablePointer<PlanePoint>, count: Int, to drawers: UnsafeMutableBufferPointer<Drawer>,
    _ scale: DrawerScale
  ) {
    let drawers = drawers.baseAddress!
    var (drawer, end) = (drawers, drawers.pointee.place == Drawer.closed ? 0 : drawers.pointee.count)
    monitor.pass(over: 0..<count) { block in
      // Each step brings one point to its place.
      for _ in block {
        while drawer.pointee.place == Drawer.closed || drawer.pointee.place == end {
          drawer += 1
          if drawer.pointee.place != Drawer.closed { end &+= drawer.pointee.count }
        }
        let here = Int(drawer.pointee.place)
        let point = kept[here]
        let target = drawers + scale.drawer(of: product(point))
        let there = Int(target.pointee.place)
        kept[here] = kept[there]
        kept[there] = point
        target.pointee.place &+= 1
      }
    }
  }

  private mutating func searchInside(
    _ drawers: UnsafeMutableBufferPointer<Drawer>, rightOf left: Halves.Sums,
    _ kept: UnsafeMutablePointer<PlanePoint>
  ) {
    var (left, place) = (left, kept)
    for drawer in drawers {
      if drawer.place != Drawer.closed {
        // The best may be better by now.
        if drawer.mostBetween >= mostBetween {
          search(place, count: Int(drawer.count), rightOf: left, keepingIn: place)
        }
        place += Int(drawer.count)
      }
      left.add(drawer)
    }
  }
}
