#if _pointerBitWidth(_32)
  #error("Treeline needs an Int of 64 bits: offsets into an index and sums over its nodes do not fit into 32 bits")
#endif

/// The first bytes of an index: its version, size and content. See the format document for the layout of the bytes.
package struct IndexHeader: Hashable, Sendable {
  /// The version of the format. A reader refuses a major version that it does not know.
  package var majorVersion: UInt16
  /// The minor version. An addition to the format raises the minor version, and not the major version, if every older
  /// reader either ignores the addition or refuses the index.
  package var minorVersion: UInt16
  /// The length of the whole file in bytes.
  package var fileLength: UInt64
  /// The number of points.
  package var pointCount: Int
  /// The number of node records.
  package var nodeCount: Int
  /// The plane on which the points lie. The plane converts coordinates to positions and back.
  package var plane: Plane
  /// The number of points beyond Web Mercator's northern or southern edge, which were moved to that edge.
  package var clippedPointCount: Int
  /// The hash of the hierarchy; see `ClusterTree.contentHash`.
  package var contentHash: UInt64
  /// The way in which the tree was grown: by splitting or by merging.
  package var growth: Growth
  /// Properties that a reader of a tree grown by merging must respect; empty for a tree grown by splitting.
  package var mergeTraits: MergeTraits
  /// The sections of the file, in the order of the section table.
  package var sections: [IndexSection]
}

extension IndexHeader {
  /// The rule by which nodes are split; nil for a tree grown by merging.
  package var splitRule: SplitRule? { growth.splitRule }

  /// The header's checksum, which covers the checksums of all sections. Two files with the same checksum almost
  /// certainly have the same content.
  package var checksum: UInt64 { bytes.withUnsafeBytes { $0.read(at: Offset.checksum) } }

  /// Makes the header of an index, with the least minor version that supports its content.
  package init(
    plane: Plane, growth: Growth, pointCount: Int, nodeCount: Int, clippedPointCount: Int, contentHash: UInt64,
    mergeTraits: MergeTraits, sections: [IndexSection], fileLength: UInt64
  ) {
    self.init(
      majorVersion: Self.majorVersion,
      minorVersion: (sections.map(\.kind.minorVersion) + [growth.minorVersion]).max()!, fileLength: fileLength,
      pointCount: pointCount, nodeCount: nodeCount, plane: plane, clippedPointCount: clippedPointCount,
      contentHash: contentHash, growth: growth, mergeTraits: mergeTraits, sections: sections)
  }

  /// The first bytes of an index. No text begins with these bytes. A transfer that strips the eighth bit or changes
  /// line ends also changes these bytes, so the damage is noticed.
  package static let magic: [UInt8] = [0x89, 0x54, 0x52, 0x4C, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The greatest number of points. With this limit there are fewer than 2^32 node records, and sums of coordinates fit
  /// into 64 bits.
  package static let maximumPointCount = 1 << 31

  static let majorVersion: UInt16 = 1
  /// The latest minor version. An index is written with the least minor version that supports its content.
  package static let minorVersion = max(IndexSection.Kind.latestMinorVersion, Growth.latestMinorVersion)

  /// The length of the header without the section table.
  package static let fixedLength = 128
  package static let entryLength = 32
  package static let maximumSectionCount = 1024

  /// Every section begins at a multiple of this number of bytes, so that its entries can be read in place.
  package static let alignment: UInt64 = 64

  package enum Offset {
    static let (majorVersion, minorVersion, headerLength, fileLength) = (8, 10, 12, 16)
    static let (pointCount, nodeCount, projection) = (24, 28, 32)
    package static let (seam, left, top, side, clippedPointCount) = (36, 40, 48, 56, 64)
    static let (sectionCount, contentHash, growth, gamma, mergeTraits) = (68, 72, 80, 84, 88)
    /// Reserved for later versions; 0 in this version.
    static let reserved = 92..<120
    static let checksum = 120
  }

  package var length: Int { Self.offset(ofEntry: sections.count) }

  package static func offset(ofEntry index: Int) -> Int { fixedLength + index * entryLength }

  /// Returns the first offset, at or after a given offset, at which a section may begin.
  package static func aligned(_ offset: UInt64) -> UInt64 { (offset + alignment - 1) / alignment * alignment }
}

// MARK: - Writing

extension IndexHeader {
  package var bytes: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: length)
    bytes.replaceSubrange(0..<8, with: Self.magic)
    bytes.store(majorVersion, at: Offset.majorVersion)
    bytes.store(minorVersion, at: Offset.minorVersion)
    bytes.store(UInt32(length), at: Offset.headerLength)
    bytes.store(fileLength, at: Offset.fileLength)
    bytes.store(UInt32(pointCount), at: Offset.pointCount)
    bytes.store(UInt32(nodeCount), at: Offset.nodeCount)
    bytes.store(plane.projection.rawValue, at: Offset.projection)
    bytes.store(plane.seam, at: Offset.seam)
    bytes.store(plane.left.bitPattern, at: Offset.left)
    bytes.store(plane.top.bitPattern, at: Offset.top)
    bytes.store(plane.side.bitPattern, at: Offset.side)
    bytes.store(UInt32(clippedPointCount), at: Offset.clippedPointCount)
    bytes.store(UInt32(sections.count), at: Offset.sectionCount)
    bytes.store(contentHash, at: Offset.contentHash)
    bytes.store(growth.rawKind, at: Offset.growth)
    bytes.store(splitRule?.gammaInEighths ?? 0, at: Offset.gamma)
    bytes.store(mergeTraits.rawValue, at: Offset.mergeTraits)
    for (index, section) in sections.enumerated() {
      let entry = Self.offset(ofEntry: index)
      bytes.store(section.kind.rawValue, at: entry)
      bytes.store(section.isRequired ? 1 : 0 as UInt32, at: entry + 4)
      bytes.store(section.offset, at: entry + 8)
      bytes.store(section.length, at: entry + 16)
      bytes.store(section.checksum, at: entry + 24)
    }
    bytes.store(bytes.withUnsafeBytes { XXHash64.hash($0) }, at: Offset.checksum)
    return bytes
  }
}

extension [UInt8] {
  fileprivate mutating func store<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
    Swift.withUnsafeBytes(of: value.littleEndian) { replaceSubrange(offset..<offset + $0.count, with: $0) }
  }
}
