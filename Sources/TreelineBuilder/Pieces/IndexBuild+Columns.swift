import Treeline

#if POSIX
  extension IndexBuild {
    /// Greatest total length of the dictionaries of all columns of a build in pieces, in bytes: an eighth of the
    /// memory, but at least 1 MB.
    private var mostDictionaryMemory: Int { max(options.memory / 8, 1 << 20) }

    /// Chooses the encoding of each column, once all values are surveyed.
    ///
    /// - Parameter arranged: The number and name of each column, in the order of the index.
    func encodeColumns(arranged: [(column: Int, name: String)]) throws(PieceError) {
      if let (name, value) = firstProblem {
        throw .column(value.error(column: name, row: try row(ofPoint: value.point)))
      }
      var used = 0
      columnNumbers = Array(surveys.indices)
      columns = []
      while columns.count < arranged.count {
        let group = columns.count..<columns.count + columnsAtOnce(arranged.dropFirst(columns.count).map(\.column))
        nonisolated(unsafe) let build = self
        let found = concurrentResults(group.count) { [used] number in
          Result { () throws(PieceError) in try build.encode(arranged[group.lowerBound + number], besides: used) }
        }
        for (number, result) in zip(group, found) {
          var encoded = try result.get()
          if let codes = encoded.codes {
            kept?.replaceValues(ofColumn: arranged[number].column, by: codes)
            encoded.encoding.freeTable()
          }
          columns.append(encoded.encoding)
          used += encoded.dictionaryMemory
        }
        try checkCancelled()
      }
      columnNumbers = arranged.map(\.column)
      preparations = columnNumbers.map { options.columns[$0].preparations }
    }

    /// Returns how many of some columns, from the first, are encoded at the same time. A column takes about as much
    /// memory again while it is encoded. So the columns after the first may take only an eighth of the memory. In
    /// pieces, each dictionary may take the memory that the dictionaries before it leave.
    private func columnsAtOnce(_ columns: [Int]) -> Int {
      guard let kept else { return 1 }
      var (count, room) = (1, options.memory / 8)
      for column in columns.dropFirst().prefix(options.threads - 1) {
        room -= kept.values(ofColumn: column).reduce(0) { $0 + $1.memory }
        if room < 0 { break }
        count += 1
      }
      return count
    }

    /// A column with its encoding.
    private struct EncodedValues {
      var encoding: ColumnEncoding
      /// The codes of all points; nil if the build is in pieces.
      let codes: KeptPoints.Codes?
      /// Memory of a dictionary that was gathered, in bytes.
      let dictionaryMemory: Int
    }

    /// - Parameter used: Memory of the dictionaries of other columns, in bytes.
    private func encode(
      _ arranged: (column: Int, name: String), besides used: Int
    ) throws(PieceError) -> EncodedValues {
      let survey = surveys[arranged.column].named(arranged.name)
      let isLong = try suitable(survey) { () throws(UnsuitableValue) in try survey.hasLongDictionary() }
      let gathered = isLong ? try gather(arranged.column, survey, besides: used) : nil
      let encoding = try suitable(survey) { () throws(UnsuitableValue) in
        try survey.foundEncoding(gathered: gathered, monitor)
      }
      return EncodedValues(
        encoding: encoding, codes: kept?.codes(ofColumn: arranged.column, by: encoding, monitor),
        dictionaryMemory: gathered?.memory ?? 0)
    }

    /// Saves the encodings of the columns, so that a later run can continue the build.
    func saveColumns() throws(PieceError) {
      var bytes = PlainBytes([])
      bytes.append(columns)
      bytes.append(columnNumbers.map { UInt64($0) })
      for kind in IndexColumn.Preparation.allCases {
        bytes.append(preparations.map { $0.contains(kind) ? 1 : 0 as UInt8 })
      }
      bytes.append(bytes.all.withUnsafeBytes { XXHash64.hash($0) })
      let file = try folder.file(.columns)
      try file.setLength(0)
      try bytes.all.withUnsafeBufferPointer { bytes throws(PieceError) in try file.write(bytes, at: 0) }
      try file.synchronize()
    }

    /// Calls a function that may throw an error about an unsuitable value. Adds the row of the value to the error.
    private func suitable<Result>(
      _ survey: ColumnSurvey, _ decide: () throws(UnsuitableValue) -> Result
    ) throws(PieceError) -> Result {
      let found: UnsuitableValue
      do throws(UnsuitableValue) { return try decide() } catch { found = error }
      throw .column(found.error(column: survey.name, row: try row(ofPoint: found.point)))
    }

    /// Gathers all different values of a column.
    private func gather(_ column: Int, _ survey: ColumnSurvey, besides used: Int) throws(PieceError) -> ColumnEntries {
      var entries = ColumnEntries()
      if let kept {
        for values in kept.values(ofColumn: column) {
          try checkCancelled()
          entries.add(values, of: survey)
        }
        return entries
      }
      let values = try ScratchValues(reading: self)
      for batch in values.batches.indices {
        try checkCancelled()
        progress(.encoding, Int(values.batches[batch].firstPoint), pointCount)
        entries.add(try values.read(batch: batch, column: column), of: survey)
        guard used + entries.memory <= mostDictionaryMemory else {
          throw .unsupported(
            what: "Column \(survey.name.debugDescription)",
            reason: "its distinct texts need more than the \(mostDictionaryMemory) bytes that are available",
            remedy: "leave the column out or allow more memory")
        }
      }
      return entries
    }

    /// Reads the column encodings that an earlier run has chosen.
    func readColumns() throws(PieceError) {
      let file = try folder.file(.columns)
      var all = [UInt8](repeating: 0, count: file.length)
      try all.withUnsafeMutableBufferPointer { bytes throws(PieceError) in try file.read(bytes, at: 0) }
      let damaged = PieceError.damaged(what: file.path, expected: "the columns that were encoded", found: "other bytes")
      guard all.count >= 8 else { throw damaged }
      let hash = all.dropLast(8).withUnsafeBytes { XXHash64.hash($0) }
      guard all.suffix(8).withUnsafeBytes({ $0.loadUnaligned(as: UInt64.self) }) == hash else { throw damaged }
      var bytes = PlainBytes(Array(all.dropLast(8)))
      columns = try bytes.readValues()
      columnNumbers = try bytes.readArray(of: UInt64.self).map { Int(clamping: $0) }
      preparations = columns.map { _ in [] }
      for kind in IndexColumn.Preparation.allCases {
        let marks: [UInt8] = try bytes.readArray()
        guard marks.count == columns.count else { throw damaged }
        for column in marks.indices where marks[column] != 0 { preparations[column].insert(kind) }
      }
      guard bytes.isAtEnd, columnNumbers.sorted() == Array(columns.indices) else { throw damaged }
    }

    /// Length of the columns' values in the scratch folder, in bytes.
    var valueLength: Int { (try? folder.file(.values).length) ?? 0 }
  }

  /// A file with the values of all columns as they were read. The file consists of batches of points. Each batch
  /// contains the values of its points, column by column.
  struct ScratchValues {
    /// Consecutive points whose values were added in one call.
    struct Batch: BitwiseCopyable {
      let firstPoint: UInt64
      let endPoint: UInt64
      /// Offset of the batch in the file.
      let start: UInt64
      /// Length of the batch in bytes.
      let length: UInt64
      let checksum: UInt64
    }

    private let file: ScratchFile
    private let endFile: ScratchFile
    /// Checksum of everything that was written to `endFile`.
    private var endChecksum = XXHash64()
    /// Position of each column's values in a batch. The columns are in the order of the index.
    private let columnNumbers: [Int]
    private(set) var batches: [Batch] = []

    init(writingTo folder: ScratchFolder) throws(PieceError) {
      (file, endFile, columnNumbers) = (try folder.file(.values), try folder.file(.valueEnds), [])
      try file.setLength(0)
      try endFile.setLength(0)
    }

    /// Opens the file that holds a build's values, in order to read them.
    ///
    /// - Throws: `PieceError.damaged` if the file does not have values for all points.
    init(reading build: IndexBuild) throws(PieceError) {
      (file, endFile) = (try build.folder.file(.values), try build.folder.file(.valueEnds))
      columnNumbers = build.columnNumbers
      if columnNumbers.isEmpty { return }
      let none = Batch(firstPoint: 0, endPoint: 0, start: 0, length: 0, checksum: 0)
      batches = Array(repeating: none, count: endFile.length / MemoryLayout<Batch>.stride)
      try batches.withUnsafeMutableBufferPointer { batches throws(PieceError) in try endFile.read(batches, at: 0) }
      var (point, end): (UInt64, UInt64) = (0, 0)
      for batch in batches {
        guard batch.firstPoint == point, batch.endPoint > point, batch.start == end, batch.length < 1 << 40 else {
          throw damaged
        }
        (point, end) = (batch.endPoint, batch.start + batch.length)
      }
      guard point == UInt64(build.pointCount), file.length == Int(end) else { throw damaged }
    }

    private var damaged: PieceError {
      .damaged(what: file.path, expected: "the unchanged values of all points", found: "other values")
    }

    mutating func append(_ values: [ColumnValues], pointCount: Int) throws(PieceError) {
      if values.isEmpty || pointCount == 0 { return }
      precondition(values.allSatisfy { $0.count == pointCount }, "Expected a value for each point")
      var bytes = PlainBytes([])
      for column in values { bytes.append(column.bytes) }
      let last = batches.last
      let batch = Batch(
        firstPoint: last?.endPoint ?? 0, endPoint: (last?.endPoint ?? 0) + UInt64(pointCount),
        start: last.map { $0.start + $0.length } ?? 0, length: UInt64(bytes.all.count),
        checksum: bytes.all.withUnsafeBytes { XXHash64.hash($0) })
      try bytes.all.withUnsafeBufferPointer { bytes throws(PieceError) in try file.write(bytes, at: Int(batch.start)) }
      try [batch].withUnsafeBufferPointer { batch throws(PieceError) in
        try endFile.write(batch, at: batches.count)
        endChecksum.update(UnsafeRawBufferPointer(batch))
      }
      batches.append(batch)
    }

    /// Flushes all values to the disk. The saved state of the build may refer only to flushed values.
    ///
    /// - Returns: the checksum of the file that lists where each batch ends. The values of each batch have a separate
    ///   checksum.
    func finish() throws(PieceError) -> FileChecksum {
      try file.synchronize()
      try endFile.synchronize()
      return FileChecksum(
        name: ScratchFolder.Name.valueEnds.rawValue, length: UInt64(batches.count * MemoryLayout<Batch>.stride),
        checksum: endChecksum.finalize())
    }

    /// Checks a batch.
    ///
    /// - Throws: `PieceError.damaged` if the values of the batch have changed since they were written.
    func check(batch number: Int) throws(PieceError) { _ = try bytes(ofBatch: number) }

    /// Returns the values of all columns of a batch.
    func read(batch number: Int) throws(PieceError) -> [ColumnValues] {
      let columns = try columns(ofBatch: number)
      return try columns.map { column throws(PieceError) in try ColumnValues(plainBytes: column) }
    }

    /// Returns the values of one column of a batch.
    func read(batch number: Int, column: Int) throws(PieceError) -> ColumnValues {
      try ColumnValues(plainBytes: try columns(ofBatch: number)[column])
    }

    private func bytes(ofBatch number: Int) throws(PieceError) -> [UInt8] {
      let batch = batches[number]
      var all = [UInt8](repeating: 0, count: Int(batch.length))
      try all.withUnsafeMutableBufferPointer { bytes throws(PieceError) in try file.read(bytes, at: Int(batch.start)) }
      guard all.withUnsafeBytes({ XXHash64.hash($0) }) == batch.checksum else { throw damaged }
      return all
    }

    private func columns(ofBatch number: Int) throws(PieceError) -> [[UInt8]] {
      var bytes = PlainBytes(try bytes(ofBatch: number))
      var columns: [[UInt8]] = []
      for _ in columnNumbers { columns.append(try bytes.readArray()) }
      return columnNumbers.map { columns[$0] }
    }
  }
#endif
