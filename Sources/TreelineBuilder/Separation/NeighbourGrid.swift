import Treeline

/// The shown nodes, stored by position in a grid over the plane. Only cells that contain nodes are stored, in a hash
/// table.
///
/// A cell is a chain of chunks. Each chunk has 64 bytes, which is one cache line. A chunk holds the positions and the
/// numbers of its nodes, so that distances are computed without reading other data.
struct NeighbourGrid: ~Copyable {
  struct Chunk {
    var x = SIMD4<UInt32>()
    var y = SIMD4<UInt32>()
    /// Numbers of the nodes; `InternalNode.none` for a node that cannot be split.
    var node = SIMD4<UInt32>()
    var column: UInt32
    var row: UInt32
    var count: UInt32 = 0
    /// Number of the next chunk of the cell; 0 for the last chunk. All chunks except the first chunk are full.
    var next: UInt32 = 0

    static let capacity = 4
  }

  let projection: Plane.Projection
  /// Number of columns of cells, and also number of rows. All cells have the same width.
  private(set) var columnCount: UInt64 = 1
  let chunks: UnsafeMutablePointer<Chunk>
  private let chunkCapacity: Int
  /// Number of chunks in use. Chunk 0 is not used, because the number 0 means no chunk.
  private var chunkCount = 1
  private var spareChunk: UInt32 = 0
  private var table: CellTable

  /// - Parameter capacity: Greatest number of nodes at any time.
  init(capacity: Int, _ projection: Plane.Projection, _ monitor: BuildMonitor) {
    self.projection = projection
    // More chunks are allocated than most grids need, because memory that is never written takes no space. The cells
    // rarely need more chunks than there are nodes: see `isExhausted`.
    chunkCapacity = capacity + capacity / 4 + 1024
    chunks = UnsafeMutableRawPointer.allocate(
      byteCount: chunkCapacity * MemoryLayout<Chunk>.stride, alignment: MemoryLayout<Chunk>.stride
    ).bindMemory(to: Chunk.self, capacity: chunkCapacity)
    MemoryBlock(chunks, count: chunkCapacity).adviseLargePages()
    // Chunk 0 is read at the end of every chain, so it must be initialized.
    chunks.initialize(to: Chunk(column: 0, row: 0))
    table = CellTable(monitor)
  }

  deinit { MemoryBlock(chunks, count: chunkCapacity).deallocate() }

  /// Removes all nodes, and divides the plane into cells of a new width.
  ///
  /// - Parameters:
  ///   - count: Number of nodes that will be inserted next.
  ///   - side: Least width of a cell, in plane units.
  mutating func empty(for count: Int, side: Double) {
    columnCount = UInt64(max(0x1p32 / side, 1))
    chunkCount = 1
    spareChunk = 0
    table.empty(for: count)
  }

  /// Whether the unused chunks may be too few for splitting another node. The nodes of a cell are stored in chunks.
  /// Chunks can run out, because a cell that becomes empty keeps one chunk.
  var isExhausted: Bool { chunkCount + 4 > chunkCapacity }
}

// MARK: - Cells

extension NeighbourGrid {
  /// Returns the column of an x coordinate, or the row of a y coordinate.
  @inline(__always) func column(_ coordinate: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: (UInt64(coordinate) &* columnCount) >> 32)
  }

  /// Returns the slot at which the search for a cell begins. This slot may refer to the cell's first chunk, to no
  /// chunk, or to a chunk of another cell.
  @inline(__always) func firstSlot(_ column: UInt32, _ row: UInt32) -> UInt32 {
    table.firstSlot(of: CellTable.hash(column, row))
  }

  @inline(__always) func chunk(inSlot slot: UInt32) -> UInt32 { table[slot].number }

  @inline(__always) func prefetchSlot(_ slot: UInt32) { table.prefetchSlot(slot) }

  /// Returns the first chunk of a cell; nil if the cell has never held a node.
  @inline(__always) func cell(_ column: UInt32, _ row: UInt32) -> UnsafeMutablePointer<Chunk>? {
    let hash = CellTable.hash(column, row)
    var slot = table.firstSlot(of: hash)
    while true {
      let found = table[slot]
      if found.number == 0 { return nil }
      if found.hash == hash {
        let chunk = chunks + Int(found.number)
        if chunk.pointee.column == column && chunk.pointee.row == row { return chunk }
      }
      slot = table.nextSlot(slot)
    }
  }

  @inline(__always) private mutating func makeCell(_ column: UInt32, _ row: UInt32) -> UnsafeMutablePointer<Chunk> {
    if let cell = cell(column, row) { return cell }
    let chunk = newChunk()
    (chunks + Int(chunk)).initialize(to: Chunk(column: column, row: row))
    table.add(CellTable.hash(column, row), chunk)
    return chunks + Int(chunk)
  }

  private mutating func newChunk() -> UInt32 {
    if spareChunk != 0 {
      defer { spareChunk = chunks[Int(spareChunk)].next }
      return spareChunk
    }
    defer { chunkCount += 1 }
    return UInt32(truncatingIfNeeded: chunkCount)
  }
}

// MARK: - Nodes

extension NeighbourGrid {
  @inline(__always) mutating func insert(_ position: PlanePoint, _ node: UInt32) {
    let cell = makeCell(column(position.x), column(position.y))
    if cell.pointee.count == Chunk.capacity {
      // The nodes of the full first chunk move to a new chunk, which becomes the second chunk. Then the first chunk has
      // room again.
      let chunk = newChunk()
      (chunks + Int(chunk)).initialize(to: cell.pointee)
      cell.pointee.next = chunk
      cell.pointee.count = 0
    }
    Self.set(cell, Int(cell.pointee.count), position, node)
    cell.pointee.count &+= 1
  }

  /// Replaces a node by its two children.
  @inline(__always) mutating func replace(_ number: UInt32, at position: PlanePoint, by node: InternalNode) {
    let (column, row) = (column(position.x), column(position.y))
    let (cell, chunk, lane) = find(number, column, row)
    // Most often, one of the two children is in the same cell as the node.
    if self.column(node.left.x) == column && self.column(node.left.y) == row {
      Self.set(chunk, lane, node.left, node.leftNode)
      insert(node.right, node.rightNode)
    } else if self.column(node.right.x) == column && self.column(node.right.y) == row {
      Self.set(chunk, lane, node.right, node.rightNode)
      insert(node.left, node.leftNode)
    } else {
      remove(from: cell, chunk, lane)
      insert(node.left, node.leftNode)
      insert(node.right, node.rightNode)
    }
  }

  mutating func remove(_ number: UInt32, at position: PlanePoint) {
    let (cell, chunk, lane) = find(number, column(position.x), column(position.y))
    remove(from: cell, chunk, lane)
  }

  /// Returns the place where a node is stored: the cell, the chunk in the cell, and the lane in the chunk.
  @inline(__always) private func find(_ node: UInt32, _ column: UInt32, _ row: UInt32) -> (
    cell: UnsafeMutablePointer<Chunk>, chunk: UnsafeMutablePointer<Chunk>, lane: Int
  ) {
    let cell = cell(column, row)!
    var chunk = cell
    while true {
      for lane in 0..<Int(chunk.pointee.count) where Self.lanes(of: chunk)[8 &+ lane] == node {
        return (cell, chunk, lane)
      }
      precondition(chunk.pointee.next != 0, "A shown node is not in its cell")
      chunk = chunks + Int(chunk.pointee.next)
    }
  }

  private mutating func remove(
    from cell: UnsafeMutablePointer<Chunk>, _ chunk: UnsafeMutablePointer<Chunk>, _ lane: Int
  ) {
    // The last node of the first chunk replaces the removed node.
    let last = Int(cell.pointee.count) - 1
    let lanes = Self.lanes(of: cell)
    Self.set(chunk, lane, PlanePoint(x: lanes[last], y: lanes[4 + last]), lanes[8 + last])
    cell.pointee.count -= 1
    let next = cell.pointee.next
    if cell.pointee.count == 0 && next != 0 {
      cell.pointee = chunks[Int(next)]
      chunks[Int(next)].next = spareChunk
      spareChunk = next
    }
  }

  /// The numbers in a chunk: four x coordinates, then four y coordinates, then four node numbers.
  struct Lanes {
    fileprivate let start: UnsafeMutableRawPointer

    @inline(__always) subscript(lane: Int) -> UInt32 {
      get { start.load(fromByteOffset: lane &* 4, as: UInt32.self) }
      nonmutating set { start.storeBytes(of: newValue, toByteOffset: lane &* 4, as: UInt32.self) }
    }
  }

  @inline(__always) static func lanes(of chunk: UnsafeMutablePointer<Chunk>) -> Lanes {
    Lanes(start: UnsafeMutableRawPointer(chunk))
  }

  @inline(__always) private static func set(
    _ chunk: UnsafeMutablePointer<Chunk>, _ lane: Int, _ position: PlanePoint, _ node: UInt32
  ) {
    let lanes = lanes(of: chunk)
    lanes[lane] = position.x
    lanes[4 &+ lane] = position.y
    lanes[8 &+ lane] = node
  }
}
