import Treeline

/// The shown nodes, stored by position in a grid over the plane. Only cells that contain nodes are stored, in a hash
/// table.
///
/// A cell is a chain of pieces. Each piece has 64 bytes, which is one cache line. A piece holds the positions and the
/// numbers of its nodes, so that distances are computed without reading other data.
struct NeighbourGrid: ~Copyable {
  struct Piece {
    var x = SIMD4<UInt32>()
    var y = SIMD4<UInt32>()
    /// Numbers of the nodes; `InternalNode.none` for a node that cannot be split.
    var node = SIMD4<UInt32>()
    var column: UInt32
    var row: UInt32
    var count: UInt32 = 0
    /// Number of the next piece of the cell; 0 for the last piece. All pieces except the first piece are full.
    var next: UInt32 = 0

    static let capacity = 4
  }

  let projection: Plane.Projection
  /// Number of columns of cells, and also number of rows. All cells have the same width.
  private(set) var columnCount: UInt64 = 1
  let pieces: UnsafeMutablePointer<Piece>
  private let pieceCapacity: Int
  /// Number of pieces in use. Piece 0 is not used, because the number 0 means no piece.
  private var pieceCount = 1
  private var sparePiece: UInt32 = 0
  private var table: CellTable

  /// - Parameter capacity: Greatest number of nodes at any time.
  init(capacity: Int, _ projection: Plane.Projection, _ monitor: BuildMonitor) {
    self.projection = projection
    // More pieces are allocated than most grids need, because memory that is never written takes no space. The cells
    // rarely need more pieces than there are nodes: see `isExhausted`.
    pieceCapacity = capacity + capacity / 4 + 1024
    pieces = UnsafeMutableRawPointer.allocate(
      byteCount: pieceCapacity * MemoryLayout<Piece>.stride, alignment: MemoryLayout<Piece>.stride
    ).bindMemory(to: Piece.self, capacity: pieceCapacity)
    MemoryBlock(pieces, count: pieceCapacity).adviseLargePages()
    // Piece 0 is read at the end of every chain, so it must be initialized.
    pieces.initialize(to: Piece(column: 0, row: 0))
    table = CellTable(monitor)
  }

  deinit { MemoryBlock(pieces, count: pieceCapacity).deallocate() }

  /// Removes all nodes, and divides the plane into cells of a new width.
  ///
  /// - Parameters:
  ///   - count: Number of nodes that will be inserted next.
  ///   - side: Least width of a cell, in plane units.
  mutating func empty(for count: Int, side: Double) {
    columnCount = UInt64(max(0x1p32 / side, 1))
    pieceCount = 1
    sparePiece = 0
    table.empty(for: count)
  }

  /// Whether the unused pieces may be too few for splitting another node. The nodes of a cell are stored in pieces.
  /// Pieces can run out, because a cell that becomes empty keeps one piece.
  var isExhausted: Bool { pieceCount + 4 > pieceCapacity }
}

// MARK: - Cells

extension NeighbourGrid {
  /// Returns the column of an x coordinate, or the row of a y coordinate.
  @inline(__always) func column(_ coordinate: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: (UInt64(coordinate) &* columnCount) >> 32)
  }

  /// Returns the slot at which the search for a cell begins. This slot may refer to the cell's first piece, to no
  /// piece, or to a piece of another cell.
  @inline(__always) func firstSlot(_ column: UInt32, _ row: UInt32) -> UInt32 {
    table.firstSlot(of: CellTable.hash(column, row))
  }

  @inline(__always) func piece(inSlot slot: UInt32) -> UInt32 { table[slot].number }

  @inline(__always) func prefetchSlot(_ slot: UInt32) { table.prefetchSlot(slot) }

  /// Returns the first piece of a cell; nil if the cell has never held a node.
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
      // The nodes of the full first piece move to a new piece, which becomes the second piece. Then the first piece has
      // room again.
      let piece = newPiece()
      (pieces + Int(piece)).initialize(to: cell.pointee)
      cell.pointee.next = piece
      cell.pointee.count = 0
    }
    Self.set(cell, Int(cell.pointee.count), position, node)
    cell.pointee.count &+= 1
  }

  /// Replaces a node by its two children.
  @inline(__always) mutating func replace(_ number: UInt32, at position: PlanePoint, by node: InternalNode) {
    let (column, row) = (column(position.x), column(position.y))
    let (cell, piece, lane) = find(number, column, row)
    // Most often, one of the two children is in the same cell as the node.
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

  mutating func remove(_ number: UInt32, at position: PlanePoint) {
    let (cell, piece, lane) = find(number, column(position.x), column(position.y))
    remove(from: cell, piece, lane)
  }

  /// Returns the place where a node is stored: the cell, the piece in the cell, and the lane in the piece.
  @inline(__always) private func find(_ node: UInt32, _ column: UInt32, _ row: UInt32) -> (
    cell: UnsafeMutablePointer<Piece>, piece: UnsafeMutablePointer<Piece>, lane: Int
  ) {
    let cell = cell(column, row)!
    var piece = cell
    while true {
      for lane in 0..<Int(piece.pointee.count) where Self.lanes(of: piece)[8 &+ lane] == node {
        return (cell, piece, lane)
      }
      precondition(piece.pointee.next != 0, "A shown node is not in its cell")
      piece = pieces + Int(piece.pointee.next)
    }
  }

  private mutating func remove(
    from cell: UnsafeMutablePointer<Piece>, _ piece: UnsafeMutablePointer<Piece>, _ lane: Int
  ) {
    // The last node of the first piece replaces the removed node.
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

  /// The numbers in a piece: four x coordinates, then four y coordinates, then four node numbers.
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
