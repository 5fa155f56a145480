@_spi(Server) import Treeline

#if POSIX
  extension ClusterTree {
    /// Writes the tree as an index. `ClusterTree(contentsOfFile:)` opens an index without building the tree again. If
    /// the tree supports spacings or badges, the index supports them, too.
    ///
    /// The index keeps all columns of the tree, byte for byte. These are the columns with which the tree was opened,
    /// and the columns that were added later; see ``removing(columns:)``. A column in `attributes` or `columns`
    /// replaces the tree's column of the same name.
    ///
    /// - Parameters:
    ///   - path: Path of the index, as in ``IndexDestination``.
    ///   - attributes: Columns to keep for display, with every value exactly as it is written in the input. A point's
    ///     values are returned in the order of these columns, after the values of the tree's own attributes.
    ///   - columns: Typed columns, which come after the attributes. No two columns may have the same name, even if one
    ///     of them is an attribute.
    ///   - description: Texts that describe the index to its users; nil to keep the description of the tree.
    ///   - row: Returns the row number that the index stores for a point, given the point's row in the tree. Row
    ///     numbers are from 0 to 2^53. If `row` is nil, the index stores the row in the tree, which is right if no
    ///     rows of the input were skipped. Values of attributes and columns are always requested by the row in the
    ///     tree.
    ///   - overwriting: Whether to replace a file that is not an index.
    ///   - progress: Called with the number of bytes written and the total number of bytes.
    /// - Throws: `IndexWritingError`, which is `cancelled` if the current task is cancelled.
    /// - Complexity: O(pointCount)
    public func write(
      toFile path: String, attributes: [IndexAttribute] = [], columns: [IndexColumn] = [],
      description: IndexDescription? = nil, row: ((Int) -> Int)? = nil, overwriting: Bool = false,
      progress: ((_ written: UInt64, _ total: UInt64) -> Void)? = nil
    ) throws {
      try write(
        to: IndexDestination(path, overwriting: overwriting), attributes: attributes, columns: columns,
        description: description, row: row, progress: progress)
    }

    /// Writes the tree as an index to a destination that was reserved before.
    ///
    /// The file appears only when it is complete and flushed to the disk. If the process dies or the disk is full, an
    /// existing index at the path is unchanged. Columns of the tree are kept, as in `write(toFile:)`.
    ///
    /// - Parameters:
    ///   - destination: Destination of the index.
    ///   - attributes: Columns to keep for display, with every value exactly as it is written in the input. A point's
    ///     values are returned in the order of these columns, after the values of the tree's own attributes.
    ///   - columns: Typed columns, which come after the attributes. No two columns may have the same name, even if one
    ///     of them is an attribute.
    ///   - description: Texts that describe the index to its users; nil to keep the description of the tree.
    ///   - row: Returns the row number that the index stores for a point, given the point's row in the tree. Row
    ///     numbers are from 0 to 2^53. If `row` is nil, the index stores the row in the tree, which is right if no
    ///     rows of the input were skipped. Values of attributes and columns are always requested by the row in the
    ///     tree.
    ///   - progress: Called with the number of bytes written and the total number of bytes.
    /// - Throws: `IndexWritingError`, which is `cancelled` if the current task is cancelled.
    /// - Precondition: Nothing has been written to the destination yet.
    /// - Complexity: O(pointCount)
    public func write(
      to destination: IndexDestination, attributes: [IndexAttribute] = [], columns: [IndexColumn] = [],
      description: IndexDescription? = nil, row: ((Int) -> Int)? = nil,
      progress: ((_ written: UInt64, _ total: UInt64) -> Void)? = nil
    ) throws {
      // These checks take no time, so they come first.
      let matrixCount = columns.reduce(0) { $0 + $1.preparations.count }
      try check(attributes.map(\.name), columns.map(\.name), matrixCount: matrixCount, description)
      let monitor = BuildMonitor(pointCount: 0, followsTask: true)
      let encoded: [EncodedColumn]
      do throws(ColumnError) {
        let typed = try self.encoded(columns, row: row)
        encoded =
          try attributes.map { attribute throws(ColumnError) in
            try attribute.encoded(for: self, row: row, monitor)
          } + typed
      } catch .cancelled { throw IndexWritingError.cancelled } catch { throw IndexWritingError.column(error) }
      try write(
        to: destination, encoded: encoded, description: description, row: row, monitor, progress: progress)
    }

    /// Writes the tree to a destination, with columns that are encoded already. Attributes come before typed columns.
    func write(
      to destination: IndexDestination, encoded: [EncodedColumn], description: IndexDescription?,
      row: ((Int) -> Int)?, _ monitor: BuildMonitor, progress: ((_ written: UInt64, _ total: UInt64) -> Void)?
    ) throws(IndexWritingError) {
      let (attributes, columns) = (encoded.filter(\.isAttribute), encoded.filter { !$0.isAttribute })
      let matrixCount = columns.reduce(0) { $0 + $1.matrices.count }
      try check(attributes.map(\.name), columns.map(\.name), matrixCount: matrixCount, description)
      try withStorage { storage throws(IndexWritingError) in
        var sections = storage.fixedSections.map { (kind: $0.kind, content: SectionContent.kept($0.bytes)) }
        sections.append(rowSection(row, monitor))
        sections += columnSections(attributes, columns)
        let description = description ?? indexDescription
        if !description.isEmpty { sections.append((.description, .made(description.bytes))) }
        if let groups = storage.groups { sections.append((.groups, .made(groups.bytes))) }
        if let badgeCurve { sections.append((.badgeCurve, .made(badgeCurve.bytes))) }
        try write(sections, to: destination, monitor, progress)
      }
    }

    /// Returns the section of row numbers. Each row number has 4 bytes, or 8 bytes if any row number needs more than 4
    /// bytes.
    private func rowSection(
      _ row: ((Int) -> Int)?, _ monitor: BuildMonitor
    ) -> (kind: IndexSection.Kind, content: SectionContent) {
      var (rows, greatest) = ([UInt64](), 0 as UInt64)
      rows.reserveCapacity(pointCount)
      monitor.valuePass(over: 0..<pointCount) { block in
        for index in block {
          let row = row?(self.row(atTreeIndex: index)) ?? self.row(atTreeIndex: index)
          precondition(0...StoredRows.greatest ~= row, "Expected row numbers from 0 to 2^53, found \(row)")
          rows.append(UInt64(row))
          greatest = max(greatest, UInt64(row))
        }
      }
      var bytes: [UInt8] = []
      let isWide = greatest > UInt32.max
      bytes.reserveCapacity((isWide ? 8 : 4) * rows.count)
      monitor.pass(over: rows.indices) { block in
        for row in rows[block] {
          if isWide { bytes.appendLittleEndian(row) } else { bytes.appendLittleEndian(UInt32(row)) }
        }
      }
      return (isWide ? .wideRows : .rows, .made(bytes))
    }

    /// Returns the sections of attributes, then the sections of typed columns. In both groups of sections, the tree's
    /// own sections come first.
    private func columnSections(
      _ attributes: [EncodedColumn], _ columns: [EncodedColumn]
    ) -> [(kind: IndexSection.Kind, content: SectionContent)] {
      let kept = keptColumns(besides: attributes.map(\.name) + columns.map(\.name))
      let typed = kept.filter { $0.section != nil }
      var sections: [(kind: IndexSection.Kind, content: SectionContent)] = []
      sections += kept.compactMap(\.attribute).map { (.attribute, .kept($0.section)) }
      sections += attributes.map { (.attribute, .made($0.bytes)) }
      sections += typed.compactMap(\.section).map { (.column, .kept($0)) }
      sections += columns.map { (.column, .made($0.bytes)) }
      let matrices = typed.map(\.matrices) + columns.map(\.matrices)
      for (number, ofColumn) in matrices.enumerated() {
        sections += ofColumn.map { ($0.kind, .matrix($0.bytes, ofColumn: number)) }
      }
      return sections
    }

    /// Returns the tree's columns except the columns with the given names. Names are compared by their bytes, like the
    /// entries of a column's dictionary.
    private func keptColumns(besides names: [String]) -> [Column] {
      columns.filter { column in !names.contains { $0.utf8.elementsEqual(column.name.utf8) } }
    }

    /// Checks that an index can hold all columns, and that no two columns have the same name.
    ///
    /// - Parameters:
    ///   - attributes: Names of attributes to write beside the tree's own attributes.
    ///   - columns: Names of typed columns.
    ///   - matrixCount: Number of additional sections of these typed columns.
    private func check(
      _ attributes: [String], _ columns: [String], matrixCount: Int, _ description: IndexDescription?
    ) throws(IndexWritingError) {
      let names = attributes + columns
      let fixedCount = withStorage { $0.fixedSections.count }
      let maximum =
        IndexHeader.maximumSectionCount - fixedCount - 1 - ((description ?? indexDescription).isEmpty ? 0 : 1)
        - (badgeCurve == nil ? 0 : 1) - (isGrouped ? 1 : 0)
      let kept = keptColumns(besides: names)
      let found = names.count + matrixCount + kept.reduce(0) { $0 + 1 + $1.matrices.count }
      guard found <= maximum else { throw .tooManyAttributes(found: found, maximum: maximum) }
      let all = names + kept.map(\.name)
      if let twice = all.firstTwice ?? columns.firstTwice(among: all) { throw .attributeTwice(name: twice) }
    }

    private func write(
      _ sections: [(kind: IndexSection.Kind, content: SectionContent)], to destination: IndexDestination,
      _ monitor: BuildMonitor, _ progress: ((_ written: UInt64, _ total: UInt64) -> Void)?
    ) throws(IndexWritingError) {
      if monitor.isCancelled { throw .cancelled }
      let file = destination.file
      var layout = IndexLayout(sectionCount: sections.count)
      let total = layout.fileLength(of: sections.map(\.content.byteCount))
      try file.setLength(total)
      for (kind, content) in sections {
        try content.withBytes { bytes throws(IndexWritingError) in
          var checksum = XXHash64()
          for block in bytes.indices.blocks(of: BuildMonitor.blockSize) {
            let part = UnsafeRawBufferPointer(rebasing: bytes[block])
            checksum.update(part)
            try file.write(part, at: layout.next + UInt64(block.lowerBound))
            progress?(layout.next + UInt64(block.upperBound), total)
            if monitor.isCancelled { throw .cancelled }
          }
          layout.add(kind, length: UInt64(bytes.count), checksum: checksum.finalize())
        }
      }
      let header = IndexHeader(
        plane: plane, growth: growth, pointCount: pointCount, nodeCount: withStorage(\.nodeCount),
        clippedPointCount: clippedPointCount, contentHash: contentHash, mergeTraits: withStorage(\.mergeTraits),
        sections: layout.sections, fileLength: layout.end)
      try header.bytes.withUnsafeBufferPointer { header throws(IndexWritingError) in
        try file.write(UnsafeRawBufferPointer(header), at: 0)
      }
      try destination.onCompletion(header.checksum)
      try file.finish()
    }
  }

  extension Column {
    /// The additional sections of the column, as in `EncodedColumn`.
    fileprivate var matrices: [(kind: IndexSection.Kind, bytes: [UInt8])] {
      ownSections.map { ($0.kind, Array($0.bytes)) }
    }
  }

  /// The bytes of a section that will be written.
  private enum SectionContent {
    /// Bytes that belong to a tree. The tree must live until these bytes are written.
    case kept(UnsafeRawBufferPointer)
    case made([UInt8])
    /// An additional section of a column. The number of the column is filled in when the section is written.
    case matrix([UInt8], ofColumn: Int)

    var byteCount: Int {
      switch self {
      case .kept(let bytes): bytes.count
      case .made(let bytes), .matrix(let bytes, _): bytes.count
      }
    }

    func withBytes(_ body: (UnsafeRawBufferPointer) throws(IndexWritingError) -> Void) throws(IndexWritingError) {
      func with(_ bytes: [UInt8]) throws(IndexWritingError) {
        try bytes.withUnsafeBufferPointer { bytes throws(IndexWritingError) in try body(UnsafeRawBufferPointer(bytes)) }
      }
      switch self {
      case .kept(let bytes): try body(bytes)
      case .made(let bytes): try with(bytes)
      case .matrix(let bytes, let number): try with(RankedPoints.section(bytes, ofColumn: number))
      }
    }
  }
#endif

/// The offsets and lengths of the sections in an index.
struct IndexLayout {
  private(set) var sections: [IndexSection] = []
  private(set) var end: UInt64

  init(sectionCount: Int) { end = UInt64(IndexHeader.fixedLength + sectionCount * IndexHeader.entryLength) }

  func fileLength(of lengths: [Int]) -> UInt64 { lengths.reduce(end) { IndexHeader.aligned($0) + UInt64($1) } }

  /// Offset at which the next section begins.
  var next: UInt64 { IndexHeader.aligned(end) }

  @discardableResult mutating func add(_ kind: IndexSection.Kind, length: UInt64, checksum: UInt64) -> IndexSection {
    let section = IndexSection(
      kind: kind, isRequired: kind.isRequired, offset: next, length: length, checksum: checksum)
    sections.append(section)
    end = section.offset + section.length
    return section
  }
}
