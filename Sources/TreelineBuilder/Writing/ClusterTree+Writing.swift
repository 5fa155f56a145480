import Treeline

extension ClusterTree {
  /// Writes the tree as an index, which `ClusterTree(index:)` opens at once. It answers by spacing if the tree does.
  ///
  /// - Parameters:
  ///   - path: Where, as ``IndexDestination`` takes it.
  ///   - attributes: The columns to keep for each point, in the order in which they are given back. No two share a
  ///     name.
  ///   - description: What the index tells people of itself.
  ///   - row: The row number to keep for a point, given its row in the tree: the same, unless rows of the input were
  ///     skipped. At least 0 and below 2^32.
  ///   - overwriting: Whether to replace a file that is not an index.
  ///   - progress: Told how many bytes are written, of how many.
  /// - Throws: `IndexWritingError`
  /// - Complexity: O(pointCount)
  public func write(
    index path: String, attributes: [IndexAttribute] = [], description: IndexDescription = IndexDescription(),
    row: ((Int) -> Int)? = nil, overwriting: Bool = false,
    progress: ((_ written: UInt64, _ total: UInt64) -> Void)? = nil
  ) throws(IndexWritingError) {
    try write(
      to: IndexDestination(path, overwriting: overwriting), attributes: attributes, description: description, row: row,
      progress: progress)
  }

  /// Writes the tree as an index to a destination that was reserved before.
  ///
  /// The file appears whole, and on the disk, or not at all: whenever the process dies or the disk is full, an index
  /// that was there before is still there.
  ///
  /// - Parameters:
  ///   - destination: Where.
  ///   - attributes: The columns to keep for each point, in the order in which they are given back. No two share a
  ///     name.
  ///   - description: What the index tells people of itself.
  ///   - row: The row number to keep for a point, given its row in the tree: the same, unless rows of the input were
  ///     skipped. At least 0 and below 2^32.
  ///   - progress: Told how many bytes are written, of how many.
  /// - Throws: `IndexWritingError`
  /// - Precondition: Nothing was written there yet.
  /// - Complexity: O(pointCount)
  public func write(
    to destination: IndexDestination, attributes: [IndexAttribute] = [],
    description: IndexDescription = IndexDescription(), row: ((Int) -> Int)? = nil,
    progress: ((_ written: UInt64, _ total: UInt64) -> Void)? = nil
  ) throws(IndexWritingError) {
    try withStorage { storage throws(IndexWritingError) in
      try write(storage.fixedSections, to: destination.file, attributes, description, row, progress)
    }
  }

  private func write(
    _ fixed: [(kind: IndexSection.Kind, bytes: UnsafeRawBufferPointer)], to file: AtomicFile,
    _ attributes: [IndexAttribute], _ description: IndexDescription, _ row: ((Int) -> Int)?,
    _ progress: ((_ written: UInt64, _ total: UInt64) -> Void)?
  ) throws(IndexWritingError) {
    let maximum =
      IndexHeader.maximumSectionCount - fixed.count - 1 - (description.isEmpty ? 0 : 1) - (badgeCurve == nil ? 0 : 1)
    guard attributes.count <= maximum else { throw .tooManyAttributes(found: attributes.count, maximum: maximum) }
    if let twice = attributes.firstSharedName { throw .attributeTwice(name: twice) }
    let rows = (0..<pointCount).map { UInt32(row?(self.row(atTreeIndex: $0)) ?? self.row(atTreeIndex: $0)) }
    var last = attributes.map { (kind: IndexSection.Kind.attribute, bytes: $0.section(for: self)) }
    if !description.isEmpty { last.append((kind: .description, bytes: description.bytes)) }
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
    let header = IndexHeader(of: self, sections: layout.sections, fileLength: layout.end).bytes
    try header.withUnsafeBufferPointer { header throws(IndexWritingError) in
      try file.write(UnsafeRawBufferPointer(header), at: 0)
    }
    try file.finish()
  }
}

/// Where sections come to lie.
private struct IndexLayout {
  private(set) var sections: [IndexSection] = []
  private(set) var end: UInt64

  init(sectionCount: Int) { end = UInt64(IndexHeader.fixedLength + sectionCount * IndexHeader.entryLength) }

  func fileLength(of lengths: [Int]) -> UInt64 { lengths.reduce(end) { IndexHeader.aligned($0) + UInt64($1) } }

  mutating func add(_ kind: IndexSection.Kind, _ bytes: UnsafeRawBufferPointer) -> IndexSection {
    let section = IndexSection(
      kind: kind, isRequired: kind.isInEveryIndex, offset: IndexHeader.aligned(end), length: UInt64(bytes.count),
      checksum: XXHash64.hash(bytes))
    sections.append(section)
    end = section.offset + section.length
    return section
  }
}
