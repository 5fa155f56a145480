extension ClusterTree {
  /// Opens an index by mapping it into memory.
  ///
  /// Looks at the header, the section table and the names of attributes only and copies nothing but these, so it takes
  /// as long for a hundred points as for a hundred million. What the sections hold is checked where a query touches
  /// it; `ClusterTree.problems(ofIndex:)` of the module `TreelineVerification` checks all of it.
  ///
  /// - Parameter path: `-` is standard input, where that is a file.
  /// - Throws: `IndexError`
  /// - Complexity: O(sections)
  public init(index path: String) throws(IndexError) {
    let file = try MappedFile(path: path)
    try self.init(bytes: file.bytes, name: path, keeping: file)
  }

  /// Reads an index that lies in memory, aligned to 8 bytes.
  ///
  /// - Parameters:
  ///   - name: What to call it in errors.
  ///   - owner: Whatever keeps the bytes where they are.
  package init(bytes: UnsafeRawBufferPointer, name: String, keeping owner: any AnyObject & Sendable) throws(IndexError)
  {
    let header = try IndexHeader(bytes, name: name)
    let file = NamedBytes(bytes: bytes, name: name)
    let sections = try SectionsByKind(header, file)
    let attributes = try header.sections.filter { $0.kind == .attribute }.map { section throws(IndexError) in
      try AttributeColumn(section, in: file, pointCount: header.pointCount)
    }
    let pairs = TreeStorage.pairCount(ofNodes: header.nodeCount)
    self.init(
      storage: TreeStorage(
        points: try sections.start(of: .points, count: header.pointCount, as: PlanePoint.self),
        rows: try sections.start(of: .rows, count: header.pointCount, as: UInt32.self), pointCount: header.pointCount,
        gaps: try sections.start(of: .gaps, count: (header.pointCount + 1) / 2, as: UInt8.self),
        nodes: try sections.start(of: .nodes, count: header.nodeCount, as: NodeRecord.self),
        nodeCount: header.nodeCount, sums: try sections.start(of: .sums, count: pairs, as: NodeSums.self),
        spreads: try sections.start(of: .spreads, count: pairs, as: NodeSpread.self),
        separations: sections.has(.separations)
          ? try sections.start(of: .separations, count: header.pointCount, as: UInt16.self) : nil, name: name,
        nodesOffset: sections.offset(of: .nodes), attributes: attributes, release: { withExtendedLifetime(owner) {} }),
      plane: header.plane, clippedPointCount: header.clippedPointCount, splitRule: header.splitRule)
    try withStorage { storage throws(IndexError) in try storage.checkRoot(in: file) }
  }
}

extension TreeStorage {
  /// All counts below the root are checked against its own on the way down, and the root itself needs no `try`.
  fileprivate func checkRoot(in file: NamedBytes) throws(IndexError) {
    guard let root else { return }
    try file.require(
      nodes[0].count == root.count, at: nodesOffset + 16, "a root of all \(pointCount) points",
      found: "\(nodes[0].count)")
    try checkSummary(of: root)
  }

  /// The sections that are the same for the same points in any order: those of the hierarchy and what else depends on
  /// it alone. Row numbers and attributes are not among them.
  package var fixedSections: [(kind: IndexSection.Kind, bytes: UnsafeRawBufferPointer)] {
    let pairs = Self.pairCount(ofNodes: nodeCount)
    var sections = [
      (IndexSection.Kind.points, Self.bytes(points, count: pointCount)),
      (.gaps, Self.bytes(gaps, count: (pointCount + 1) / 2)), (.nodes, Self.bytes(nodes, count: nodeCount)),
      (.sums, Self.bytes(sums, count: pairs)), (.spreads, Self.bytes(spreads, count: pairs)),
    ]
    if let separations { sections.append((.separations, Self.bytes(separations, count: pointCount))) }
    return sections
  }

  private static func bytes<Entry>(_ start: UnsafePointer<Entry>, count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(UnsafeBufferPointer(start: start, count: count))
  }
}

/// The sections of which there is one at most, by kind.
private struct SectionsByKind {
  private let file: NamedBytes
  private var sections: [IndexSection.Kind: IndexSection] = [:]

  /// Refuses sections that must be understood and are not, and a second section of a kind of which there is one.
  init(_ header: IndexHeader, _ file: NamedBytes) throws(IndexError) {
    self.file = file
    for (index, section) in header.sections.enumerated() {
      guard section.kind.isKnown else {
        if section.isRequired { throw .unknownSection(path: file.name, kind: section.kind.rawValue) }
        continue
      }
      let isFirst = section.kind == .attribute || sections.updateValue(section, forKey: section.kind) == nil
      try file.require(
        isFirst, at: IndexHeader.offset(ofEntry: index), "one section of \(section.kind)", found: "a second")
    }
  }

  func has(_ kind: IndexSection.Kind) -> Bool { sections[kind] != nil }

  func offset(of kind: IndexSection.Kind) -> UInt64 { sections[kind]?.offset ?? 0 }

  /// Where a section's entries begin, once its length is known to be theirs.
  func start<Entry>(of kind: IndexSection.Kind, count: Int, as type: Entry.Type) throws(IndexError) -> UnsafePointer<
    Entry
  > {
    guard let section = sections[kind] else {
      throw file.malformed(at: IndexHeader.fixedLength, expected: "a section of \(kind)", found: "none in the table")
    }
    let length = count * MemoryLayout<Entry>.stride
    try file.require(
      section.length == UInt64(length), at: section.offset, "\(length) bytes of \(kind)", found: "\(section.length)")
    return (file.bytes.baseAddress! + Int(section.offset)).assumingMemoryBound(to: type)
  }
}
