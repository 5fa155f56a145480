import Treeline

extension ClusterTree {
  /// Writes the tree as an index, which `ClusterTree(index:)` opens at once. It answers by spacing if the tree does.
  ///
  /// - Parameters:
  ///   - path: Where, as ``IndexDestination`` takes it.
  ///   - attributes: The columns to keep for each point exactly as they are written, for display, in the order in
  ///     which they are given back.
  ///   - columns: Typed columns, which come behind them. No two of both share a name. Columns that the tree itself has
  ///     are not kept unless they are given.
  ///   - description: What the index tells people of itself.
  ///   - row: The row number to keep for a point, given its row in the tree: the same, unless rows of the input were
  ///     skipped. At least 0 and below 2^32. Values of attributes and columns are asked for by the row in the tree.
  ///   - overwriting: Whether to replace a file that is not an index.
  ///   - progress: Told how many bytes are written, of how many.
  /// - Throws: `IndexWritingError`
  /// - Complexity: O(pointCount)
  public func write(
    index path: String, attributes: [IndexAttribute] = [], columns: [IndexColumn] = [],
    description: IndexDescription = IndexDescription(), row: ((Int) -> Int)? = nil, overwriting: Bool = false,
    progress: ((_ written: UInt64, _ total: UInt64) -> Void)? = nil
  ) throws(IndexWritingError) {
    try write(
      to: IndexDestination(path, overwriting: overwriting), attributes: attributes, columns: columns,
      description: description, row: row, progress: progress)
  }

  /// Writes the tree as an index to a destination that was reserved before.
  ///
  /// The file appears whole, and on the disk, or not at all: whenever the process dies or the disk is full, an index
  /// that was there before is still there.
  ///
  /// - Parameters:
  ///   - destination: Where.
  ///   - attributes: The columns to keep for each point exactly as they are written, for display, in the order in
  ///     which they are given back.
  ///   - columns: Typed columns, which come behind them. No two of both share a name. Columns that the tree itself has
  ///     are not kept unless they are given.
  ///   - description: What the index tells people of itself.
  ///   - row: The row number to keep for a point, given its row in the tree: the same, unless rows of the input were
  ///     skipped. At least 0 and below 2^32. Values of attributes and columns are asked for by the row in the tree.
  ///   - progress: Told how many bytes are written, of how many.
  /// - Throws: `IndexWritingError`
  /// - Precondition: Nothing was written there yet.
  /// - Complexity: O(pointCount)
  public func write(
    to destination: IndexDestination, attributes: [IndexAttribute] = [], columns: [IndexColumn] = [],
    description: IndexDescription = IndexDescription(), row: ((Int) -> Int)? = nil,
    progress: ((_ written: UInt64, _ total: UInt64) -> Void)? = nil
  ) throws(IndexWritingError) {
    // Of two problems the one that takes no time to find is told.
    try check(
      attributes, columns.map(\.name), matrixCount: columns.reduce(0) { $0 + $1.preparations.count }, description)
    let encoded: [EncodedColumn]
    do throws(ColumnError) { encoded = try self.encoded(columns, row: row) } catch { throw .column(error) }
    try write(
      to: destination, attributes: attributes, encoded: encoded, description: description, row: row, progress: progress)
  }

  /// The same of columns that were encoded before.
  package func write(
    to destination: IndexDestination, attributes: [IndexAttribute], encoded columns: [EncodedColumn],
    description: IndexDescription, row: ((Int) -> Int)?, progress: ((_ written: UInt64, _ total: UInt64) -> Void)?
  ) throws(IndexWritingError) {
    try check(
      attributes, columns.map(\.name), matrixCount: columns.reduce(0) { $0 + $1.matrices.count }, description)
    try withStorage { storage throws(IndexWritingError) in
      try write(storage.fixedSections, to: destination.file, attributes, columns, description, row, progress)
    }
  }

  /// Checks that there is room for all columns, and that no two share a name.
  ///
  /// - Parameter matrixCount: How many sections belong to columns.
  private func check(
    _ attributes: [IndexAttribute], _ columnNames: [String], matrixCount: Int, _ description: IndexDescription
  ) throws(IndexWritingError) {
    let names = attributes.map(\.name) + columnNames
    let fixedCount = withStorage { $0.fixedSections.count }
    let maximum =
      IndexHeader.maximumSectionCount - fixedCount - 1 - (description.isEmpty ? 0 : 1) - (badgeCurve == nil ? 0 : 1)
      - (withStorage(\.groups) == nil ? 0 : 1)
    let found = names.count + matrixCount
    guard found <= maximum else { throw .tooManyAttributes(found: found, maximum: maximum) }
    if let twice = names.firstTwice { throw .attributeTwice(name: twice) }
  }

  private func write(
    _ fixed: [(kind: IndexSection.Kind, bytes: UnsafeRawBufferPointer)], to file: AtomicFile,
    _ attributes: [IndexAttribute], _ columns: [EncodedColumn], _ description: IndexDescription,
    _ row: ((Int) -> Int)?, _ progress: ((_ written: UInt64, _ total: UInt64) -> Void)?
  ) throws(IndexWritingError) {
    let rows = (0..<pointCount).map { UInt32(row?(self.row(atTreeIndex: $0)) ?? self.row(atTreeIndex: $0)) }
    var last = attributes.map { (kind: IndexSection.Kind.attribute, bytes: $0.section(for: self)) }
    last += columns.map { (kind: .column, bytes: $0.bytes) }
    for (number, column) in columns.enumerated() {
      last += column.matrices.map { (kind: $0.kind, bytes: ColumnOrder.section($0.bytes, ofColumn: number)) }
    }
    if !description.isEmpty { last.append((kind: .description, bytes: description.bytes)) }
    if let groups = withStorage(\.groups) { last.append((kind: .groups, bytes: groups.bytes)) }
    if let badgeCurve { last.append((kind: .badgeCurve, bytes: badgeCurve.bytes)) }
    var layout = IndexLayout(sectionCount: fixed.count + 1 + last.count)
    let total = layout.fileLength(of: fixed.map(\.bytes.count) + [4 * pointCount] + last.map(\.bytes.count))
    try file.setLength(total)
    func add(_ kind: IndexSection.Kind, _ bytes: UnsafeRawBufferPointer) throws(IndexWritingError) {
      let section = layout.add(kind, bytes)
      try file.write(bytes, at: section.offset)
      progress?(layout.end, total)
    }
    for (kind, bytes) in fixed { try add(kind, bytes) }
    try rows.withUnsafeBufferPointer { rows throws(IndexWritingError) in try add(.rows, UnsafeRawBufferPointer(rows)) }
    for (kind, bytes) in last {
      try bytes.withUnsafeBufferPointer { bytes throws(IndexWritingError) in
        try add(kind, UnsafeRawBufferPointer(bytes))
      }
    }
    let header = IndexHeader(of: IndexHeader.Content(self), sections: layout.sections, fileLength: layout.end).bytes
    try header.withUnsafeBufferPointer { header throws(IndexWritingError) in
      try file.write(UnsafeRawBufferPointer(header), at: 0)
    }
    try file.finish()
  }
}

/// Where sections come to lie.
struct IndexLayout {
  private(set) var sections: [IndexSection] = []
  private(set) var end: UInt64

  init(sectionCount: Int) { end = UInt64(IndexHeader.fixedLength + sectionCount * IndexHeader.entryLength) }

  func fileLength(of lengths: [Int]) -> UInt64 { lengths.reduce(end) { IndexHeader.aligned($0) + UInt64($1) } }

  /// Where the next section begins.
  var next: UInt64 { IndexHeader.aligned(end) }

  mutating func add(_ kind: IndexSection.Kind, _ bytes: UnsafeRawBufferPointer) -> IndexSection {
    add(kind, length: UInt64(bytes.count), checksum: XXHash64.hash(bytes))
  }

  @discardableResult mutating func add(_ kind: IndexSection.Kind, length: UInt64, checksum: UInt64) -> IndexSection {
    let section = IndexSection(
      kind: kind, isRequired: kind.isRequired, offset: next, length: length, checksum: checksum)
    sections.append(section)
    end = section.offset + section.length
    return section
  }
}
