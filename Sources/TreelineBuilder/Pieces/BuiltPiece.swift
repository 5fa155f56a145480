import Treeline

/// A piece of a tree, whole in itself: its points in tree order and the nodes over them.
public struct BuiltPiece: Sendable {
  let header: PieceHeader
  private let storage: TreeStorage

  /// Hands out the bytes of the piece, from the first to the last, in parts of any length.
  public func write<Failure>(_ write: (UnsafeRawBufferPointer) throws(Failure) -> Void) throws(Failure) {
    let header = UnsafeMutableRawBufferPointer.allocate(byteCount: PieceHeader.length, alignment: 8)
    defer { header.deallocate() }
    header.storeBytes(of: self.header, as: PieceHeader.self)
    try write(UnsafeRawBufferPointer(header))
    for part in PiecePart.allCases { try write(bytes(of: part)) }
    withExtendedLifetime(storage) {}
  }

  /// The bytes of the piece: about 19 for each point.
  public var bytes: [UInt8] {
    var all: [UInt8] = []
    write { all.append(contentsOf: $0) }
    return all
  }

  private func bytes(of part: PiecePart) -> UnsafeRawBufferPointer { storage.bytes(of: part, as: header) }

  fileprivate init(_ task: PieceTask, _ storage: TreeStorage) {
    var header = PieceHeader(
      number: task.number, pointCount: storage.pointCount, recordCount: storage.nodeCount, root: storage.nodes[0])
    for part in PiecePart.allCases { header[part] = XXHash64.hash(storage.bytes(of: part, as: header)) }
    header.seal()
    (self.header, self.storage) = (header, storage)
  }
}

extension TreeStorage {
  /// A part of the piece that these arrays are.
  fileprivate func bytes(of part: PiecePart, as header: PieceHeader) -> UnsafeRawBufferPointer {
    let start: UnsafeRawPointer =
      switch part {
      case .points: UnsafeRawPointer(points)
      case .sums: UnsafeRawPointer(sums)
      case .rows: UnsafeRawPointer(rows)
      case .nodes: UnsafeRawPointer(nodes + 1)
      case .spreads: UnsafeRawPointer(spreads)
      case .gaps: UnsafeRawPointer(gaps)
      }
    return UnsafeRawBufferPointer(start: start, count: header.length(of: part))
  }
}

extension PieceTask {
  /// Builds the piece.
  ///
  /// - Parameters:
  ///   - points: All that the plan leads to this piece, in any order, measured on the survey's plane.
  ///   - rows: The row of each, which no two share: from 0 to below 2^32. Points of one position lie in their order.
  ///   - threads: 1 or more.
  /// - Throws: `PieceError.damaged` for other points than were planned with.
  /// - Complexity: O(*n* log *n*), in 45 bytes of memory a point.
  public func build(_ points: [PlanePoint], rows: [Int], threads: Int = 1) throws(PieceError) -> BuiltPiece {
    precondition(points.count == rows.count, "Expected a row for each point")
    precondition(threads >= 1, "Expected at least one thread, found \(threads)")
    guard points.count == pointCount else {
      throw .damaged(what: "piece \(number)", expected: "\(pointCount) points", found: "\(points.count)")
    }
    return try build(threads: threads) { ownPoints, ownRows throws(PieceError) in
      for index in points.indices {
        guard let row = UInt32(exactly: rows[index]) else { throw .tooManyRows }
        (ownPoints[index], ownRows[index]) = (points[index], row)
      }
    }
  }

  /// Builds the piece.
  ///
  /// - Parameters:
  ///   - threads: 1 or more.
  ///   - fill: Writes the points of the piece and their rows, in any order: they are sorted by rows.
  /// - Complexity: about 45 bytes a point of memory.
  package func build(
    threads: Int,
    filledBy fill: (UnsafeMutableBufferPointer<PlanePoint>, UnsafeMutableBufferPointer<UInt32>) throws(PieceError) ->
      Void
  ) throws(PieceError) -> BuiltPiece {
    try build(threads: threads, BuildMonitor(pointCount: pointCount), filledBy: fill)
  }

  func build(
    threads: Int, _ monitor: BuildMonitor,
    filledBy fill: (UnsafeMutableBufferPointer<PlanePoint>, UnsafeMutableBufferPointer<UInt32>) throws(PieceError) ->
      Void
  ) throws(PieceError) -> BuiltPiece {
    let memory = BuildMemory(pointCount: pointCount)
    do throws(PieceError) {
      let points = UnsafeMutableBufferPointer(start: memory.arrays.points, count: pointCount)
      let rows = UnsafeMutableBufferPointer(start: memory.arrays.rows, count: pointCount)
      try fill(points, rows)
      try memory.arrays.sortByRows(pointCount, ofPiece: number)
    } catch {
      memory.deallocate()
      throw error
    }
    do throws(BuildFailure) {
      let top: TopNode
      do throws(BuildFailure) {
        top = try Splitting(
          rule: rule, principalLevels: TreeStorage.principalLevels, threads: threads, monitor: monitor
        ).split(memory, root)
      } catch {
        memory.deallocate()
        throw error
      }
      return BuiltPiece(
        self, try memory.finish(top, nil, threads: threads, monitor) { _ throws(BuildFailure) in nil })
    } catch .invalid(let error) { throw .invalid(error) } catch { throw .cancelled }
  }
}

extension PointArrays {
  /// Puts points into the order of their rows, in which equal ones stay.
  fileprivate func sortByRows(_ count: Int, ofPiece number: Int) throws(PieceError) {
    if (1..<max(count, 1)).allSatisfy({ rows[$0 - 1] < rows[$0] }) { return }
    let order = (0..<count).sorted { rows[$0] < rows[$1] }
    for index in 0..<count { (sparePoints[index], spareRows[index]) = (points[order[index]], rows[order[index]]) }
    points.update(from: sparePoints, count: count)
    rows.update(from: spareRows, count: count)
    if let index = (1..<count).first(where: { rows[$0 - 1] == rows[$0] }) {
      throw .damaged(what: "piece \(number)", expected: "row numbers that differ", found: "\(rows[index]) twice")
    }
  }
}
