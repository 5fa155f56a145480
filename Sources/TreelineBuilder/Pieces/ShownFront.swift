import Treeline

/// A front: the shown nodes of a tree, or of a part of a tree, at some moment of the sequence of splits. In this
/// sequence, a distance r falls, and one node after the other is replaced by its children (see `SplitSequence`).
/// `SeparationPieces` continues the sequence from a front.
struct ShownFront: Sendable {
  struct Member: Sendable {
    let node: Node
    let position: PlanePoint
    /// Box that contains the positions of all nodes that may later be shown instead of this node.
    let box: PlaneRect
    /// Whether the node is known to be shown. If `isSure` is false, any nodes may be shown in the node's box, at
    /// unknown positions.
    var isSure = true
    /// Whether the separations of this node and of the nodes below it must be computed. If so, the node is called an
    /// *own node*. If not, the node is in the front only because it may block the splits of own nodes.
    var isOwn = true

    /// Number of nodes that can be split, counting this node and all nodes below it. The number is an upper bound.
    var weight: Int { box.isPoint ? 0 : Int(node.count) - 1 }
  }

  /// Members in tree order.
  var nodes: [Member] = []
  /// Upper bound of the squared distances of the splits that are still to come.
  let squaredDistance: UInt64

  init(squaredDistance: UInt64) { self.squaredDistance = squaredDistance }

  /// Makes a front in which only the root of a tree is shown.
  init(_ root: Node, of storage: TreeStorage) {
    squaredDistance = .max
    nodes = [Member(node: root, position: storage.meanPosition(of: root), box: storage.box(of: root))]
  }

  /// Number of nodes that can be split, counting the members with `isSure` and all nodes below these members. The
  /// number is an upper bound.
  var weight: Int { nodes.reduce(0) { $0 + ($1.isSure ? $1.weight : 0) } }

  /// Divides the own nodes (see `Member.isOwn`) into pieces of neighboring nodes. For each piece, returns the indices
  /// of its members in `nodes`. Nodes that cannot be split are left out. The weights of the nodes in a piece add up to
  /// at most `weight`, unless the piece consists of one node.
  func pieces(upTo weight: Int) -> [[Int32]] {
    var pieces: [[Int32]] = []
    var stack = [nodes.indices.filter { nodes[$0].isOwn && nodes[$0].weight > 0 }.map { Int32($0) }]
    while var piece = stack.popLast() {
      let total = piece.reduce(0) { $0 + nodes[Int($1)].weight }
      if total <= weight || piece.count == 1 {
        if !piece.isEmpty { pieces.append(piece) }
        continue
      }
      func position(_ index: Int32) -> PlanePoint { nodes[Int(index)].position }
      var box = PlaneRect(position(piece[0]))
      for index in piece { box.formUnion(position(index)) }
      let isWide = box.width >= box.height
      piece.sort { isWide ? (position($0).x, $0) < (position($1).x, $1) : (position($0).y, $0) < (position($1).y, $1) }
      var (half, sum) = (0, 0)
      while sum < total / 2, half < piece.count - 1 {
        sum += nodes[Int(piece[half])].weight
        half += 1
      }
      stack += [Array(piece[half...]), Array(piece[..<half])]
    }
    return pieces
  }

  /// Returns a front that contains the nodes of a piece, and the other nodes within a margin around the piece. The
  /// nodes in the margin are kept because they may block splits of nodes of the piece. Nodes beyond the margin are
  /// left out.
  ///
  /// - Parameter margin: Width of the margin, at least 2. The unit is the square root of `squaredDistance`.
  /// - Returns: nil if the margin contains all other nodes, so that no node would be left out.
  func part(around piece: [Int32], margin: Int, _ projection: Plane.Projection) -> ShownFront? {
    var box = nodes[Int(piece[0])].box
    for index in piece { box = box.union(nodes[Int(index)].box) }
    let reach = Int64(SplitSequence.reach(squaredDistance))
    let (near, far) = (
      Surroundings(box, reach * Int64(margin - 1), projection), Surroundings(box, reach * Int64(margin), projection)
    )
    var part = ShownFront(squaredDistance: squaredDistance)
    var own = piece.sorted().makeIterator()
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
      if node.isSure { node.isSure = near.hold(node.box) }
      part.nodes.append(node)
    }
    return isWhole ? nil : part
  }

  /// Returns a copy of this front in which exactly the nodes of the given piece are own nodes (see `Member.isOwn`).
  func asked(for piece: [Int32]) -> ShownFront {
    var whole = self
    for index in whole.nodes.indices { whole.nodes[index].isOwn = false }
    for index in piece { whole.nodes[Int(index)].isOwn = true }
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
