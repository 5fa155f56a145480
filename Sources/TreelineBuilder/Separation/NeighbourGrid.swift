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

  private struct Slot {
    /// The hash of the cell; the table is as large as its greatest bits say.
    var hash: UInt32
    /// The number of the cell's first piece, or 0.
    var piece: UInt32
  }

  let metric: PlaneMetric
  /// The plane has as many columns of cells, all of one width, and rows.
  private(set) var columnCount: UInt64 = 1
  let pieces: UnsafeMutablePointer<Piece>
  private let pieceCapacity: Int
  /// Piece 0 is none.
  private var pieceCount = 1
  private var sparePiece: UInt32 = 0
  private var slots: UnsafeMutablePointer<Slot>
  private var slotBits = 4
  private var cellCount = 0

  /// - Parameter capacity: how many nodes there will ever be at most.
  init(capacity: Int, _ metric: PlaneMetric) {
    self.metric = metric
    // Memory that nobody writes to costs nothing, and more pieces than nodes are rarely needed: see `isExhausted`.
    pieceCapacity = capacity + capacity / 4 + 1024
    pieces = Self.allocateLines(of: Piece.self, pieceCapacity)
    slots = Self.allocateLines(of: Slot.self, 1 << slotBits)
    // Piece 0 is read as the end of every chain.
    pieces.initialize(to: Piece(column: 0, row: 0))
    empty(for: 0, side: 0x1p32)
  }

  deinit {
    pieces.deallocate()
    slots.deallocate()
  }

  private static func allocateLines<T>(of type: T.Type, _ count: Int) -> UnsafeMutablePointer<T> {
    UnsafeMutableRawPointer.allocate(byteCount: count * MemoryLayout<T>.stride, alignment: 64)
      .bindMemory(to: type, capacity: count)
  }

  /// Takes all nodes away and cuts the plane anew.
  ///
  /// - Parameters:
  ///   - count: how many nodes are to come now.
  ///   - side: how wide a cell is to be at least, in plane units.
  mutating func empty(for count: Int, side: Double) {
    columnCount = UInt64(max(0x1p32 / side, 1))
    pieceCount = 1
    sparePiece = 0
    cellCount = 0
    slots.deallocate()
    slotBits = max(4, Int.bitWidth - count.leadingZeroBitCount)
    slots = Self.allocateLines(of: Slot.self, 1 << slotBits)
    slots.initialize(repeating: Slot(hash: 0, piece: 0), count: 1 << slotBits)
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

  @inline(__always)
  private static func hash(_ column: UInt32, _ row: UInt32) -> UInt32 {
    // 2^64 divided by the golden ratio; the high bits of the product are the well mixed ones.
    let product = (UInt64(column) << 32 | UInt64(row)) &* 0x9E37_79B9_7F4A_7C15
    return UInt32(truncatingIfNeeded: product >> 32)
  }

  /// The slot in which to look for a cell first.
  @inline(__always)
  func firstSlot(_ column: UInt32, _ row: UInt32) -> UInt32 {
    Self.hash(column, row) >> UInt32(truncatingIfNeeded: 32 &- slotBits)
  }

  /// What is in a slot, whether it is the cell that was looked for or another.
  @inline(__always)
  func piece(inSlot slot: UInt32) -> UInt32 { slots[Int(slot)].piece }

  /// The first piece of a cell; nil where the cell holds nothing.
  @inline(__always)
  func cell(_ column: UInt32, _ row: UInt32) -> UnsafeMutablePointer<Piece>? {
    let hash = Self.hash(column, row)
    var slot = Int(firstSlot(column, row))
    while true {
      let found = slots[slot]
      if found.piece == 0 { return nil }
      if found.hash == hash {
        let piece = pieces + Int(found.piece)
        if piece.pointee.column == column && piece.pointee.row == row { return piece }
      }
      slot = (slot &+ 1) & (1 << slotBits &- 1)
    }
  }

  /// The first piece of a cell, which is made where there is none.
  @inline(__always)
  private mutating func makeCell(_ column: UInt32, _ row: UInt32) -> UnsafeMutablePointer<Piece> {
    if let cell = cell(column, row) { return cell }
    let piece = newPiece()
    (pieces + Int(piece)).initialize(to: Piece(column: column, row: row))
    cellCount &+= 1
    if cellCount &* 3 > 2 << slotBits { growTable() }
    addSlot(Slot(hash: Self.hash(column, row), piece: piece))
    return pieces + Int(piece)
  }

  @inline(__always)
  private func addSlot(_ new: Slot) {
    var slot = Int(new.hash >> UInt32(truncatingIfNeeded: 32 &- slotBits))
    while slots[slot].piece != 0 { slot = (slot &+ 1) & (1 << slotBits &- 1) }
    slots[slot] = new
  }

  private mutating func growTable() {
    let (old, oldCount) = (slots, 1 << slotBits)
    slotBits += 1
    slots = Self.allocateLines(of: Slot.self, 1 << slotBits)
    slots.initialize(repeating: Slot(hash: 0, piece: 0), count: 1 << slotBits)
    for slot in 0..<oldCount where old[slot].piece != 0 { addSlot(old[slot]) }
    old.deallocate()
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
  @inline(__always)
  static func lanes(of piece: UnsafeMutablePointer<Piece>) -> UnsafeMutablePointer<UInt32> {
    UnsafeMutableRawPointer(piece).assumingMemoryBound(to: UInt32.self)
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
