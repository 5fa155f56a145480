import Treeline

/// The pieces of a build and the nodes above them, in tree order.
public struct PiecePlan: Sendable {
  /// Rule that decides how nodes are split; nil if the tree grew by merging (see `MergedPieces`).
  public let rule: SplitRule?
  /// Finds the piece of each point.
  var routing = PointRouting()
  /// For each tree, the step of `routing` at which the search for a point's piece begins. The array is empty if the
  /// plan has one tree.
  private var starts: [Int32] = []
  /// The pieces in tree order.
  public private(set) var pieces: [PieceTask] = []
  /// The pieces and the nodes above the pieces, in depth-first order. The left child of each node comes before the
  /// right child.
  private var order: [Item] = []

  /// Number of points in all pieces.
  public var pointCount: Int { pieces.last.map { $0.first + $0.pointCount } ?? 0 }

  private enum Item: UInt8 {
    case piece = 0
    case node = 1
  }

  /// A node above the pieces.
  struct TopRecord {
    let box: PlaneRect
    let count: UInt32
    let spread: NodeSpread
    let sums: NodeSums

    fileprivate init(_ extent: PointExtent) {
      (box, count) = (extent.box, UInt32(extent.count))
      let own = extent.ownMoments
      (spread, sums) = (Scatter(own).spread(count: own.count), NodeSums(x: own.x, y: own.y))
    }
  }

  init(rule: SplitRule) { self.rule = rule }

  /// Divides the points of a tree that grew by merging. Each piece except the last has `pieceSize` points.
  init(ofMergedTree pointCount: Int, pieceSize: Int) {
    rule = nil
    for range in (0..<pointCount).blocks(of: pieceSize) {
      pieces.append(
        PieceTask(
          number: pieces.count, first: range.lowerBound, rule: nil, root: SubtreeRoot(level: 0, corner: nil),
          extent: PointExtent(ofPlaces: range)))
    }
  }

  /// The nodes above the pieces, and nil for each piece, in depth-first order. The left child of each node comes before
  /// the right child.
  ///
  /// - Complexity: O(number of pieces)
  var topRecords: [TopRecord?] {
    var records = [TopRecord?](repeating: nil, count: order.count)
    // `extents` is a stack of the subtrees whose parent has not been visited yet. Nodes are visited from the last to
    // the first. So on the stack, the left child of a node lies above the right child.
    var (extents, piece) = ([PointExtent](), pieces.count)
    for index in order.indices.reversed() {
      switch order[index] {
      case .piece:
        piece -= 1
        extents.append(pieces[piece].extent)
      case .node:
        let extent = extents.removeLast() + extents.removeLast()
        records[index] = TopRecord(extent)
        extents.append(extent)
      }
    }
    return records
  }

  /// Adds a node. The children of the node must be added next.
  mutating func addNode() { order.append(.node) }

  mutating func add(piece extent: PointExtent, at root: SubtreeRoot) {
    pieces.append(PieceTask(number: pieces.count, first: pointCount, rule: rule, root: root, extent: extent))
    order.append(.piece)
  }

  /// Appends the plan of another tree. The root of the appended tree has the given level.
  mutating func append(_ tree: PiecePlan, level: Int) {
    let (firstPiece, firstPoint) = (pieces.count, pointCount)
    starts.append(routing.append(tree.routing, firstLeaf: firstPiece))
    order += tree.order
    pieces += tree.pieces.map { piece in
      PieceTask(
        number: firstPiece + piece.number, first: firstPoint + piece.first, rule: rule,
        root: SubtreeRoot(level: level + piece.root.level, corner: piece.root.corner), extent: piece.extent)
    }
  }
}

/// A piece that must be built. Each piece is a separate subtree.
public struct PieceTask: Sendable {
  /// Number of the piece in tree order, from 0.
  public let number: Int
  /// Tree index of the piece's first point.
  public let first: Int
  let rule: SplitRule?
  let root: SubtreeRoot
  /// Extent of all points of the piece; in a merged tree, of their places.
  let extent: PointExtent

  /// Number of points. This number exceeds the piece size of the plan only if all points share one position.
  public var pointCount: Int { extent.count }

  /// Common position of all points of the piece; nil if the points have different positions. A piece whose points
  /// share one position may have more points than the piece size.
  var stack: PlanePoint? {
    rule != nil && extent.box.isPoint ? PlanePoint(x: extent.box.minX, y: extent.box.minY) : nil
  }

  /// Whether all points of the piece share one position. Such a piece may have more points than the piece size.
  public var isStack: Bool { stack != nil }

  /// Tree index just after the piece's last point.
  var end: Int { first + pointCount }
}

extension PiecePlan: BinaryCodable {
  package func write(to bytes: inout PlainBytes) {
    bytes.append(SplitRule.number(of: rule))
    bytes.append(routing)
    bytes.append(starts)
    bytes.append(pieces)
    bytes.append(order.map(\.rawValue))
  }

  package init(from bytes: inout PlainBytes) throws(PieceError) {
    rule = try SplitRule.read(from: &bytes)
    routing = try PointRouting(from: &bytes)
    starts = try bytes.readArray()
    pieces = try bytes.readValues()
    let kinds: [UInt8] = try bytes.readArray()
    order = kinds.compactMap(Item.init(rawValue:))
    // Each piece must begin where the piece before it ends.
    var end = 0
    for (number, piece) in pieces.enumerated() {
      guard piece.number == number, piece.first == end, (piece.rule == nil) == (rule == nil) else {
        throw Self.unsound
      }
      end += piece.pointCount
    }
    if rule == nil {
      let size = max(pieces.first?.pointCount ?? 1, 1)
      guard kinds.isEmpty, routing.leafCount == 1, starts.isEmpty, end <= IndexHeader.maximumPointCount,
        pieces.count == (end + size - 1) / size,
        pieces.map(\.extent) == PiecePlan(ofMergedTree: end, pieceSize: size).pieces.map(\.extent)
      else { throw Self.unsound }
      return
    }
    // Number of subtrees that must follow in `order` after the items checked so far. Each item begins a subtree. After
    // a node, two more subtrees must follow: its children. The number reaches 0 only at the last item.
    var missing = pieces.isEmpty ? 0 : 1
    for item in order {
      guard missing > 0 else { throw Self.unsound }
      missing += item == .node ? 1 : -1
    }
    guard missing == 0, order.count == kinds.count, order.count(where: { $0 == .piece }) == pieces.count,
      end <= IndexHeader.maximumPointCount, routing.leafCount == max(pieces.count, 1), starts.allSatisfy(routing.has)
    else { throw Self.unsound }
  }

  private static let unsound = PieceError.damaged(
    what: "a plan of pieces", expected: "pieces that match the nodes above them", found: "other pieces")
}

extension PieceTask: BinaryCodable {
  package func write(to bytes: inout PlainBytes) {
    bytes.append(SplitRule.number(of: rule))
    bytes.append([UInt64(number), UInt64(first), UInt64(root.level)])
    bytes.append(root.corner.map { [$0] } ?? [])
    bytes.append(extent)
  }

  package init(from bytes: inout PlainBytes) throws(PieceError) {
    rule = try SplitRule.read(from: &bytes)
    let numbers: [UInt64] = try bytes.readArray()
    let corners: [PlanePoint] = try bytes.readArray()
    let extent = try PointExtent(from: &bytes)
    // The corner from which moments are measured must not lie to the right of the points or below the points.
    guard numbers.count == 3, numbers.allSatisfy({ $0 <= IndexHeader.maximumPointCount }), corners.count <= 1,
      numbers[2] <= TreeStorage.principalLevels + BuildPlan.mostHalvings,
      corners.allSatisfy({ $0.x <= extent.box.minX && $0.y <= extent.box.minY })
    else { throw .damaged(what: "a piece", expected: "its number and place", found: "\(numbers), \(corners)") }
    (number, first, self.extent) = (Int(numbers[0]), Int(numbers[1]), extent)
    root = SubtreeRoot(level: Int(numbers[2]), corner: corners.first)
  }
}

extension SplitRule {
  /// Returns the number that is written for a split rule; for nil, a number that belongs to no rule.
  fileprivate static func number(of rule: SplitRule?) -> UInt32 { rule?.kind.rawValue ?? merged }

  private static let merged = UInt32.max

  /// Reads a split rule. Throws an error if a build in pieces does not support the rule.
  fileprivate static func read(from bytes: inout PlainBytes) throws(PieceError) -> SplitRule? {
    let kind = try bytes.read(UInt32.self)
    if kind == merged { return nil }
    switch Kind(rawValue: kind) {
    case .mean: return .mean
    case .leastScatter: return .leastScatter
    case .gamma, nil: throw .damaged(what: "a plan of pieces", expected: "a split rule", found: "number \(kind)")
    }
  }
}

extension PiecePlan {
  /// Returns, for each point, the number of its piece. In a merged tree, points are given by their places.
  ///
  /// - Complexity: One dot product for each point and each level above the pieces.
  public func pieces(of points: [PlanePoint]) -> [Int] {
    var numbers = [UInt32](repeating: 0, count: points.count)
    points.withUnsafeBufferPointer { points in
      numbers.withUnsafeMutableBufferPointer { if let start = $0.baseAddress { findPieces(of: points, to: start) } }
    }
    return numbers.map(Int.init)
  }

  /// Writes, for each point, the number of its piece.
  ///
  /// - Parameter parts: For each point, the number of its tree, if the plan has several trees; nil if the plan has one
  ///   tree.
  package func findPieces(
    of points: UnsafeBufferPointer<PlanePoint>, inParts parts: ArraySlice<UInt16>? = nil,
    to numbers: UnsafeMutablePointer<UInt32>
  ) {
    if rule == nil {
      let size = pieces.first?.pointCount ?? 1
      let last = max(pieces.count, 1) - 1
      for index in points.indices { numbers[index] = UInt32(min(Int(points[index].x) / size, last)) }
      return
    }
    guard let parts else { return routing.leaves(of: points, to: numbers) }
    let starts = parts.map { self.starts[Int($0)] }
    routing.leaves(of: points, from: starts, to: numbers)
  }
}
