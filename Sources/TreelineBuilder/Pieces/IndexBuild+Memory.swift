import Treeline

#if POSIX
  extension IndexBuild.Options {
    /// Memory of a build in memory, in bytes per point, rounded up. Coordinates and results are included. Of the
    /// columns, only the sections that make them faster are included.
    package var bytesPerPoint: Int {
      let preparations = columns.flatMap(\.preparations)
      let ordering = preparations.isEmpty ? 0 : 16
      return (isMerged ? 240 : 72) + ordering + preparations.reduce(0) { $0 + $1.greatestSize }
    }
  }

  /// The points of a build in memory, in input order.
  struct KeptPoints {
    private(set) var coordinates: [Coordinate] = []
    private(set) var skippedRows: [Int] = []
    private(set) var givenRows: [UInt64] = []
    /// For each point, the number of its group in a `GroupTally`; empty without groups.
    private(set) var groups: [UInt16] = []
    /// For each column, the values of consecutive points; empty until there are values, and after they are encoded.
    private var values: [[ColumnValues]] = []
    /// The codes of all points in a column, and the number of values that are not stored exactly.
    typealias Codes = (bytes: [UInt8], inexactCount: Int)

    /// Codes of the encoded columns, by the number of the column.
    private(set) var codes: [Int: Codes] = [:]
    /// Memory of rows and columns, in bytes.
    private(set) var additionalByteCount = 0

    mutating func append(
      _ coordinates: [Coordinate], _ skipped: [Int], _ given: [UInt64], _ groupNumbers: [UInt16],
      _ values: [ColumnValues]
    ) {
      if self.coordinates.isEmpty { self.coordinates = coordinates } else { self.coordinates += coordinates }
      skippedRows += skipped
      givenRows += given
      groups += groupNumbers
      additionalByteCount += 8 * (skipped.count + given.count)
      if values.isEmpty || coordinates.isEmpty { return }
      precondition(values.allSatisfy { $0.count == coordinates.count }, "Expected a value for each point")
      if self.values.isEmpty { self.values = Array(repeating: [], count: values.count) }
      for (column, values) in values.enumerated() {
        let complete = values.complete()
        self.values[column].append(complete)
        additionalByteCount += complete.memory
      }
    }

    /// Returns the values of a column, for consecutive points.
    func values(ofColumn column: Int) -> [ColumnValues] { values.isEmpty ? [] : values[column] }

    /// The values of all columns, for consecutive points.
    var batches: some Sequence<[ColumnValues]> {
      (0..<(values.first?.count ?? 0)).lazy.map { [values] batch in values.map { $0[batch] } }
    }

    func codes(ofColumn column: Int, by encoding: ColumnEncoding, _ monitor: BuildMonitor) -> Codes {
      var inexactCount = 0
      let length = encoding.width * coordinates.count
      let bytes = [UInt8](unsafeUninitializedCapacity: length) { bytes, count in
        inexactCount = EncodedColumn.encode(
          values(ofColumn: column), encoding, to: UnsafeMutableRawBufferPointer(bytes), monitor)
        count = length
      }
      return (bytes, inexactCount)
    }

    mutating func replaceValues(ofColumn column: Int, by codes: Codes) {
      self.codes[column] = codes
      if !values.isEmpty { values[column] = [] }
    }

    /// Returns the row number of a point. Without given rows, all rows of the input are numbered from 0, and skipped
    /// rows have numbers, too.
    ///
    /// - Complexity: O(log of the number of skipped rows)
    func row(ofPoint point: Int) -> UInt64 {
      if !givenRows.isEmpty { return givenRows[point] }
      // Before the row skippedRows[k], there are skippedRows[k] - k points. This number never decreases as k increases.
      return UInt64(point + firstIndex(in: 0..<skippedRows.count) { skippedRows[$0] - $0 > point })
    }
  }

  extension IndexBuild {
    /// Builds the index of points that are in memory.
    func finish(_ kept: KeptPoints, to destination: IndexDestination) throws(PieceError) {
      // Points are numbered in the order of their rows, so that shuffled rows give the same index.
      let order = state.rowsAscend ? nil : kept.givenRows.indices.sorted { kept.givenRows[$0] < kept.givenRows[$1] }
      let tree = try tree(of: kept, order)
      clippedPointCount = tree.clippedPointCount
      if projection == .planar { onProjection(tree.plane, kept.coordinates[...]) }
      let point = { (treeRow: Int) in order?[treeRow] ?? treeRow }
      let encoded = try encoded(kept, for: tree, point)
      state.inexactCounts = encoded.map(\.inexactCount)
      nonisolated(unsafe) let progress = progress
      do throws(IndexWritingError) {
        try tree.write(
          to: destination, encoded: encoded, description: options.description,
          row: { Int(kept.row(ofPoint: point($0))) }, BuildMonitor(partOf: monitor, pointCount: 0)
        ) { progress(.writing, Int($0), Int($1)) }
      } catch .cancelled { throw .cancelled } catch { throw .writing(error) }
    }

    /// - Parameter order: The points in the order of their rows; nil if they are in this order.
    private func tree(of kept: KeptPoints, _ order: [Int]?) throws(PieceError) -> ClusterTree {
      var groups: PointGroups?
      if let found = state.groups {
        var numbers = order.map { $0.map { kept.groups[$0] } } ?? kept.groups
        numbers.withUnsafeMutableBufferPointer { found.replace($0) }
        groups = PointGroups(names: found.header.names, numbers: numbers.map { UInt32($0) })
      }
      let build = TreeBuild(
        coordinates: order.map { $0.map { kept.coordinates[$0] } } ?? kept.coordinates, projection: projection,
        options: options.tree, groups: groups, monitor: partialMonitor(stepCount: pointCount))
      do throws(BuildFailure) { return try build.run() } catch {
        switch error {
        case .invalid(let error): throw .invalid(error)
        case .cancelled: throw .cancelled
        }
      }
    }

    /// Encodes the columns for a tree.
    ///
    /// - Parameter point: Converts a row of the tree to the number of the point in input order.
    private func encoded(
      _ kept: KeptPoints, for tree: ClusterTree, _ point: (Int) -> Int
    ) throws(PieceError) -> [EncodedColumn] {
      let passCount = preparations.reduce(0) { $0 + 1 + ($1.isEmpty ? 0 : 1 + $1.count) }
      let monitor = partialMonitor(stepCount: passCount * pointCount)
      return try columns.indices.map { column throws(PieceError) in
        let (codes, inexactCount) = kept.codes[columnNumbers[column]] ?? ([], 0)
        var encoded = EncodedColumn(
          columns[column], codes: codes, inexactCount: inexactCount, pointCount: pointCount, monitor
        ) { point(tree.row(atTreeIndex: $0)) }
        // The section has a copy of the dictionary.
        columns[column].freeEntries()
        encoded.prepare(for: preparations[column], pointCount: pointCount, monitor)
        try checkCancelled()
        return encoded
      }
    }

    /// Returns a monitor for a part of the build. It reports progress as this build does.
    private func partialMonitor(stepCount: Int) -> BuildMonitor {
      let pointCount = pointCount
      nonisolated(unsafe) let progress = progress
      return BuildMonitor(partOf: monitor, pointCount: stepCount) { step in
        // A build in memory has no stage with the name `splitting`.
        progress(Stage(rawValue: step.stage.rawValue) ?? .building, Int(step.fraction * Double(pointCount)), pointCount)
      }
    }
  }
#endif
