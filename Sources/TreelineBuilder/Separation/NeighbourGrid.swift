import Treeline

/// The nodes shown, by where they are: a grid over the plane of which only cells that hold a node are kept, in a hash
/// table.
///
/// A cell is a chain of pieces of 64 bytes, a line of the caches each, which hold positions as well as forks: to measure
/// distances nothing else is read.
struct NeighbourGrid: ~Copyable {
  struct Piece {
    var x = SIMD4<UInt32>()
    var y = SIMD4<UInt32>()
    /// `Fork.none` for a single position.
    var fork = SIMD4<UInt32>()
    var column: UInt32
    var row: UInt32
    var count: UInt32 = 0
    /// The number of the next piece of the cell, or 0. All but the first are full.
    var next: UInt32 = 0

    static let capacity = 4
  }

  let metric: PlaneMetric
  /// The plane has as many columns of cells, all of one width, and rows.
  private(set) var columnCount: UInt64 = 1
  let pieces: UnsafeMutablePointer<Piece>
  private let pieceCapacity: Int
  /// Piece 0 is none.
  private var pieceCount = 1
  private var sparePiece: UInt32 = 0
  private var table: CellTable

  /// - Parameter capacity: how many nodes there will ever be at most.
  init(capacity: Int, _ metric: PlaneMetric, _ monitor: BuildMonitor) {
    self.metric = metric
    // Memory that nobody writes to costs nothing, and more pieces than nodes are rarely needed: see `isExhausted`.
    pieceCapacity = capacity + capacity / 4 + 1024
    pieces = UnsafeMutableRawPointer.allocate(
      byteCount: pieceCapacity * MemoryLayout<Piece>.stride, alignment: MemoryLayout<Piece>.stride
    ).bindMemory(to: Piece.self, capacity: pieceCapacity)
    LargePages.wish(for: pieces, count: pieceCapacity)
    // Piece 0 is read as the end of every chain.
    pieces.initialize(to: Piece(column: 0, row: 0))
    table = CellTable(monitor)
  }

  deinit { MemoryBlock(pieces, count: pieceCapacity).deallocate() }

  /// Takes all nodes away and cuts the plane anew.
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
  @inline(__always)
  func column(_ coordinate: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: (UInt64(coordinate) &* columnCount) >> 32)
  }

  /// Where the table is read first for a cell, and what it leads to: the cell's first piece, or none, or another one's.
  @inline(__always)
  func firstSlot(_ column: UInt32, _ row: UInt32) -> UInt32 {
    table.firstSlot(of: CellTable.hash(column, row))
  }

  @inline(__always)
  func piece(inSlot slot: UInt32) -> UInt32 { table[slot].number }

  @inline(__always)
  func prefetchSlot(_ slot: UInt32) { table.prefetchSlot(slot) }

  /// The first piece of a cell; nil where there never was a node.
  @inline(__always)
  func cell(_ column: UInt32, _ row: UInt32) -> UnsafeMutablePointer<Piece>? {
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

  @inline(__always)
  private mutating func makeCell(_ column: UInt32, _ row: UInt32) -> UnsafeMutablePointer<Piece> {
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
  @inline(__always)
  mutating func insert(_ position: PlanePoint, _ fork: UInt32) {
    let cell = makeCell(column(position.x), column(position.y))
    if cell.pointee.count == Piece.capacity {
      // What is full moves behind the first piece, where there is room again.
      let piece = newPiece()
      (pieces + Int(piece)).initialize(to: cell.pointee)
      cell.pointee.next = piece
      cell.pointee.count = 0
    }
    Self.set(cell, Int(cell.pointee.count), position, fork)
    cell.pointee.count &+= 1
  }

  /// Puts the children of a fork in its place.
  @inline(__always)
  mutating func replace(_ number: UInt32, at position: PlanePoint, by fork: Fork) {
    let (column, row) = (column(position.x), column(position.y))
    let (cell, piece, place) = find(number, column, row)
    // Most often one of the two is in the same cell.
    if self.column(fork.left.x) == column && self.column(fork.left.y) == row {
      Self.set(piece, place, fork.left, fork.leftFork)
      insert(fork.right, fork.rightFork)
    } else if self.column(fork.right.x) == column && self.column(fork.right.y) == row {
      Self.set(piece, place, fork.right, fork.rightFork)
      insert(fork.left, fork.leftFork)
    } else {
      remove(from: cell, piece, place)
      insert(fork.left, fork.leftFork)
      insert(fork.right, fork.rightFork)
    }
  }

  /// Where a fork is: its cell, the piece of it and the place in that.
  @inline(__always)
  private func find(_ fork: UInt32, _ column: UInt32, _ row: UInt32) -> (
    cell: UnsafeMutablePointer<Piece>, piece: UnsafeMutablePointer<Piece>, place: Int
  ) {
    let cell = cell(column, row)!
    var piece = cell
    while true {
      for place in 0..<Int(piece.pointee.count) where Self.lanes(of: piece)[8 &+ place] == fork {
        return (cell, piece, place)
      }
      precondition(piece.pointee.next != 0, "A fork that is shown is in no cell")
      piece = pieces + Int(piece.pointee.next)
    }
  }

  private mutating func remove(
    from cell: UnsafeMutablePointer<Piece>, _ piece: UnsafeMutablePointer<Piece>, _ place: Int
  ) {
    // The last node of the first piece takes the place.
    let last = Int(cell.pointee.count) - 1
    let lanes = Self.lanes(of: cell)
    Self.set(piece, place, PlanePoint(x: lanes[last], y: lanes[4 + last]), lanes[8 + last])
    cell.pointee.count -= 1
    let next = cell.pointee.next
    if cell.pointee.count == 0 && next != 0 {
      cell.pointee = pieces[Int(next)]
      pieces[Int(next)].next = sparePiece
      sparePiece = next
    }
  }

  /// A piece's x, y and forks, four of each, one by one.
  struct Lanes {
    fileprivate let start: UnsafeMutableRawPointer

    @inline(__always)
    subscript(lane: Int) -> UInt32 {
      get { start.load(fromByteOffset: lane &* 4, as: UInt32.self) }
      nonmutating set { start.storeBytes(of: newValue, toByteOffset: lane &* 4, as: UInt32.self) }
    }
  }

  @inline(__always)
  static func lanes(of piece: UnsafeMutablePointer<Piece>) -> Lanes {
    Lanes(start: UnsafeMutableRawPointer(piece))
  }

  @inline(__always)
  private static func set(
    _ piece: UnsafeMutablePointer<Piece>, _ place: Int, _ position: PlanePoint, _ fork: UInt32
  ) {
    let lanes = lanes(of: piece)
    lanes[place] = position.x
    lanes[4 &+ place] = position.y
    lanes[8 &+ place] = fork
  }
}
