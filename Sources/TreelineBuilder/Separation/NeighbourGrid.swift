import Treeline

/// The nodes shown, by position: a grid over the plane of which only cells that hold a node are kept, in a hash table.
///
/// A cell is a chain of pieces of 64 bytes, a cache line each, which hold positions as well as numbers of nodes: to
/// measure distances nothing else is read.
struct NeighbourGrid: ~Copyable {
  struct Piece {
    var x = SIMD4<UInt32>()
    var y = SIMD4<UInt32>()
    /// `InternalNode.none` for a single position.
    var node = SIMD4<UInt32>()
    var column: UInt32
    var row: UInt32
    var count: UInt32 = 0
    /// The number of the next piece of the cell, or 0. All but the first are full.
    var next: UInt32 = 0

    static let capacity = 4
  }

  let projection: Plane.Projection
  /// The plane has as many columns of cells, all of one width, and rows.
  private(set) var columnCount: UInt64 = 1
  let pieces: UnsafeMutablePointer<Piece>
  private let pieceCapacity: Int
  /// Piece 0 is none.
  private var pieceCount = 1
  private var sparePiece: UInt32 = 0
  private var table: CellTable

  /// - Parameter capacity: how many nodes there will ever be at most.
  init(capacity: Int, _ projection: Plane.Projection, _ monitor: BuildMonitor) {
    self.projection = projection
    // Memory that is never written to costs nothing, and more pieces than nodes are rarely needed: see `isExhausted`.
    pieceCapacity = capacity + capacity / 4 + 1024
    pieces = UnsafeMutableRawPointer.allocate(
      byteCount: pieceCapacity * MemoryLayout<Piece>.stride, alignment: MemoryLayout<Piece>.stride
    ).bindMemory(to: Piece.self, capacity: pieceCapacity)
    MemoryBlock(pieces, count: pieceCapacity).adviseLargePages()
    // Piece 0 is read as the end of every chain.
    pieces.initialize(to: Piece(column: 0, row: 0))
    table = CellTable(monitor)
  }

  deinit { MemoryBlock(pieces, count: pieceCapacity).deallocate() }

  /// Removes all nodes and divides the plane anew.
  ///
  /// - Parameters:
  ///   - count: how many nodes are to come now.
  ///   - side: how wide a cell is to be at least, in plane units.
  mutating func empty(for count: Int, side: Double) {
    columnCount = UInt64(max(0x1p32 / side, 1))
    pieceCount = 1
    sparePiece = 0
    table.empty(for: count)
  }

  /// Whether another split might find no piece left: cells that became empty keep theirs.
  var isExhausted: Bool { pieceCount + 4 > pieceCapacity }
}

// MARK: - Cells

extension NeighbourGrid {
  /// The column of an x, or the row of a y.
  @inline(__always) func column(_ coordinate: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: (UInt64(coordinate) &* columnCount) >> 32)
  }

  /// Where the table is read first for a cell, and what it leads to: the cell's first piece, or none, or another
  /// one's.
  @inline(__always) func firstSlot(_ column: UInt32, _ row: UInt32) -> UInt32 {
    table.firstSlot(of: CellTable.hash(column, row))
  }

  @inline(__always) func piece(inSlot slot: UInt32) -> UInt32 { table[slot].number }

  @inline(__always) func prefetchSlot(_ slot: UInt32) { table.prefetchSlot(slot) }

  /// The first piece of a cell; nil where there never was a node.
  @inline(__always) func cell(_ column: UInt32, _ row: UInt32) -> UnsafeMutablePointer<Piece>? {
    let hash = CellTable.hash(column, row)
    var slot = table.firstSlot(of: hash)
    while true {
      let found = table[slot]
      if found.number == 0 { return nil }
      if found.hash == hash {
        let piece = pieces + Int(found.number)
        if piece.pointee.column == column && piece.pointee.row == row { return piece }
      }
      slot = table.nextSlot(slot)
    }
  }

  @inline(__always) private mutating func makeCell(_ column: UInt32, _ row: UInt32) -> UnsafeMutablePointer<Piece> {
    if let cell = cell(column, row) { return cell }
    let piece = newPiece()
    (pieces + Int(piece)).initialize(to: Piece(column: column, row: row))
    table.add(CellTable.hash(column, row), piece)
    return pieces + Int(piece)
  }

  private mutating func newPiece() -> UInt32 {
    if sparePiece != 0 {
      defer { sparePiece = pieces[Int(sparePiece)].next }
      return sparePiece
    }
    defer { pieceCount += 1 }
    return UInt32(truncatingIfNeeded: pieceCount)
  }
}

// MARK: - Nodes

extension NeighbourGrid {
  @inline(__always) mutating func insert(_ position: PlanePoint, _ node: UInt32) {
    let cell = makeCell(column(position.x), column(position.y))
    if cell.pointee.count == Piece.capacity {
      // What is full moves behind the first piece, where there is room again.
      let piece = newPiece()
      (pieces + Int(piece)).initialize(to: cell.pointee)
      cell.pointee.next = piece
      cell.pointee.count = 0
    }
    Self.set(cell, Int(cell.pointee.count), position, node)
    cell.pointee.count &+= 1
  }

  /// Replaces a node by its children.
  @inline(__always) mutating func replace(_ number: UInt32, at position: PlanePoint, by node: InternalNode) {
    let (column, row) = (column(position.x), column(position.y))
    let (cell, piece, lane) = find(number, column, row)
    // Most often one of the two is in the same cell.
    if self.column(node.left.x) == column && self.column(node.left.y) == row {
      Self.set(piece, lane, node.left, node.leftNode)
      insert(node.right, node.rightNode)
    } else if self.column(node.right.x) == column && self.column(node.right.y) == row {
      Self.set(piece, lane, node.right, node.rightNode)
      insert(node.left, node.leftNode)
    } else {
      remove(from: cell, piece, lane)
      insert(node.left, node.leftNode)
      insert(node.right, node.rightNode)
    }
  }

  /// Leaves a node where it is, but as one that may not be shown.
  mutating func setUnsure(_ number: UInt32, at position: PlanePoint) {
    let (_, piece, lane) = find(number, column(position.x), column(position.y))
    Self.set(piece, lane, position, number | InternalNode.unsureMark)
  }

  /// Where a node is: its cell, the piece of it and the lane in that.
  @inline(__always) private func find(_ node: UInt32, _ column: UInt32, _ row: UInt32) -> (
    cell: UnsafeMutablePointer<Piece>, piece: UnsafeMutablePointer<Piece>, lane: Int
  ) {
    let cell = cell(column, row)!
    var piece = cell
    while true {
      for lane in 0..<Int(piece.pointee.count) where Self.lanes(of: piece)[8 &+ lane] == node {
        return (cell, piece, lane)
      }
      precondition(piece.pointee.next != 0, "A node that is shown is in no cell")
      piece = pieces + Int(piece.pointee.next)
    }
  }

  private mutating func remove(
    from cell: UnsafeMutablePointer<Piece>, _ piece: UnsafeMutablePointer<Piece>, _ lane: Int
  ) {
    // The last node of the first piece replaces it.
    let last = Int(cell.pointee.count) - 1
    let lanes = Self.lanes(of: cell)
    Self.set(piece, lane, PlanePoint(x: lanes[last], y: lanes[4 + last]), lanes[8 + last])
    cell.pointee.count -= 1
    let next = cell.pointee.next
    if cell.pointee.count == 0 && next != 0 {
      cell.pointee = pieces[Int(next)]
      pieces[Int(next)].next = sparePiece
      sparePiece = next
    }
  }

  /// A piece's x, y and nodes, four of each, one by one.
  struct Lanes {
    fileprivate let start: UnsafeMutableRawPointer

    @inline(__always) subscript(lane: Int) -> UInt32 {
      get { start.load(fromByteOffset: lane &* 4, as: UInt32.self) }
      nonmutating set { start.storeBytes(of: newValue, toByteOffset: lane &* 4, as: UInt32.self) }
    }
  }

  @inline(__always) static func lanes(of piece: UnsafeMutablePointer<Piece>) -> Lanes {
    Lanes(start: UnsafeMutableRawPointer(piece))
  }

  @inline(__always) private static func set(
    _ piece: UnsafeMutablePointer<Piece>, _ lane: Int, _ position: PlanePoint, _ node: UInt32
  ) {
    let lanes = lanes(of: piece)
    lanes[lane] = position.x
    lanes[4 &+ lane] = position.y
    lanes[8 &+ lane] = node
  }
}
