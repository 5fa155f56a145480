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
    /// The separations that queries with a spacing need, 2 bytes a point.
    package static let separations = Kind(rawValue: 7)
    /// The scales that queries with badges need, 2 bytes a point.
    package static let badgeScales = Kind(rawValue: 8)
    /// The diameters with which badges are drawn. This section is present if `badgeScales` is present.
    package static let badgeCurve = Kind(rawValue: 9)
    /// One bit for each point. The bits lead from each cluster to the point at which the cluster is shown. Only an
    /// index with `ClusterAnchor.member` has this section.
    package static let anchors = Kind(rawValue: 10)
    /// One column of the input.
    package static let attribute = Kind(rawValue: 16)
    /// One typed column of the input.
    package static let column = Kind(rawValue: 18)
    /// The ranks of a column's values, for finding percentiles.
    package static let ranks = Kind(rawValue: 19)
    /// Links from each value of a column to the previous equal value. The links give the number of distinct values in a
    /// range.
    package static let links = Kind(rawValue: 20)
    /// The lists for searching the texts of a column.
    package static let search = Kind(rawValue: 23)
    /// The groups of the points. Points of different groups are never in one cluster. This section is required if the
    /// tree has groups.
    package static let groups = Kind(rawValue: 21)
    /// Row numbers in tree order, 8 bytes a point. This section replaces `rows` if a row number needs more than 4
    /// bytes.
    package static let wideRows = Kind(rawValue: 22)
    /// Title, attribution and unit.
    package static let description = Kind(rawValue: 17)

    /// The sections that make up the hierarchy. Their bytes do not depend on the order of the points in the input.
    package static let hierarchy: [Kind] = [.points, .gaps, .nodes, .sums, .spreads]

    /// What the format says about each kind. Writers, readers, `verify` and `inspect` use this table.
    private static let rules: [Kind: Rule] = [
      .points: Rule("points", .inEveryIndex) { points, _ in 8 * points },
      .rows: Rule("rows", .inEveryIndex) { points, _ in 4 * points },
      .gaps: Rule("gaps", .inEveryIndex) { points, _ in Gap.byteCount(ofPoints: points) },
      .nodes: Rule("nodes", .inEveryIndex) { _, nodes in 24 * nodes },
      .sums: Rule("sums", .inEveryIndex) { _, nodes in 16 * NodeSums.count(ofNodes: nodes) },
      .spreads: Rule("spreads", .inEveryIndex) { _, nodes in 12 * NodeSums.count(ofNodes: nodes) },
      .separations: Rule("separations", .optional) { points, _ in 2 * points },
      .badgeScales: Rule("badge scales", .optional, since: 2) { points, _ in 2 * points },
      .badgeCurve: Rule("badge curve", .optional, since: 2),
      .anchors: Rule("anchors", .optional, since: 2) { points, _ in (points + 7) / 8 },
      .attribute: Rule("attribute", .column),
      .description: Rule("description", .optional, since: 1),
      .column: Rule("column", .column, since: 3),
      .ranks: Rule("ranks", .ofColumn, since: 3),
      .links: Rule("links", .ofColumn, since: 3),
      .groups: Rule("groups", .required, since: 3),
      .wideRows: Rule("wide rows", .required, since: 4) { points, _ in 8 * points },
      .search: Rule("search", .ofColumn, since: 5),
    ]

    private struct Rule: Sendable {
      let name: String
      let use: Use
      /// The first minor version of the format that has the kind.
      let version: UInt16
      /// Returns the length of the section in bytes; nil if the length depends on the content of the section.
      let length: (@Sendable (_ points: Int, _ nodes: Int) -> Int)?

      init(
        _ name: String, _ use: Use, since version: UInt16 = 0,
        length: (@Sendable (_ points: Int, _ nodes: Int) -> Int)? = nil
      ) {
        (self.name, self.use, self.version, self.length) = (name, use, version, length)
      }
    }

    private enum Use {
      /// Every index has one section of the kind. The kind `rows` counts as such a kind, although an index with
      /// `wideRows` has no `rows`.
      case inEveryIndex
      /// An index may have one section of the kind. A reader that does not know the kind must refuse the index.
      case required
      /// An index may have one section of the kind. A reader that does not know the kind ignores the section.
      case optional
      /// An index may have several sections of the kind, one for each column.
      case column
      /// The section belongs to a column, and names its column by number.
      case ofColumn
    }

    /// Whether a reader that does not know the kind must refuse the index.
    package var isRequired: Bool { Self.rules[self].map { $0.use == .inEveryIndex || $0.use == .required } ?? false }

    /// The first minor version of the format that has this kind.
    var minorVersion: UInt16 { Self.rules[self]?.version ?? 0 }

    /// Whether an index may have several sections of this kind, one for each column.
    package var isColumn: Bool { Self.rules[self]?.use == .column }

    /// Whether a section of this kind belongs to a column. The section names its column by number.
    var isOfColumn: Bool { Self.rules[self]?.use == .ofColumn }

    /// All kinds of sections that belong to a column, in ascending order.
    static let ofColumns: [Kind] = rules.filter { $0.value.use == .ofColumn }.map(\.key)
      .sorted { $0.rawValue < $1.rawValue }

    /// Returns the length of a section of this kind in bytes; nil if the length depends on the content of the section.
    package func length(ofPoints pointCount: Int, nodes nodeCount: Int) -> Int? {
      Self.rules[self]?.length?(pointCount, nodeCount)
    }

    /// Returns the length of a section of this kind in bytes. The kind must have a length that does not depend on the
    /// content of the section.
    package func fixedLength(ofPoints pointCount: Int, nodes nodeCount: Int) -> Int {
      guard let length = length(ofPoints: pointCount, nodes: nodeCount) else {
        preconditionFailure("Expected a kind of section with a fixed length, found \(self)")
      }
      return length
    }

    /// The greatest number of sections of columns for which every index has room. The other sections are one of each
    /// other kind, but not both `rows` and `wideRows`, and not both `separations` and `badgeScales`.
    package static let mostOfColumns =
      IndexHeader.maximumSectionCount - rules.values.count { $0.use != .column && $0.use != .ofColumn } + 2

    static let latestMinorVersion = rules.values.map(\.version).reduce(0, max)

    /// All kinds that this version of the format has.
    package static var all: [Kind] { rules.keys.sorted { $0.rawValue < $1.rawValue } }

    /// Returns true if this reader knows the kind, and if an index of the given minor version may have sections of
    /// this kind.
    package func isKnown(in version: UInt16) -> Bool { Self.rules[self].map { $0.version <= version } ?? false }

    package var description: String { Self.rules[self]?.name ?? "kind \(rawValue)" }
  }
}
