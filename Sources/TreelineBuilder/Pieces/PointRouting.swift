import Treeline

/// The top levels of a tree as a list of split lines. The lines lead from any point to the node to which the point
/// belongs.
struct PointRouting: Sendable {
  /// A split line, measured from the plane's corner.
  struct Step: BitwiseCopyable, Sendable {
    var axisX: Int64
    var axisY: Int64
    var threshold: Int64
    /// Target of the points on the left. A value of 0 or more is the next step. A negative value is the bitwise
    /// complement of a leaf's number.
    var left: Int32
    var right: Int32

    init(_ split: SplitLine, left: Int32, right: Int32) {
      (axisX, axisY) = (split.axis.x, split.axis.y)
      // The threshold may overflow. The overflow does no harm, because the dot products that are compared with the
      // threshold overflow in the same way.
      threshold =
        split.threshold &+ axisX &* Int64(split.corner.x) &+ axisY &* Int64(split.corner.y)
      (self.left, self.right) = (left, right)
    }

    /// Returns the next step or leaf for all points in a box. Returns nil if some points of the box may go left while
    /// others go right.
    func next(of box: PlaneRect) -> Int32? {
      if isRight(axisX < 0 ? box.maxX : box.minX, axisY < 0 ? box.maxY : box.minY) { return right }
      return isRight(axisX < 0 ? box.minX : box.maxX, axisY < 0 ? box.minY : box.maxY) ? nil : left
    }

    private func isRight(_ x: UInt32, _ y: UInt32) -> Bool {
      threshold &- axisX &* Int64(x) &- axisY &* Int64(y) < 0
    }
  }

  var steps: [Step] = []
  /// Where the search for the leaf of a point begins. A value of 0 or more is a step. A negative value is the bitwise
  /// complement of a leaf's number.
  var start: Int32 = ~0
  /// Number of leaves. Leaves are numbered from 0.
  var leafCount = 1

  /// Appends the steps and leaves of another routing.
  ///
  /// - Returns: the step or leaf of this routing at which a search in the appended routing begins.
  mutating func append(_ other: PointRouting, firstLeaf: Int) -> Int32 {
    let firstStep = Int32(steps.count)
    func moved(_ place: Int32) -> Int32 { place >= 0 ? firstStep + place : ~(Int32(firstLeaf) + ~place) }
    for var step in other.steps {
      (step.left, step.right) = (moved(step.left), moved(step.right))
      steps.append(step)
    }
    leafCount = firstLeaf + other.leafCount
    return moved(other.start)
  }

  /// Whether the given step or leaf exists.
  func has(_ place: Int32) -> Bool { place >= 0 ? Int(place) < steps.count : Int(~place) < leafCount }

  /// Returns the part of this routing that is needed for points in a box. The returned routing starts at the first
  /// step whose line may separate points of the box. Also returns the leaves that points of the box may reach.
  ///
  /// - Complexity: O(steps)
  func narrowed(to box: PlaneRect) -> (routing: PointRouting, leaves: [Int]) {
    var routing = self
    while routing.start >= 0 {
      let step = steps[Int(routing.start)]
      guard let next = step.next(of: box) else { break }
      routing.start = next
    }
    var (leaves, places) = ([Int](), [routing.start])
    while let place = places.popLast() {
      if place < 0 {
        leaves.append(Int(~place))
      } else {
        let step = steps[Int(place)]
        places += step.next(of: box).map { [$0] } ?? [step.right, step.left]
      }
    }
    return (routing, leaves)
  }

  /// Finds the leaf of each point.
  func leaves(of points: UnsafeBufferPointer<PlanePoint>, to leaves: UnsafeMutablePointer<UInt32>) {
    steps.withUnsafeBufferPointer { steps in
      for index in points.indices { leaves[index] = Self.leaf(of: points[index], from: start, steps) }
    }
  }

  /// Finds the leaf of each point. The search for each point begins at the step or leaf in `starts`.
  func leaves(
    of points: UnsafeBufferPointer<PlanePoint>, from starts: [Int32], to leaves: UnsafeMutablePointer<UInt32>
  ) {
    steps.withUnsafeBufferPointer { steps in
      for index in points.indices { leaves[index] = Self.leaf(of: points[index], from: starts[index], steps) }
    }
  }

  @inline(__always) private static func leaf(
    of point: PlanePoint, from start: Int32, _ steps: UnsafeBufferPointer<Step>
  )
    -> UInt32
  {
    let (x, y) = (Int64(point.x), Int64(point.y))
    var next = start
    while next >= 0 {
      let step = steps[Int(next)]
      let isRight = (step.threshold &- step.axisX &* x &- step.axisY &* y) &>> 63
      // The target is selected without a comparison. A comparison would be compiled to a branch, which the processor
      // could not predict.
      next = step.left ^ ((step.left ^ step.right) & Int32(truncatingIfNeeded: isRight))
    }
    return UInt32(bitPattern: ~next)
  }
}

extension PointRouting: BinaryCodable {
  func write(to bytes: inout PlainBytes) {
    bytes.append(start)
    bytes.append(UInt32(leafCount))
    bytes.append(steps)
  }

  init(from bytes: inout PlainBytes) throws(PieceError) {
    start = try bytes.read()
    leafCount = Int(try bytes.read(UInt32.self))
    steps = try bytes.readArray()
    // Each step must lead to an existing leaf or to a later step, so that every search ends.
    func isSound(_ next: Int32, below index: Int) -> Bool { has(next) && (next < 0 || Int(next) > index) }
    let areSound = steps.indices.allSatisfy {
      isSound(steps[$0].left, below: $0) && isSound(steps[$0].right, below: $0)
    }
    guard areSound, isSound(start, below: -1) else {
      throw .damaged(
        what: "split lines", expected: "lines that form a tree", found: "\(steps.count) other lines")
    }
  }
}

/// Sorts the points of a block by leaf. The points of one leaf keep their order.
struct RoutedBlock {
  /// Number of points in a block. A block of this size fits into the processor's cache.
  static let size = 1 << 14

  private let leaves = UnsafeMutablePointer<UInt32>.allocate(capacity: size)
  private let sorted = UnsafeMutablePointer<PlanePoint>.allocate(capacity: size)
  private let ends: UnsafeMutablePointer<UInt32>
  private let leafCount: Int

  init(leafCount: Int) {
    self.leafCount = leafCount
    ends = .allocate(capacity: leafCount + 1)
  }

  func deallocate() {
    leaves.deallocate()
    sorted.deallocate()
    ends.deallocate()
  }

  /// Visits the points of a block leaf by leaf. Skips leaves without points, and leaves whose number is `count` or
  /// more.
  func forEachLeaf(
    of points: UnsafeBufferPointer<PlanePoint>, by routing: PointRouting, below count: Int,
    _ visit: (Int, UnsafeBufferPointer<PlanePoint>) -> Void
  ) {
    if routing.start < 0 {
      if ~routing.start < count { visit(Int(~routing.start), points) }
      return
    }
    routing.leaves(of: points, to: leaves)
    ends.update(repeating: 0, count: leafCount + 1)
    for index in points.indices { ends[Int(leaves[index]) &+ 1] &+= 1 }
    for leaf in 1..<leafCount + 1 { ends[leaf] &+= ends[leaf &- 1] }
    for index in points.indices {
      let leaf = Int(leaves[index])
      sorted[Int(ends[leaf])] = points[index]
      ends[leaf] &+= 1
    }
    var first = 0
    for leaf in 0..<count {
      let end = Int(ends[leaf])
      if end > first { visit(leaf, UnsafeBufferPointer(start: sorted + first, count: end - first)) }
      first = end
    }
  }
}
