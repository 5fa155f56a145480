/// A section of an index: the kind of its data and its place in the file.
package struct IndexSection: Hashable, Sendable {
  /// The kind of data in the section.
  package var kind: Kind
  /// Whether a reader that does not know the section must reject the index.
  package var isRequired: Bool
  /// The offset from the start of the file in bytes, a multiple of 64.
  package var offset: UInt64
  /// The length in bytes.
  package var length: UInt64
  /// The XXH64 hash of the section's bytes.
  package var checksum: UInt64

  package init(kind: Kind, isRequired: Bool, offset: UInt64, length: UInt64, checksum: UInt64) {
    (self.kind, self.isRequired, self.offset, self.length, self.checksum) = (kind, isRequired, offset, length, checksum)
  }

  /// The range of the section in the file. Do not use the range before the header is checked.
  package var range: Range<Int> { Int(offset)..<Int(offset + length) }

  /// The kind of a section. A raw value that has no name here stands for a private kind, or for a kind that a later
  /// version of the format adds.
  package struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Positions in tree order, 8 bytes a point.
    package static let points = Kind(rawValue: 1)
    /// Row numbers in tree order, 4 bytes a point.
    package static let rows = Kind(rawValue: 2)
    /// The gaps between neighboring points, half a byte a point. A bucket is a small node whose descendants are not
    /// stored. The gap between two points of a bucket says at which depth the bucket is split between them. So the
    /// descendants can be computed from the gaps.
    package static let gaps = Kind(rawValue: 3)
    /// Node records, 24 bytes each.
    package static let nodes = Kind(rawValue: 4)
    /// Sums of coordinates for the nodes with stored children, 16 bytes each.
    package static let sums = Kind(rawValue: 5)
    /// Covariances for the nodes with stored children, 12 bytes each.
    package static let spreads = Kind(rawValue: 6)
    /// The separations that queries with a spacing need, 2 bytes a point. This section is optional.
    package static let separations = Kind(rawValue: 7)
    /// The scales that queries with badges need, 2 bytes a point. This section is optional. Added in version 1.2.
    package static let badgeScales = Kind(rawValue: 8)
    /// The diameters with which badges are drawn. This section is present if `badgeScales` is present.
    package static let badgeCurve = Kind(rawValue: 9)
    /// One bit for each point. The bits lead from each cluster to the point at which the cluster is shown. Only an
    /// index with `ClusterAnchor.member` has this section. Added in version 1.2.
    package static let anchors = Kind(rawValue: 10)
    /// One column of the input. An index may have several such sections.
    package static let attribute = Kind(rawValue: 16)
    /// One typed column of the input. An index may have several such sections. Added in version 1.3.
    package static let column = Kind(rawValue: 18)
    /// The ranks of a column's values, for finding percentiles. This section is optional. Added in version 1.3.
    package static let ranks = Kind(rawValue: 19)
    /// Links from each value of a column to the previous equal value. The links give the number of distinct values in a
    /// range. This section is optional. Added in version 1.3.
    package static let links = Kind(rawValue: 20)
    /// The lists for searching the texts of a column. This section is optional. Added in version 1.5.
    package static let search = Kind(rawValue: 23)
    /// The groups of the points. Points of different groups are never in one cluster. This section is required if the
    /// tree has groups. Added in version 1.3.
    package static let groups = Kind(rawValue: 21)
    /// Row numbers in tree order, 8 bytes a point. This section replaces `rows` if a row number needs more than 4
    /// bytes. Added in version 1.4.
    package static let wideRows = Kind(rawValue: 22)
    /// Title, attribution and unit. This section is optional. Added in version 1.1.
    package static let description = Kind(rawValue: 17)

    /// The sections that make up the hierarchy. Their bytes do not depend on the order of the points in the input.
    package static let hierarchy: [Kind] = [.points, .gaps, .nodes, .sums, .spreads]

    /// Whether every index has a section of this kind. Every reader must support such kinds. The kind `rows` counts as
    /// one of them, although an index with `wideRows` has no `rows`.
    package var isInEveryIndex: Bool { self == .rows || Self.hierarchy.contains(self) }

    /// Whether a reader that does not know the kind must refuse the index.
    package var isRequired: Bool { isInEveryIndex || self == .groups || self == .wideRows }

    /// The first minor version of the format that has this kind.
    package var minorVersion: UInt16 {
      switch self {
      case .search: 5
      case .wideRows: 4
      case .column, .ranks, .links, .groups: 3
      case .badgeScales, .badgeCurve, .anchors: 2
      case .description: 1
      default: 0
      }
    }

    /// Whether an index may have several sections of this kind, one for each column.
    package var isColumn: Bool { self == .attribute || self == .column }

    /// Whether a section of this kind belongs to a column. The section names its column by number.
    package var isOfColumn: Bool { self == .ranks || self == .links || self == .search }

    static let latestMinorVersion = names.keys.map(\.minorVersion).max()!

    /// Returns true if this reader knows the kind, and if an index of the given minor version may have sections of
    /// this kind.
    package func isKnown(in version: UInt16) -> Bool { Self.names[self] != nil && minorVersion <= version }

    /// Whether the kind is reserved for other programs. No version of the format will ever use such a kind.
    package var isPrivate: Bool { rawValue >= 1 << 31 }

    private static let names: [Kind: String] = [
      .points: "points", .rows: "rows", .gaps: "gaps", .nodes: "nodes", .sums: "sums", .spreads: "spreads",
      .separations: "separations", .badgeScales: "badge scales", .badgeCurve: "badge curve", .anchors: "anchors",
      .attribute: "attribute", .column: "column", .ranks: "ranks", .links: "links",
      .search: "search", .groups: "groups", .wideRows: "wide rows", .description: "description",
    ]

    package var description: String { Self.names[self] ?? "kind \(rawValue)" }
  }
}
