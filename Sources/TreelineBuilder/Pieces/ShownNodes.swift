import Treeline

/// The shown nodes of a tree, or of a part of a tree, at some moment of the sequence of splits. In this sequence, a
/// distance r falls, and one node after the other is replaced by its children (see `SplitSequence`). `SeparationParts`
/// continues the sequence from given shown nodes.
struct ShownNodes: Sendable {
  struct Member: Sendable {
    let node: Node
    let position: PlanePoint
    /// Box that contains the positions of all nodes that may later be shown instead of this node.
    let box: PlaneRect
    /// Whether the node is known to be shown. If `isKnown` is false, any nodes may be shown in the node's box, at
    /// unknown positions.
    var isKnown = true
    /// Whether the separations of this node and of the nodes below it must be computed. If so, the node is called an
    /// *own node*. If not, the node is in the set only because it may block the splits of own nodes.
    var isOwn = true

    /// Number of nodes that can be split, counting this node and all nodes below it. The number is an upper bound.
    var weight: Int { box.isPoint ? 0 : Int(node.count) - 1 }
  }

  /// Members in tree order.
  var nodes: [Member] = []
  /// Upper bound of the squared distances of the splits that are still to come.
  let squaredDistance: UInt64

  init(squaredDistance: UInt64) { self.squaredDistance = squaredDistance }

  /// Makes a set that contains only the root of a tree.
  init(_ root: Node, of storage: TreeStorage) {
    squaredDistance = .max
    nodes = [Member(node: root, position: storage.meanPosition(of: root), box: storage.box(of: root))]
  }

  /// Number of nodes that can be split, counting the members with `isKnown` and all nodes below these members. The
  /// number is an upper bound.
  var weight: Int { nodes.reduce(0) { $0 + ($1.isKnown ? $1.weight : 0) } }

  /// Divides the own nodes (see `Member.isOwn`) into batches of neighboring nodes. For each batch, returns the indices
  /// of its members in `nodes`. Nodes that cannot be split are left out. The weights of the nodes in a batch add up to
  /// at most `weight`, unless the batch consists of one node.
  func batches(upTo weight: Int) -> [[Int32]] {
    var batches: [[Int32]] = []
    var stack = [nodes.indices.filter { nodes[$0].isOwn && nodes[$0].weight > 0 }.map { Int32($0) }]
    while var batch = stack.popLast() {
      let total = batch.reduce(0) { $0 + nodes[Int($1)].weight }
      if total <= weight || batch.count == 1 {
        if !batch.isEmpty { batches.append(batch) }
        continue
      }
      func position(_ index: Int32) -> PlanePoint { nodes[Int(index)].position }
      var box = PlaneRect(position(batch[0]))
      for index in batch { box.formUnion(position(index)) }
      let isWide = box.width >= box.height
      batch.sort { isWide ? (position($0).x, $0) < (position($1).x, $1) : (position($0).y, $0) < (position($1).y, $1) }
      var (half, sum) = (0, 0)
      while sum < total / 2, half < batch.count - 1 {
        sum += nodes[Int(batch[half])].weight
        half += 1
      }
      stack += [Array(batch[half...]), Array(batch[..<half])]
    }
    return batches
  }

  /// Returns the nodes of a batch, and the other nodes within a margin around the batch. The nodes in the margin are
  /// kept because they may block splits of nodes of the batch. Nodes beyond the margin are left out.
  ///
  /// - Parameter margin: Width of the margin, at least 2. The unit is the square root of `squaredDistance`.
  /// - Returns: nil if the margin contains all other nodes, so that no node would be left out.
  func part(around batch: [Int32], margin: Int, _ projection: Plane.Projection) -> ShownNodes? {
    var box = nodes[Int(batch[0])].box
    for index in batch { box = box.union(nodes[Int(index)].box) }
    let reach = Int64(SplitSequence.reach(squaredDistance))
    let (near, far) = (
      Surroundings(box, reach * Int64(margin - 1), projection), Surroundings(box, reach * Int64(margin), projection)
    )
    var part = ShownNodes(squaredDistance: squaredDistance)
    var own = batch.sorted().makeIterator()
    var nextOwn = own.next()
    var isWhole = true
    for (index, node) in nodes.enumerated() {
      var node = node
      node.isOwn = nextOwn.map { $0 == index } ?? false
      if node.isOwn { nextOwn = own.next() }
      guard far.touch(node.box) else {
        isWhole = false
        continue
      }
      if node.isKnown { node.isKnown = near.hold(node.box) }
      part.nodes.append(node)
    }
    return isWhole ? nil : part
  }

  /// Returns a copy of this set in which exactly the nodes of the given batch are own nodes (see `Member.isOwn`).
  func asked(for batch: [Int32]) -> ShownNodes {
    var whole = self
    for index in whole.nodes.indices { whole.nodes[index].isOwn = false }
    for index in batch { whole.nodes[Int(index)].isOwn = true }
    return whole
  }
}

/// A box that was extended by a given distance in all four directions.
private struct Surroundings {
  private let x: ClosedRange<Int64>
  private let y: ClosedRange<Int64>
  private let isCyclic: Bool

  init(_ box: PlaneRect, _ distance: Int64, _ projection: Plane.Projection) {
    x = Int64(box.minX) - distance...Int64(box.maxX) + distance
    y = Int64(box.minY) - distance...Int64(box.maxY) + distance
    isCyclic = projection.isCyclic
  }

  private static let world: Int64 = 1 << 32

  private func isAny(_ box: PlaneRect, _ isSo: (_ west: Int64, _ east: Int64) -> Bool) -> Bool {
    let (west, east) = (Int64(box.minX), Int64(box.maxX))
    if isSo(west, east) { return true }
    return isCyclic
      && (x.upperBound - x.lowerBound >= Self.world || isSo(west + Self.world, east + Self.world)
        || isSo(west - Self.world, east - Self.world))
  }

  func touch(_ box: PlaneRect) -> Bool {
    y.overlaps(Int64(box.minY)...Int64(box.maxY)) && isAny(box) { x.overlaps($0...$1) }
  }

  func hold(_ box: PlaneRect) -> Bool {
    y.contains(Int64(box.minY)) && y.contains(Int64(box.maxY)) && isAny(box) { x.contains($0) && x.contains($1) }
  }
}
