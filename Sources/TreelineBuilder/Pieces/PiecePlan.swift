import Treeline

/// The pieces of a build and the nodes above them, in tree order.
public struct PiecePlan: Sendable {
  /// Where nodes are split.
  public let rule: SplitRule
  /// Leads each point to its piece.
  var routing = PointRouting()
  /// Of trees that lie one behind the other, where the walks of the points of each begin; none for one tree.
  private var starts: [Int32] = []
  /// The pieces in tree order.
  public private(set) var pieces: [PieceTask] = []
  /// Depth first, the left child of each before the right one: nodes that are split, and nil for a piece.
  private(set) var order: [TopRecord?] = []

  /// How many points all pieces have.
  public var pointCount: Int { pieces.last.map { $0.first + $0.pointCount } ?? 0 }

  /// A node above the pieces, all that is kept of it.
  struct TopRecord: BitwiseCopyable, Sendable {
    let box: PlaneRect
    let count: UInt32
    let spread: NodeSpread
    let sums: NodeSums
  }

  init(rule: SplitRule) { self.rule = rule }

  mutating func add(node segment: Segment) {
    let spread = Scatter(segment.points.moments).spread(count: segment.points.moments.count)
    order.append(TopRecord(box: segment.box, count: UInt32(segment.count), spread: spread, sums: segment.sums))
  }

  mutating func add(piece segment: Segment, corner: PlanePoint?) {
    pieces.append(
      PieceTask(
        number: pieces.count, first: pointCount, pointCount: segment.count, rule: rule,
        root: SubtreeRoot(level: segment.level, corner: corner),
        stack: Scatter(segment.points.moments).isZero ? PlanePoint(x: segment.box.minX, y: segment.box.minY) : nil))
    order.append(nil)
  }

  /// Adds the plan of a tree behind those that there are, whose root lies at a level.
  mutating func append(_ tree: PiecePlan, level: Int) {
    let (firstPiece, firstPoint) = (pieces.count, pointCount)
    starts.append(routing.append(tree.routing, firstLeaf: firstPiece))
    order += tree.order
    pieces += tree.pieces.map { piece in
      PieceTask(
        number: firstPiece + piece.number, first: firstPoint + piece.first, pointCount: piece.pointCount, rule: rule,
        root: SubtreeRoot(level: level + piece.root.level, corner: piece.root.corner), stack: piece.stack)
    }
  }
}

/// A piece to be built: a subtree, by itself.
public struct PieceTask: Sendable {
  /// In tree order, from 0.
  public let number: Int
  /// The tree index of its first point.
  public let first: Int
  /// No more than a piece holds, unless all have one position.
  public let pointCount: Int
  let rule: SplitRule
  let root: SubtreeRoot
  /// Where all its points are, if that is one position. There may be more of them than a piece holds otherwise.
  package let stack: PlanePoint?

  /// Whether all its points have one position, so that there may be more of them than a piece holds otherwise.
  public var isStack: Bool { stack != nil }

  /// The tree index behind its last point.
  var end: Int { first + pointCount }
}

extension PiecePlan: PlainValue {
  package func write(to bytes: inout PlainBytes) {
    bytes.append(rule.kind.rawValue)
    bytes.append(routing)
    bytes.append(starts)
    bytes.append(pieces)
    bytes.append(order.map { $0 == nil ? 0 : 1 as UInt8 })
    bytes.append(order.compactMap(\.self))
  }

  package init(from bytes: inout PlainBytes) throws(PieceError) {
    rule = try SplitRule(from: &bytes)
    routing = try PointRouting(from: &bytes)
    starts = try bytes.readArray()
    pieces = try bytes.readValues()
    let kinds: [UInt8] = try bytes.readArray()
    let records: [TopRecord] = try bytes.readArray()
    // As many records as there are, and each piece behind the one before.
    var end = 0
    for (number, piece) in pieces.enumerated() {
      guard piece.number == number, piece.first == end else { throw Self.unsound }
      end += piece.pointCount
    }
    guard kinds.count(where: { $0 == 1 }) == records.count, kinds.count == records.count + pieces.count,
      end <= IndexHeader.maximumPointCount, routing.leafCount == max(pieces.count, 1), starts.allSatisfy(routing.has),
      pieces.isEmpty ? kinds.isEmpty : records.count + 1 == pieces.count
    else { throw Self.unsound }
    var next = records.makeIterator()
    order = kinds.map { $0 == 1 ? next.next() : nil }
  }

  private static let unsound = PieceError.damaged(
    what: "a plan of pieces", expected: "pieces and nodes that fit each other", found: "others")
}

extension PieceTask: PlainValue {
  package func write(to bytes: inout PlainBytes) {
    bytes.append(rule.kind.rawValue)
    bytes.append([UInt64(number), UInt64(first), UInt64(pointCount), UInt64(root.level)])
    bytes.append([root.corner, stack].map { $0.map { UInt64($0.x) << 32 | UInt64($0.y) } ?? 0 })
    bytes.append([root.corner == nil ? 0 : 1, stack == nil ? 0 : 1 as UInt8])
  }

  package init(from bytes: inout PlainBytes) throws(PieceError) {
    rule = try SplitRule(from: &bytes)
    let numbers: [UInt64] = try bytes.readArray()
    let places: [UInt64] = try bytes.readArray()
    let areThere: [UInt8] = try bytes.readArray()
    guard numbers.count == 4, numbers.allSatisfy({ $0 <= IndexHeader.maximumPointCount }), places.count == 2,
      areThere.count == 2, numbers[3] <= TreeStorage.maximumLevel
    else { throw .damaged(what: "a piece", expected: "its number and place", found: "\(numbers)") }
    func place(_ index: Int) -> PlanePoint? {
      areThere[index] == 0
        ? nil : PlanePoint(x: UInt32(places[index] >> 32), y: UInt32(truncatingIfNeeded: places[index]))
    }
    (number, first, pointCount) = (Int(numbers[0]), Int(numbers[1]), Int(numbers[2]))
    (root, stack) = (SubtreeRoot(level: Int(numbers[3]), corner: place(0)), place(1))
  }
}

extension SplitRule {
  /// Of those that pieces are built by.
  fileprivate init(from bytes: inout PlainBytes) throws(PieceError) {
    let kind = try bytes.read(UInt32.self)
    switch Kind(rawValue: kind) {
    case .mean: self = .mean
    case .leastScatter: self = .leastScatter
    default: throw .damaged(what: "a plan of pieces", expected: "a split rule", found: "number \(kind)")
    }
  }
}

extension PiecePlan {
  /// The number of the piece of each of some points.
  ///
  /// - Complexity: a dot product for each level above the pieces.
  public func pieces(of points: [PlanePoint]) -> [Int] {
    var numbers = [UInt32](repeating: 0, count: points.count)
    points.withUnsafeBufferPointer { points in
      numbers.withUnsafeMutableBufferPointer { if let start = $0.baseAddress { findPieces(of: points, to: start) } }
    }
    return numbers.map(Int.init)
  }

  /// Writes the number of the piece of each of some points.
  ///
  /// - Parameter parts: Of trees that lie one behind the other, the one that each point belongs to; nil for one tree.
  package func findPieces(
    of points: UnsafeBufferPointer<PlanePoint>, inParts parts: ArraySlice<UInt16>? = nil,
    to numbers: UnsafeMutablePointer<UInt32>
  ) {
    guard let parts else { return routing.leaves(of: points, to: numbers) }
    let starts = parts.map { self.starts[Int($0)] }
    routing.leaves(of: points, from: starts, to: numbers)
  }
}
