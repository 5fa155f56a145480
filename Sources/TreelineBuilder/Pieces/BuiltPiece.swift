import Treeline

/// A complete piece of a tree. Contains the points in tree order, the codes of the points' columns, and the nodes
/// above the points.
public struct BuiltPiece: Sendable {
  private(set) var header: PieceHeader
  /// The subtree of the piece; nil for a piece of a merged tree.
  private let storage: TreeStorage?
  private let rows: PieceMemory
  private let codes: [PieceMemory]

  /// Passes the bytes of the piece to `write` in order, in parts of any length.
  public func write<Failure>(_ write: (UnsafeRawBufferPointer) throws(Failure) -> Void) throws(Failure) {
    let header = UnsafeMutableRawBufferPointer.allocate(byteCount: PieceHeader.length, alignment: 8)
    defer { header.deallocate() }
    header.storeBytes(of: self.header, as: PieceHeader.self)
    try write(UnsafeRawBufferPointer(header))
    for part in PiecePart.allCases { try write(bytes(of: part, as: self.header)) }
    for code in codes { try write(UnsafeRawBufferPointer(code.bytes)) }
    let checksums = codes.map { XXHash64.hash(UnsafeRawBufferPointer($0.bytes)) }
    try checksums.withUnsafeBufferPointer { bytes throws(Failure) in try write(UnsafeRawBufferPointer(bytes)) }
    withExtendedLifetime(storage) {}
  }

  /// The bytes of the piece. Each point takes about 19 bytes, plus the length of its codes.
  public var bytes: [UInt8] {
    var all: [UInt8] = []
    write { all.append(contentsOf: $0) }
    return all
  }

  /// - Parameter ranks: For each tree index, the rank of the point in the order of rows.
  init(
    _ task: PieceTask, _ storage: TreeStorage?, root: NodeRecord, _ given: PieceRows, by ranks: UnsafePointer<UInt32>,
    threads: Int, _ monitor: BuildMonitor
  ) {
    (rows, codes) = given.laidOut(by: ranks, threads: threads, monitor)
    self.storage = storage
    var header = PieceHeader(
      of: task, recordCount: storage?.nodeCount ?? 0, root: root, codeLength: given.layout.length)
    header.hasWideRows = rows.bytes.count > 4 * task.pointCount
    self.header = header
    for part in PiecePart.allCases { header[part] = monitor.checksum(bytes(of: part, as: header)) }
    header.seal()
    self.header = header
  }

  private func bytes(of part: PiecePart, as header: PieceHeader) -> UnsafeRawBufferPointer {
    let start: UnsafeRawPointer? =
      switch part {
      case .points: storage.map { UnsafeRawPointer($0.points) }
      case .sums: storage.map { UnsafeRawPointer($0.sums) }
      case .rows: UnsafeRawPointer(rows.bytes.baseAddress)
      case .nodes: storage.map { UnsafeRawPointer($0.nodes + 1) }
      case .spreads: storage.map { UnsafeRawPointer($0.spreads) }
      case .gaps: storage.map { UnsafeRawPointer($0.gaps) }
      }
    return UnsafeRawBufferPointer(start: start, count: header.length(of: part))
  }
}

extension PieceTask {
  /// Builds the piece.
  ///
  /// - Parameters:
  ///   - points: All points that the plan assigns to this piece, in any order, as positions on the survey's plane. In
  ///     a merged tree, as places.
  ///   - rows: The row of each point, from 0 to 2^53. No two points have the same row. Points at one position are
  ///     stored in the order of their rows.
  ///   - columns: Columns of the index, in their order in the index.
  ///   - codes: Codes of all columns for each point, written by `ColumnEncoding.encode`. Points are in the order of
  ///     `points`. The codes of one point, column by column, are adjacent.
  ///   - threads: Number of threads, 1 or more.
  /// - Throws: `PieceError.damaged` if the points are not the points that the plan assigns to this piece.
  /// - Complexity: O(*n* log *n*) time. Takes 50 bytes of memory per point, plus twice the length of the point's codes.
  public func build(
    _ points: [PlanePoint], rows: [Int], columns: [ColumnEncoding] = [], codes: [UInt8] = [], threads: Int = 1
  ) throws -> BuiltPiece {
    precondition(points.count == rows.count, "Expected a row for each point")
    precondition(threads >= 1, "Expected at least one thread, found \(threads)")
    let layout = CodeLayout(columns)
    precondition(codes.count == layout.length * points.count, "Expected codes of all columns for each point")
    guard points.count == pointCount else {
      throw PieceError.damaged(what: "piece \(number)", expected: "\(pointCount) points", found: "\(points.count)")
    }
    return try build(layout, threads: threads, BuildMonitor(pointCount: pointCount)) { input throws(PieceError) in
      for index in points.indices {
        guard let row = UInt64(exactly: rows[index]), row <= StoredRows.greatest else { throw .rowOutOfRange }
        (input.points[index], input.rows[index]) = (points[index], row)
      }
      input.codes.copyBytes(from: codes)
    }
  }

  /// Checks that the points are the points for which the piece was planned.
  private func check(_ points: UnsafeBufferPointer<PlanePoint>) throws(PieceError) {
    let found = PointExtent(of: points)
    guard found == extent else {
      throw .damaged(
        what: "piece \(number)",
        expected: "the \(pointCount) points that the plan assigns to this piece, with \(extent.box.text)",
        found: "other points, with \(found.box.text)")
    }
  }

  /// Builds the piece.
  ///
  /// - Parameter fill: Writes the points of the piece in any order, with their rows and codes.
  func build(
    _ layout: CodeLayout, threads: Int, _ monitor: BuildMonitor,
    filledBy fill: (PieceInput) throws(PieceError) -> Void
  ) throws(PieceError) -> BuiltPiece {
    guard let rule else { return try buildFromPlaces(layout, threads: threads, monitor, filledBy: fill) }
    let memory = BuildMemory(pointCount: pointCount, monitor)
    var rows = PieceRows(pointCount: pointCount, layout)
    do throws(PieceError) {
      try fill(rows.input(memory.arrays.points))
      try check(UnsafeBufferPointer(start: memory.arrays.points, count: pointCount))
      if let row = rows.sort(memory.arrays.points, spare: memory.arrays.sparePoints, monitor) {
        throw .rowTwice(row: Int(row))
      }
    } catch {
      memory.deallocate()
      throw error
    }
    // Instead of row numbers, the builder gets the rank of each point in the order of rows, from 0.
    for index in 0..<pointCount { memory.arrays.rows[index] = UInt32(index) }
    do throws(BuildFailure) {
      let top: TopNode
      do throws(BuildFailure) {
        top = try SplitBuild(
          rule: rule, principalLevels: TreeStorage.principalLevels, threads: threads, monitor: monitor
        ).split(memory, root)
      } catch {
        memory.deallocate()
        throw error
      }
      let storage = try memory.finish(top, threads: threads, monitor)
      let piece = BuiltPiece(
        self, storage, root: storage.nodes[0], rows, by: memory.arrays.rows, threads: threads, monitor)
      if monitor.isCancelled { throw .cancelled }
      return piece
    } catch .invalid(let error) { throw .invalid(error) } catch { throw .cancelled }
  }

  /// Builds a piece of a merged tree. The piece has only the rows and codes of its points, in tree order.
  private func buildFromPlaces(
    _ layout: CodeLayout, threads: Int, _ monitor: BuildMonitor,
    filledBy fill: (PieceInput) throws(PieceError) -> Void
  ) throws(PieceError) -> BuiltPiece {
    let count = pointCount
    let places = UnsafeMutablePointer<PlanePoint>.allocate(capacity: 2 * count)
    let ranks = UnsafeMutablePointer<UInt32>.allocate(capacity: count)
    ranks.initialize(repeating: .max, count: count)
    defer {
      places.deallocate()
      ranks.deallocate()
    }
    var rows = PieceRows(pointCount: count, layout)
    try fill(rows.input(places))
    if let row = rows.sort(places, spare: places + count, monitor) { throw .rowTwice(row: Int(row)) }
    if monitor.isCancelled { throw .cancelled }
    for rank in 0..<count {
      let place = Int(places[rank].x) - first
      guard 0..<count ~= place, ranks[place] == .max else {
        throw .damaged(
          what: "piece \(number)", expected: "each place from \(first) to \(end - 1) once",
          found: "\(places[rank].x)")
      }
      ranks[place] = UInt32(rank)
    }
    let root = NodeRecord(box: extent.box, count: UInt32(count), childOffset: 0)
    let piece = BuiltPiece(self, nil, root: root, rows, by: ranks, threads: threads, monitor)
    if monitor.isCancelled { throw .cancelled }
    return piece
  }
}
