extension IndexHeader {
  /// Reads and checks the header and the section table, and nothing else of the file. `name` is the file's name in
  /// error messages.
  ///
  /// - Complexity: O(sections)
  package init(_ bytes: UnsafeRawBufferPointer, name: String) throws(IndexError) {
    guard bytes.count >= 8, bytes.prefix(8).elementsEqual(Self.magic) else {
      let found = bytes.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
      throw .notAnIndex(path: name, found: found.isEmpty ? "an empty file" : found.joined(separator: " "))
    }
    let file = NamedBytes(bytes: bytes, name: name)
    try file.require(
      bytes.count >= Self.fixedLength, at: bytes.count, "a header of \(Self.fixedLength) bytes",
      found: "the end of the file")
    majorVersion = file.read(at: Offset.majorVersion)
    minorVersion = file.read(at: Offset.minorVersion)
    guard majorVersion == Self.majorVersion else {
      throw .unknownVersion(path: name, major: majorVersion, minor: minorVersion)
    }
    let sectionCount = Int(file.read(at: Offset.sectionCount) as UInt32)
    try file.require(
      sectionCount <= Self.maximumSectionCount, at: Offset.sectionCount, "at most \(Self.maximumSectionCount) sections",
      found: "\(sectionCount)")
    let length = Self.offset(ofEntry: sectionCount)
    try file.expect(UInt32(length), at: Offset.headerLength, "the length of the header and the section table in bytes")
    try file.require(
      bytes.count >= length, at: bytes.count, "a section table up to byte \(length)", found: "the end of the file")
    // The checksum covers the header and the section table. The eight bytes of the checksum itself count as 0.
    var header = Array(bytes[..<length])
    header.replaceSubrange(Offset.checksum..<Offset.checksum + 8, with: repeatElement(0, count: 8))
    try file.expect(header.withUnsafeBytes { XXHash64.hash($0) }, at: Offset.checksum, "the header's checksum")
    fileLength = file.read(at: Offset.fileLength)
    try file.expect(UInt64(bytes.count), at: Offset.fileLength, "the file's length in bytes")
    if minorVersion <= Self.minorVersion {
      for offset in Offset.reserved {
        try file.require(bytes[offset] == 0, at: offset, "0, as in all reserved bytes", found: "\(bytes[offset])")
      }
    }
    pointCount = Int(file.read(at: Offset.pointCount) as UInt32)
    try file.require(
      pointCount <= Self.maximumPointCount, at: Offset.pointCount, "at most 2^31 points", found: "\(pointCount)")
    nodeCount = Int(file.read(at: Offset.nodeCount) as UInt32)
    try file.require(
      nodeCount <= max(2 * pointCount - 1, 0) && (nodeCount % 2 == 1 || pointCount == 0), at: Offset.nodeCount,
      "an odd number of nodes, less than \(2 * pointCount)", found: "\(nodeCount)")
    plane = try Plane(readingFrom: file)
    clippedPointCount = Int(file.read(at: Offset.clippedPointCount) as UInt32)
    try file.require(
      clippedPointCount <= pointCount, at: Offset.clippedPointCount, "at most \(pointCount) clipped points",
      found: "\(clippedPointCount)")
    if plane.projection == .planar {
      try file.expect(0 as UInt32, at: Offset.clippedPointCount, "the number of clipped points on a plain plane")
    }
    contentHash = file.read(at: Offset.contentHash)
    growth = try Growth(readingFrom: file)
    mergeTraits = try MergeTraits(readingFrom: file, growth)
    var end = UInt64(length)
    sections = try (0..<sectionCount).map { index throws(IndexError) in
      let section = try IndexSection(readingFrom: file, entry: Self.offset(ofEntry: index), behind: end)
      end = section.offset + section.length
      return section
    }
  }
}

extension Plane {
  fileprivate init(readingFrom file: NamedBytes) throws(IndexError) {
    typealias Offset = IndexHeader.Offset
    let (rawProjection, seam): (UInt32, UInt32) = (file.read(at: Offset.projection), file.read(at: Offset.seam))
    let edges = [Offset.left, Offset.top, Offset.side].map { Double(bitPattern: file.read(at: $0)) }
    switch Projection(rawValue: rawProjection) {
    case .webMercator:
      for (edge, offset) in zip(edges, [Offset.left, Offset.top, Offset.side]) {
        try file.require(edge.bitPattern == 0, at: offset, "0 on Web Mercator", found: "\(edge)")
      }
      self = .webMercator(seam: seam)
    case .planar:
      try file.expect(0 as UInt32, at: Offset.seam, "the seam of a plain plane")
      try file.require(
        edges.allSatisfy { abs($0) <= 4e300 } && edges[2] >= 0, at: Offset.left,
        "a finite left edge, a finite top edge and a finite side of 0 or more", found: "\(edges)")
      self = .planar(left: edges[0], top: edges[1], side: edges[2])
    case nil:
      throw file.malformed(
        at: Offset.projection, expected: "projection 1 (Web Mercator) or 2 (plain plane)", found: "\(rawProjection)")
    }
  }
}

extension Growth {
  fileprivate init(readingFrom file: NamedBytes) throws(IndexError) {
    typealias Offset = IndexHeader.Offset
    let (rawKind, eighths): (UInt32, UInt32) = (file.read(at: Offset.growth), file.read(at: Offset.gamma))
    guard Growth(kind: rawKind, gammaInEighths: 0) != nil else {
      throw file.malformed(
        at: Offset.growth,
        expected: "one of the growths \(Growth.kinds)", found: "\(rawKind)")
    }
    guard let growth = Growth(kind: rawKind, gammaInEighths: eighths) else {
      throw file.malformed(
        at: Offset.gamma,
        expected: rawKind == SplitRule.Kind.gamma.rawValue
          ? "a gamma of 0 to 32 eighths" : "a gamma of 0, because the split rule is not gamma",
        found: "\(eighths)")
    }
    self = growth
  }
}

extension MergeTraits {
  fileprivate init(readingFrom file: NamedBytes, _ growth: Growth) throws(IndexError) {
    rawValue = file.read(at: IndexHeader.Offset.mergeTraits)
    let known = growth.mergeMetric == nil ? [] : Self.all
    try file.require(
      known.contains(self), at: IndexHeader.Offset.mergeTraits,
      growth.mergeMetric == nil
        ? "no traits of a merged tree (0), because the tree was grown by splitting"
        : "the traits of a merged tree, from 0 to 7",
      found: "\(rawValue)")
  }
}

extension IndexSection {
  /// - Parameter end: The end of the previous section; for the first section, the end of the table. Sections must not
  ///   overlap, so an index cannot make a reader read the same bytes over and over.
  fileprivate init(readingFrom file: NamedBytes, entry: Int, behind end: UInt64) throws(IndexError) {
    let flags: UInt32 = file.read(at: entry + 4)
    try file.require(flags <= 1, at: entry + 4, "section flags 0 or 1", found: "\(flags)")
    let (offset, length): (UInt64, UInt64) = (file.read(at: entry + 8), file.read(at: entry + 16))
    try file.require(
      offset % IndexHeader.alignment == 0 && offset >= end, at: entry + 8,
      "a section offset that is a multiple of 64 and at least \(end)", found: "offset \(offset)")
    try file.require(
      offset <= file.bytes.count && length <= UInt64(file.bytes.count) - offset, at: entry + 16,
      "a section that ends within the file's \(file.bytes.count) bytes", found: "offset \(offset) and length \(length)")
    self.init(
      kind: Kind(rawValue: file.read(at: entry)), isRequired: flags == 1, offset: offset, length: length,
      checksum: file.read(at: entry + 24))
  }
}
