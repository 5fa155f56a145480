import Treeline

/// Joins the histories of two parts of the plane.
///
/// Each part was merged without the other, so merges along the border are wrong, and so are others that follow from
/// them some way into the parts. Level by level, the clusters around these places are merged again, both parts together
/// (`MergeRevision`). If the area was too small, it grows and is merged again.
struct BorderMending {
  /// In each level, no badge is larger.
  private(set) var greatestDiameters: [UInt16]

  private let border: MergeBorder
  private let leaves: Range<Int>
  private let plan: MergePlan
  private let tree: MergeTree
  private let curve: BadgeCurve
  private let stand: ClusterStand
  private let crossesSeam: Bool
  private let monitor: BuildMonitor
  private var revision: MergeRevision

  /// By level: the nodes near the border that there are at its start, and the merges that are made in it.
  private var nodes: [[UInt32]] = []
  private var merges: [[UInt32]] = []
  /// How near these are, in units and in reaches of the level.
  private var margins: [Int] = []
  private var marginInReaches = 6.0

  /// - Parameters:
  ///   - leaves: Of both parts.
  ///   - greatestDiameters: In each level of both parts.
  init(
    _ border: MergeBorder, of leaves: Range<Int>, _ plan: MergePlan, _ tree: MergeTree, _ curve: BadgeCurve,
    _ stand: ClusterStand, crossesSeam: Bool, _ greatestDiameters: [UInt16], _ monitor: BuildMonitor
  ) {
    (self.border, self.leaves, self.plan, self.tree, self.curve) = (border, leaves, plan, tree, curve)
    (self.stand, self.crossesSeam, self.greatestDiameters) = (stand, crossesSeam, greatestDiameters)
    self.monitor = monitor
    revision = MergeRevision(tree, curve, stand, crossesSeam: crossesSeam, border: border, monitor)
  }

  mutating func run() {
    collect()
    for level in plan.levels.indices where !monitor.isCancelled { mend(level) }
    if !monitor.isCancelled { revision.apply() }
  }

  /// Notes what is near the border.
  private mutating func collect() {
    let levelCount = plan.levels.count
    let margins = plan.levels.indices.map { Int(min(marginInReaches * reach($0), 0x1p33)) }
    // By round: the level, and how near a cluster is that is of use if it ends then.
    let levels = (UInt8.min...UInt8.max).map { plan.level($0) }
    let marginsAtEnd = levels.map { margins[min($0, levelCount - 1)] }
    var (nodes, merges) = ([[UInt32]](repeating: [], count: levelCount), [[UInt32]](repeating: [], count: levelCount))
    monitor.pass(over: leaves) { block in
      for leaf in block {
        // The leaf, and the merge of its number.
        for kind in 0..<2 {
          let (node, isLeaf) = (UInt32(leaf &+ kind &* tree.leafCount), kind == 0)
          let place = tree.place(node)
          let (distance, end) = (border.distance(place.position), Int(place.endRound))
          if distance > marginsAtEnd[end] || place.round == MergeTree.never { continue }
          var level = 0
          if !isLeaf {
            level = levels[Int(place.round)]
            if distance <= margins[level] { merges[level].append(node) }
            level += 1
          }
          let last = min(levels[end], levelCount - 1)
          while level <= last {
            if distance <= margins[level] { nodes[level].append(node) }
            level += 1
          }
        }
      }
    }
    // None before one of its parts.
    for level in merges.indices {
      merges[level].sort(monitor) {
        (tree.place($0).round, tree[$0].height) < (tree.place($1).round, tree[$1].height)
      }
    }
    (self.nodes, self.merges, self.margins) = (nodes, merges, margins)
  }

  /// How far apart clusters are at most that are merged in a level, in units.
  private func reach(_ level: Int) -> Double {
    MergeRevision.reach(plan.levels[level], curve.width(greatestDiameters[level], greatestDiameters[level]))
  }

  private mutating func mend(_ level: Int) {
    var area = MergeArea(border, shift: UInt32(min(64 - UInt64(reach(level)).leadingZeroBitCount, 31)), margin: 2)
    for position in revision.wrong { area.add(around: position, margin: 2) }
    var tries = 0
    while true {
      while margins[level] < min(area.farthest, 1 << 32) {
        marginInReaches *= 2
        collect()
      }
      let inside = nodes[level].filter { area.contains(tree.place($0).position) }
      let unsure = revision.revise(
        plan.levels[level], inside, merges: merges[level], greatestDiameter: greatestDiameters[level],
        width: area.squareWidth, contains: { area.contains($0) }, surrounds: { area.surrounds($0) })
      for later in level..<plan.levels.count {
        greatestDiameters[later] = max(greatestDiameters[later], revision.greatestDiameter)
      }
      guard let unsure else { return }
      if unsure.isEmpty { return mend(level) }
      tries += 1
      if tries == 1 {
        for position in unsure { area.add(around: position, margin: 4) }
      } else {
        area.widen(to: 4 << (tries - 1))
      }
    }
  }
}

/// Squares of the plane along a border and around some positions, each as wide as clusters are apart at most that are
/// merged.
private struct MergeArea {
  private let border: MergeBorder
  private let shift: UInt32
  /// How many rows or columns of squares on either side of the border are in it.
  private var margin: Int
  private var squares: Set<Int> = []
  /// How far it reaches from the border, in units.
  private(set) var farthest = 0

  init(_ border: MergeBorder, shift: UInt32, margin: Int) {
    (self.border, self.shift, self.margin) = (border, shift, margin)
    widen(to: margin)
  }

  mutating func widen(to margin: Int) {
    self.margin = margin
    farthest = max(farthest, (margin + 1) << Int(shift))
  }

  /// In units.
  var squareWidth: Double { Double(1 << Int(shift)) }

  mutating func add(around position: PlanePoint, margin: Int) {
    farthest = max(farthest, border.distance(position) + (margin + 1) << Int(shift))
    forEachSquare(around: position, margin: margin) { x, y in
      squares.insert(number(x, y))
      return true
    }
  }

  func contains(_ position: PlanePoint) -> Bool { contains(Int(position.x >> shift), Int(position.y >> shift)) }

  /// Whether all that is within a reach of a position is in it.
  func surrounds(_ position: PlanePoint) -> Bool {
    forEachSquare(around: position, margin: 1) { contains($0, $1) }
  }

  private func contains(_ x: Int, _ y: Int) -> Bool {
    let square = PlanePoint(x: UInt32(x << Int(shift)), y: UInt32(y << Int(shift)))
    // Of the border's own squares and of those next to it, whichever side they are on.
    let across = border.across(square) + border.offset(in: shift)
    if -margin...margin ~= across >> Int(shift) + (across < 0 ? 1 : 0) { return true }
    return squares.contains(number(x, y))
  }

  private func number(_ x: Int, _ y: Int) -> Int { y << 32 | x }

  /// - Returns: whether the body said so of all.
  @discardableResult private func forEachSquare(
    around position: PlanePoint, margin: Int, _ body: (_ x: Int, _ y: Int) -> Bool
  ) -> Bool {
    let (x, y, last) = (Int(position.x >> shift), Int(position.y >> shift), 1 << Int(32 - shift) - 1)
    let margin = min(margin, last / 2)
    for row in max(y - margin, 0)...min(y + margin, last) {
      for column in x - margin...x + margin {
        if border.kind != .seam && !(0...last ~= column) { continue }
        if !body(column & last, row) { return false }
      }
    }
    return true
  }
}

extension MergeBorder {
  /// How far the border is from the edge of the square that it is in.
  fileprivate func offset(in shift: UInt32) -> Int { Int(place & ~(UInt32.max << shift)) }
}
