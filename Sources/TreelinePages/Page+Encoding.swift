import Treeline

/// Makes the uncompressed bytes of pages. The article *Published pages* in the documentation describes these bytes.
struct PageEncoder {
  let storage: TreeStorage
  let pages: PageTree
  /// Gives the memory pages of the index back to the system. Memory pages that are used later are read from the file
  /// again.
  let giveBack: @Sendable () -> Void

  enum Kind: UInt32 {
    case upper = 1
    case leaf = 2
    case values = 3
    case valueDirectory = 4
    case spreads = 5
  }

  /// Says where the nodes below a node are. An upper page has a state for each of its records.
  /// - `here`: The children follow in the same page.
  /// - `nextChild`: Everything below the node is in the next child page.
  /// - `sameChild`: Everything below the node is in the same child page as for the last node with `nextChild`.
  private enum State {
    static let here: UInt8 = 0
    static let sameChild: UInt8 = 1
    static let nextChild: UInt8 = 2
  }

  // MARK: - Upper pages

  /// Offset at which the places of the listed pages begin, in an upper page with a listing. The place of a page says
  /// where the bytes of the page are.
  static let listingStart = 56

  /// Whether the exact spreads of an upper page's records are in a separate page. True if the tree has separations,
  /// because few queries of such a tree need exact spreads.
  var hasSpreadPages: Bool { storage.separations != nil }

  /// Returns the bytes of a page.
  ///
  /// - Parameter listing: The entries of the pages below an upper page; empty if another page lists these pages.
  func bytes(_ page: PagePlan, listing: [PageEntry] = []) throws(IndexError) -> [UInt8] {
    page.isLeaf ? try leaf(page) : upper(page, listing: listing)
  }

  private func upper(_ page: PagePlan, listing: [PageEntry]) -> [UInt8] {
    let columns = UpperColumns(self, page, hasCells: true)
    var bytes = PageBytes()
    bytes.append(Kind.upper.rawValue)
    bytes.append(UInt32(page.roots.count))
    bytes.append(UInt32(columns.recordCount))
    bytes.append(UInt32(page.children.count))
    bytes.append(UInt32(listing.count))
    let roots = pages.nodes(of: page)
    bytes.append(roots.first?.first ?? 0)
    let around = columns.around
    for edge in [around.minX, around.minY, around.maxX, around.maxY] { bytes.append(edge) }
    PageListing(entries: listing, hasSpreads: hasSpreadPages).append(to: &bytes)
    bytes.append(planesOf: roots.map(\.count))
    bytes.append(planesOf: roots.map { UInt16($0.level) })
    columns.append(to: &bytes, self)
    return bytes.bytes
  }

  /// Returns a page with the exact spreads of all records of an upper page.
  func spreads(_ page: PagePlan) -> [UInt8] {
    let columns = UpperColumns(self, page, hasCells: false)
    var bytes = PageBytes()
    bytes.append(Kind.spreads.rawValue)
    bytes.append(UInt32(columns.recordCount))
    columns.appendSpreads(to: &bytes)
    return bytes.bytes
  }

  /// Returns the entry of a page for a listing. If the page above is loaded, a query needs the page only if the query
  /// splits one of its roots, and this root is in view. So the entry has a box around all roots, and the greatest
  /// separation code of the roots. If the query splits the parents of all these roots, it can begin at the page,
  /// without the page above. So the entry also has the least separation code of these parents.
  func entry(of page: PagePlan, childCount: Int) -> PageEntry {
    let roots = pages.rootRecords(of: page)
    let box = PlaneRect(around: roots.map { storage.box(of: $0.node) })
    return PageEntry(
      isLeaf: page.isLeaf, childCount: childCount, box: box,
      greatestCode: roots.map(\.code).max() ?? 0, parentCode: roots.map(\.parentCode).min() ?? 0, page: page.reference,
      spreads: page.spreads)
  }

  /// The columns of an upper page, with an entry for each record.
  private struct UpperColumns {
    var recordCount: Int { codes.count }
    /// The box around all roots.
    let around: PlaneRect
    private var states: [UInt8] = []
    /// Four bits for each record: one bit for each edge of its box. A bit is set if this edge differs from the
    /// corresponding edge of the parent's box.
    private var edges: [UInt8] = []
    /// Differences between corresponding edges of a record's box and its parent's box: one difference for each bit
    /// that is set in `edges`. Also contains the sums of coordinates, and the point counts of left children.
    private var bits = PageBits()
    private var spreads: [[UInt32]] = [[], [], []]
    private var ellipses: [RoundedEllipse] = []
    private var codes: [UInt16] = []
    private var anchors: [[UInt32]] = [[], [], []]
    /// The cells of each node whose children are not in the page.
    private var cells: [UInt64] = []

    init(_ encoder: PageEncoder, _ page: PagePlan, hasCells: Bool) {
      let (storage, pages) = (encoder.storage, encoder.pages)
      around = PlaneRect(around: pages.nodes(of: page).map { storage.box(of: $0) })
      guard case .upper(let expanded, let children) = page.content else { return }
      let firstRoots = Set(children.map { $0.roots[0] })
      // Records to be visited, each with the box of its parent. `hasSums` says whether the sums of the record are
      // stored.
      var waiting: [(index: Int32, parent: PlaneRect, hasSums: Bool)] = []
      for root in page.roots {
        waiting = [(root, around, true)]
        while let (index, parent, hasSums) = waiting.popLast() {
          let record = pages.records[Int(index)]
          let isExpanded = expanded.contains(index)
          states.append(isExpanded ? State.here : firstRoots.contains(index) ? State.nextChild : State.sameChild)
          let box = storage.box(of: record.node)
          append(record, box, within: parent, hasSums: hasSums, storage)
          if hasCells && !isExpanded { cells.append(encoder.cells(of: record.node, in: box)) }
          if isExpanded {
            bits.append(UInt64(pages.records[Int(record.left)].node.count), upTo: UInt64(record.node.count))
            // In most cases, the sums of a right child are left out, because they are the parent's sums minus the left
            // child's sums. But if the box of either child crosses the seam, the sums of the right child are stored,
            // because the boxes of the two children may then count x from different sides of the seam.
            let isAcross = [record.left, record.left + 1].contains {
              let box = storage.box(of: pages.records[Int($0)].node)
              return box.minX > box.maxX
            }
            waiting.append((record.left + 1, box, isAcross))
            waiting.append((record.left, box, true))
          }
        }
      }
    }

    private mutating func append(
      _ record: UpperRecord, _ box: PlaneRect, within parent: PlaneRect, hasSums: Bool, _ storage: TreeStorage
    ) {
      let differences = [
        box.minX &- parent.minX, box.minY &- parent.minY, parent.maxX &- box.maxX, parent.maxY &- box.maxY,
      ]
      let sizes = [parent.maxX &- parent.minX, parent.maxY &- parent.minY]
      var different: UInt8 = 0
      for (edge, difference) in differences.enumerated() where difference != 0 {
        different |= 1 << UInt8(edge)
        bits.append(UInt64(difference), upTo: UInt64(sizes[edge & 1]))
      }
      edges.append(different)
      let summary = storage.summary(of: record.node, in: box)
      if hasSums {
        // The sum of x is at most the point count times the width of the box, and the sum of y is at most the point
        // count times the height of the box.
        for (sum, size) in [(summary.sums.x, box.maxX &- box.minX), (summary.sums.y, box.maxY &- box.minY)] {
          bits.append(sum, upTo: UInt64(record.node.count) * UInt64(size))
        }
      }
      spreads[0].append(summary.spread.xx.bitPattern)
      spreads[1].append(summary.spread.xy.bitPattern)
      spreads[2].append(summary.spread.yy.bitPattern)
      ellipses.append(RoundedEllipse(summary.spread))
      codes.append(record.code)
      guard let anchor = storage.anchorIndex(of: record.node) else { return }
      anchors[0].append(UInt32(anchor) - record.node.first)
      anchors[1].append(storage.points[anchor].x &- box.minX)
      anchors[2].append(storage.points[anchor].y &- box.minY)
    }

    func appendSpreads(to bytes: inout PageBytes) { for column in spreads { bytes.append(planesOf: column) } }

    func append(to bytes: inout PageBytes, _ encoder: PageEncoder) {
      bytes.append(states)
      bytes.append(edges)
      if encoder.hasSpreadPages {
        bytes.append(ellipses.map(\.size))
        bytes.append(ellipses.map(\.shape))
        bytes.append(planesOf: codes)
      } else {
        appendSpreads(to: &bytes)
      }
      if encoder.storage.anchors != nil { for column in anchors { bytes.append(planesOf: column) } }
      bytes.append(planesOf: cells)
      bytes.append(bits.bytes)
    }
  }

  /// Divides the box of a node into 8 × 8 cells, and returns a bit for each cell that says whether the cell contains a
  /// point. From these bits, a reader often knows whether a node at the edge of a view has a point in the view,
  /// without the pages below the node.
  private func cells(of node: Node, in box: PlaneRect) -> UInt64 {
    let (width, height) = ((box.maxX &- box.minX) / 8 + 1, (box.maxY &- box.minY) / 8 + 1)
    let range = node.range
    var cells: UInt64 = 0
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.pointsBetweenReturns) {
      if start > range.lowerBound { giveBack() }
      for index in start..<min(start + Self.pointsBetweenReturns, range.upperBound) {
        let point = storage.points[index]
        // In a damaged index, a point may lie outside the box.
        let (column, row) = (min((point.x &- box.minX) / width, 7), min((point.y &- box.minY) / height, 7))
        cells |= 1 << UInt64(8 * row + column)
      }
    }
    return cells
  }

  /// The number of points that are read before memory is given back.
  private static let pointsBetweenReturns = 1 << 22

  // MARK: - Leaf pages

  /// Returns a leaf page. The page contains all points of its roots. For the nodes below these roots, the page also
  /// contains all data that cannot be computed from the points.
  private func leaf(_ page: PagePlan) throws(IndexError) -> [UInt8] {
    let (roots, range) = (pages.nodes(of: page), pages.range(of: page))
    var leftCounts: [UInt32] = []
    for root in roots {
      // Visits the stored nodes below the root in preorder, a left child before its sibling.
      var waiting = [root]
      while let node = waiting.popLast() {
        guard storage.isStored(node), let (left, right) = try storage.children(of: node) else { continue }
        leftCounts.append(left.count)
        waiting.append(right)
        waiting.append(left)
      }
    }
    let points = UnsafeBufferPointer(start: storage.points + range.lowerBound, count: range.count)
    var bytes = PageBytes()
    bytes.append(Kind.leaf.rawValue)
    bytes.append(UInt32(roots.count))
    bytes.append(UInt32(range.count))
    bytes.append(UInt32(leftCounts.count))
    bytes.append(UInt32(range.lowerBound))
    bytes.append(planesOf: roots.map(\.count))
    bytes.append(planesOf: roots.map { UInt16($0.level) })
    bytes.append(planesOf: leftCounts)
    bytes.append(planesOf: points.map(\.x).differences)
    bytes.append(planesOf: points.map(\.y).differences)
    bytes.append(gaps(of: roots))
    if let separations = storage.separations { bytes.append(planesOf: range.map { separations[$0] }) }
    if let anchors = storage.anchors { bytes.append(Self.bits(anchors, of: range)) }
    return bytes.bytes
  }

  /// Returns the gaps after the points of some nodes. The gap after a point is the depth of the node that is split
  /// between this point and the next point. Depths are counted from the bucket that contains both points. If one of
  /// the given nodes is a part of a bucket, depths are counted from this node instead. Two gaps share a byte, and the
  /// first gap is in the low half.
  private func gaps(of roots: [Node]) -> [UInt8] {
    var gaps: [UInt8] = []
    for root in roots {
      for index in root.range.dropLast() {
        let gap = storage.gap(after: UInt32(index))
        gaps.append(gap == Gap.none ? gap : gap &- UInt8(root.depthInBucket))
      }
      gaps.append(0)
    }
    return stride(from: 0, to: gaps.count, by: 2).map {
      Gap.byte(even: gaps[$0], odd: $0 + 1 < gaps.count ? gaps[$0 + 1] : 0)
    }
  }

  private static func bits(_ anchors: UnsafePointer<UInt8>, of range: Range<Int>) -> [UInt8] {
    stride(from: range.lowerBound, to: range.upperBound, by: 8).map { start in
      (start..<min(start + 8, range.upperBound)).reduce(into: UInt8(0)) { byte, index in
        if TreeStorage.bit(of: anchors, at: index) { byte |= 1 << UInt8(index - start) }
      }
    }
  }

  // MARK: - Values

  /// Returns a page of values: the row numbers and the column values of a range of points.
  func values(_ range: Range<Int>) -> [UInt8] {
    var bytes = PageBytes()
    bytes.append(Kind.values.rawValue)
    bytes.append(UInt32(range.count))
    bytes.append(UInt32(storage.rows.areWide ? 8 : 4))
    bytes.append(UInt32(storage.columns.count))
    if storage.rows.areWide {
      bytes.append(planesOf: range.map { storage.rows.rawValue(at: $0) })
    } else {
      bytes.append(planesOf: range.map { UInt32(truncatingIfNeeded: storage.rows.rawValue(at: $0)) })
    }
    bytes.align()
    for column in storage.columns {
      let section = column.section(of: range)
      bytes.append(UInt32(column.attribute == nil ? 18 : 16))
      bytes.append(UInt32(section.count))
      bytes.append(section)
      bytes.align()
    }
    return bytes.bytes
  }

  func valueDirectory(_ references: [PageReference], pointsPerPage: Int) -> [UInt8] {
    var bytes = PageBytes()
    bytes.append(Kind.valueDirectory.rawValue)
    bytes.append(UInt32(references.count))
    bytes.append(UInt32(pointsPerPage))
    bytes.append(places: references)
    return bytes.bytes
  }

  /// Offset at which the places of the pages with values begin, in the directory of these pages. The place of a page
  /// says where the bytes of the page are.
  static let valueDirectoryStart = 12
}

// MARK: - Columns

extension Column {
  /// Returns a section with the values of a range of points, in the same format as the column's own section. The
  /// dictionary of the section has only the entries of these points.
  fileprivate func section(of range: Range<Int>) -> [UInt8] {
    if let attribute { return attribute.section(of: range) }
    guard let section else { return [] }
    let nameEnd = Self.aligned(Offset.name + Int(section.read(at: Offset.nameLength) as UInt32))
    var bytes = PageBytes()
    bytes.append(section[..<nameEnd])
    switch values {
    case .integers(let integers): bytes.append(Self.bytes(of: integers.codes, range))
    case .reals(let reals): for index in range { bytes.append(reals[index].bitPattern) }
    case .entries(let entries):
      let used = LocalDictionary(entries.dictionary, codes: range.map { Int(clamping: entries.codes[$0]) })
      let width = PackedIntegers.width(for: UInt64(used.entries.count))
      var header = Array(section[..<nameEnd])
      header[Offset.width] = UInt8(width)
      withUnsafeBytes(of: UInt32(used.entries.count).littleEndian) {
        header.replaceSubrange(Offset.entryCount..<Offset.entryCount + 4, with: $0)
      }
      bytes = PageBytes()
      bytes.append(header)
      for code in used.codes { for byte in 0..<width { bytes.append(UInt8(truncatingIfNeeded: code >> (8 * byte))) } }
      bytes.align()
      used.append(to: &bytes)
    }
    bytes.align()
    return bytes.bytes
  }

  private static func bytes(of codes: PackedIntegers, _ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: codes.start + codes.width * range.lowerBound, count: codes.width * range.count)
  }
}

extension AttributeColumn {
  fileprivate func section(of range: Range<Int>) -> [UInt8] {
    var bytes = PageBytes()
    var used: LocalDictionary?
    if encoding == .dictionary {
      used = LocalDictionary(dictionary, codes: range.map { Int(body.read(at: 4 * $0) as UInt32) })
    }
    bytes.append(encoding.rawValue)
    bytes.append(UInt32(nameBytes.count))
    bytes.append(UInt32(used?.entries.count ?? 0))
    bytes.append(UInt32(0))
    bytes.append(nameBytes)
    bytes.align()
    if let used {
      for code in used.codes { bytes.append(UInt32(code)) }
      bytes.align()
      used.append(to: &bytes)
    } else {
      for index in range { bytes.append(body.read(at: 8 * index) as UInt64) }
    }
    bytes.align()
    return bytes.bytes
  }
}

/// A part of a dictionary. It has only the entries that are values of given points. The entries are in the order of
/// the dictionary.
private struct LocalDictionary {
  /// For each point, the index of its value in `entries`. For a point without a value, the number of entries.
  let codes: [Int]
  let entries: [UnsafeRawBufferPointer]

  init(_ dictionary: ColumnDictionary, codes: [Int]) {
    let used = Set(codes).sorted().compactMap { code in dictionary.bytes(ofEntry: code).map { (code, $0) } }
    let places = Dictionary(uniqueKeysWithValues: zip(used.map(\.0), 0...))
    entries = used.map(\.1)
    self.codes = codes.map { places[$0] ?? used.count }
  }

  func append(to bytes: inout PageBytes) {
    var end: UInt64 = 0
    bytes.append(end)
    for entry in entries {
      end += UInt64(entry.count)
      bytes.append(end)
    }
    for entry in entries { bytes.append(entry) }
  }
}
