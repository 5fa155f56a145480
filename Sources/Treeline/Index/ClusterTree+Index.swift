extension ClusterTree {
  /// Reads an index that lies in memory, aligned to 8 bytes.
  ///
  /// - Parameters:
  ///   - name: The name of the index in error messages.
  ///   - owner: The object that keeps the bytes alive.
  package init(bytes: UnsafeRawBufferPointer, name: String, keeping owner: any AnyObject & Sendable) throws(IndexError)
  {
    let header = try IndexHeader(bytes, name: name)
    let file = NamedBytes(bytes: bytes, name: name)
    let sections = try SectionsByKind(header, file)
    let known = header.sections.filter { $0.kind.isKnown(in: header.minorVersion) }
    var columns = try known.filter(\.kind.isColumn).map { section throws(IndexError) in
      section.kind == .attribute
        ? Column(try AttributeColumn(file.part(section), pointCount: header.pointCount))
        : try Column(file.part(section), pointCount: header.pointCount)
    }
    try Self.attach(known, to: &columns, in: file, pointCount: header.pointCount)
    let description = try sections[.description].map { section throws(IndexError) in
      try IndexDescription(file.part(section))
    }
    let groups = try sections[.groups].map { section throws(IndexError) in
      try TreeGroups(file.part(section), pointCount: header.pointCount)
    }
    let codes = header.growth.codesKind
    let badgeCurve =
      try codes != .badgeScales || sections[codes] == nil ? nil : BadgeCurve(file.part(sections.required(.badgeCurve)))
    self.init(
      storage: TreeStorage(
        points: try sections.start(of: .points), rows: try sections.rows, pointCount: header.pointCount,
        gaps: try sections.start(of: .gaps),
        nodes: try sections.start(of: .nodes), nodeCount: header.nodeCount,
        sums: try sections.start(of: .sums), spreads: try sections.start(of: .spreads),
        separations: sections[codes] == nil ? nil : try sections.start(of: codes),
        badgeCurve: badgeCurve,
        anchors: header.mergeTraits.contains(.anchorsAtMembers) ? try sections.start(of: .anchors) : nil,
        groups: groups, name: name, nodesOffset: sections[.nodes]?.offset ?? 0, columns: columns,
        description: description ?? IndexDescription(), mergeTraits: header.mergeTraits,
        release: { withExtendedLifetime(owner) {} }),
      plane: header.plane, clippedPointCount: header.clippedPointCount, growth: header.growth)
    try withStorage { storage throws(IndexError) in try storage.checkRoot(in: file) }
  }
}

extension TreeStorage {
  /// Checks the root once, so that later code can read the root without `try`. The counts of lower nodes are checked
  /// against the root's count later, on the way down from the root.
  fileprivate func checkRoot(in file: NamedBytes) throws(IndexError) {
    guard let root else { return }
    try file.require(
      nodes[0].count == root.count, at: nodesOffset + 16, "a root with all \(pointCount) points",
      found: "\(nodes[0].count)")
    try checkSummary(of: root)
  }

  /// Sections that do not depend on the order of the points in the input. Row numbers and columns depend on this order
  /// and are left out.
  package var fixedSections: [(kind: IndexSection.Kind, bytes: UnsafeRawBufferPointer)] {
    let pairs = NodeSums.count(ofNodes: nodeCount)
    var sections = [
      (IndexSection.Kind.points, Self.bytes(points, count: pointCount)),
      (.gaps, Self.bytes(gaps, count: Gap.byteCount(ofPoints: pointCount))),
      (.nodes, Self.bytes(nodes, count: nodeCount)),
      (.sums, Self.bytes(sums, count: pairs)), (.spreads, Self.bytes(spreads, count: pairs)),
    ]
    if let anchors { sections.append((.anchors, Self.bytes(anchors, count: (pointCount + 7) / 8))) }
    if let separations {
      sections.append((badgeCurve == nil ? .separations : .badgeScales, Self.bytes(separations, count: pointCount)))
    }
    return sections
  }

  private static func bytes<Entry>(_ start: UnsafePointer<Entry>, count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(UnsafeBufferPointer(start: start, count: count))
  }
}

extension Growth {
  /// The kind of section in which the tree's separations are stored as codes.
  package var codesKind: IndexSection.Kind { mergeMetric == .badges ? .badgeScales : .separations }
}

extension BadgeCurve {
  /// The bytes of a section of kind `badgeCurve`. The section begins with the gap between badges (2 bytes), the number
  /// of steps of the badge curve (2 bytes) and 4 bytes of 0. The steps follow. Each step has a point count (4 bytes),
  /// a diameter (2 bytes) and 2 bytes of 0.
  package var bytes: [UInt8] {
    func bytes<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
      withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
    return bytes(gap) + bytes(UInt16(steps.count)) + [0, 0, 0, 0]
      + steps.flatMap { bytes($0.pointCount) + bytes($0.diameter) + [0, 0] }
  }

  fileprivate init(_ section: NamedBytes) throws(IndexError) {
    let bytes = section.bytes
    let stepCount = bytes.count < 8 ? 0 : Int(bytes.read(at: 2) as UInt16)
    try section.require(
      bytes.count == 8 + 8 * stepCount, at: 0, "8 bytes, and 8 more for each step of a curve",
      found: "\(bytes.count) bytes and \(stepCount) steps")
    let steps = (0..<stepCount).map {
      Step(pointCount: bytes.read(at: 8 + 8 * $0), diameter: bytes.read(at: 12 + 8 * $0))
    }
    let gap = bytes.read(at: 0) as UInt16
    if let problem = Self.problem(steps, gap: gap) {
      throw section.malformed(
        at: 0, expected: "a valid curve", found: "a curve with a fault (expected \(problem))")
    }
    self.init(steps: steps, gap: gap)
  }
}

/// The sections of known kinds, at most one of each kind. Columns, and sections that belong to a column, are left out.
private struct SectionsByKind {
  private let header: IndexHeader
  private let file: NamedBytes
  private var sections: [IndexSection.Kind: IndexSection] = [:]

  /// Throws if the index has an unknown section that is required, or a second section of a kind that must be unique.
  init(_ header: IndexHeader, _ file: NamedBytes) throws(IndexError) {
    (self.header, self.file) = (header, file)
    for (index, section) in header.sections.enumerated() {
      guard section.kind.isKnown(in: header.minorVersion) else {
        if section.isRequired { throw .unknownSection(path: file.name, kind: section.kind.rawValue) }
        continue
      }
      let isFirst =
        section.kind.isColumn || section.kind.isOfColumn || sections.updateValue(section, forKey: section.kind) == nil
      try file.require(
        isFirst, at: IndexHeader.offset(ofEntry: index), "one section of \(section.kind)", found: "a second")
    }
  }

  subscript(kind: IndexSection.Kind) -> IndexSection? { sections[kind] }

  /// Returns a section that must exist.
  func required(_ kind: IndexSection.Kind) throws(IndexError) -> IndexSection {
    guard let section = sections[kind] else {
      throw file.malformed(at: IndexHeader.fixedLength, expected: "a section of \(kind)", found: "none in the table")
    }
    return section
  }

  /// Returns the row numbers, which may have 4 or 8 bytes each.
  var rows: StoredRows {
    get throws(IndexError) {
      sections[.wideRows] == nil
        ? StoredRows(try start(of: .rows) as UnsafePointer<UInt32>)
        : StoredRows(try start(of: .wideRows) as UnsafePointer<UInt64>)
    }
  }

  /// Returns the start of a section's entries. The section must have exactly the length that all entries need.
  func start<Entry>(of kind: IndexSection.Kind) throws(IndexError) -> UnsafePointer<Entry> {
    let section = try required(kind)
    let length = kind.fixedLength(ofPoints: header.pointCount, nodes: header.nodeCount)
    try file.require(
      section.length == UInt64(length), at: section.offset, "\(length) bytes of \(kind)", found: "\(section.length)")
    return (file.bytes.baseAddress! + Int(section.offset)).assumingMemoryBound(to: Entry.self)
  }
}
