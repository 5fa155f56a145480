import Treeline

/// An entry of a listing: the place of a page, and facts from which a reader decides whether a query needs the page.
struct PageEntry: Sendable {
  var isLeaf: Bool
  /// The number of child pages that are in the same listing. 0 for a leaf page, and for a page with its own listing.
  var childCount: Int
  /// A box around the roots of the page.
  var box: PlaneRect
  /// The greatest separation code of the roots.
  var greatestCode: UInt16
  /// The least separation code of the parents of the roots.
  var parentCode: UInt16
  var page: PageReference
  /// The place of the separate page that contains the spreads of an upper page; `none` if there is no separate page.
  /// The spread of a node says how far its points scatter.
  var spreads = PageReference.none
}

/// The listing of an upper page: the pages on one or several levels below the page, in preorder. With a listing, a
/// reader finds all pages on these levels that are needed for a query, and loads these pages at once.
struct PageListing {
  var entries: [PageEntry] = []
  let hasSpreads: Bool

  func append(to bytes: inout PageBytes) {
    guard !entries.isEmpty else { return }
    let whole = PlaneRect(around: entries.map(\.box))
    for edge in [whole.minX, whole.minY, whole.maxX, whole.maxY] { bytes.append(edge) }
    bytes.append(places: entries.map(\.page) + (hasSpreads ? entries.map(\.spreads) : []))
    var edges: [[UInt8]] = [[], [], [], []]
    // A stack of outer boxes, see `RoundedBox`. The last box of the stack is the outer box for the next entry of the
    // listing. `left` is the number of further entries for which `box` is the outer box.
    var around: [(left: Int, box: PlaneRect)] = [(Int.max, whole)]
    for entry in entries {
      while around[around.count - 1].left == 0 { around.removeLast() }
      around[around.count - 1].left -= 1
      let rounded = RoundedBox(entry.box, within: around[around.count - 1].box)
      for edge in 0..<4 { edges[edge].append(rounded.edges[edge]) }
      if entry.childCount > 0 { around.append((entry.childCount, rounded.box)) }
    }
    bytes.append(planesOf: entries.map { UInt32($0.childCount) })
    for column in edges { bytes.append(column) }
    bytes.append(planesOf: entries.map(\.greatestCode))
    bytes.append(planesOf: entries.map(\.parentCode))
  }
}

/// A box whose edges are rounded outward. Each edge is at one of 256 steps between the edges of an outer box.
private struct RoundedBox {
  /// The steps of min x, min y, max x and max y.
  var edges: [UInt8] = [0, 0, 0, 0]
  var box: PlaneRect

  init(_ inner: PlaneRect, within outer: PlaneRect) {
    box = outer
    (edges[0], edges[2], box.minX, box.maxX) = Self.rounded(inner.minX, inner.maxX, outer.minX, outer.maxX)
    (edges[1], edges[3], box.minY, box.maxY) = Self.rounded(inner.minY, inner.maxY, outer.minY, outer.maxY)
  }

  /// Along one axis, rounds the edges `least` and `greatest` of a box outward to steps between the edges `start` and
  /// `end` of the outer box. Returns the numbers of the two steps, and the two rounded edges. Distances are modulo
  /// 2^32, because boxes may lie across the seam, where the world is cut open.
  private static func rounded(
    _ least: UInt32, _ greatest: UInt32, _ start: UInt32, _ end: UInt32
  ) -> (UInt8, UInt8, UInt32, UInt32) {
    let size = end &- start
    let step = size / 256 + 1
    let (from, to) = (least &- start, greatest &- start)
    // The inner box of a large node may lie partly outside the outer box, because the two boxes go around the world in
    // different directions. Then the edges of the outer box are the result.
    guard from <= to, to <= size else { return (0, UInt8(size / step), start, end) }
    let (first, last) = (from / step, to / step)
    return (
      UInt8(first), UInt8(last), start &+ first * step,
      start &+ UInt32(min(UInt64(last) * UInt64(step) + UInt64(step - 1), UInt64(size)))
    )
  }
}

extension PlaneRect {
  /// Makes the narrowest box around given boxes. Any of these boxes may lie across the seam.
  init(around boxes: [PlaneRect]) {
    let world = Int64(1) << 32
    let sides = boxes.map { (start: Int64($0.minX), width: Int64($0.maxX &- $0.minX)) }.sorted { $0.start < $1.start }
    let first = sides.first?.start ?? 0
    // How far the boxes reach beyond the seam; negative if no box reaches the seam.
    let beyond = sides.map { $0.start + $0.width - world }.max() ?? -1
    var (end, start, widest) = (beyond, first, Int64(0))
    for side in sides {
      if end >= 0 && side.start - end > widest { (start, widest) = (side.start, side.start - end) }
      end = max(end, side.start + side.width)
    }
    if beyond < 0 && first + world - end > widest { (start, widest) = (first, first + world - end) }
    self.init(
      minX: UInt32(truncatingIfNeeded: start), minY: boxes.map(\.minY).min() ?? 0,
      maxX: UInt32(truncatingIfNeeded: start - max(widest, 1)), maxY: boxes.map(\.maxY).max() ?? 0)
  }
}

extension PageEncoder {
  /// Divides the subtree of a leaf page into pages, if the leaf page stands for a whole subtree (see
  /// `PageTree.isSubtree`). Returns an encoder of the new pages, and the list of the new pages in preorder. If the
  /// leaf page does not stand for a subtree, returns `self` and the leaf page.
  func subtree(_ plan: PagePlan) throws(IndexError) -> (PageEncoder, [PagePlan]) {
    guard pages.isSubtree(plan) else { return (self, [plan]) }
    let tree = try PageTree(storage, sizes: pages.sizes, below: pages.rootRecords(of: plan), level: plan.level)
    return (PageEncoder(storage: storage, pages: tree, giveBack: giveBack), tree.pages)
  }

  /// Returns the entries of all pages of a subtree.
  func entries(of plans: [PagePlan]) -> [PageEntry] {
    plans.map { entry(of: $0, childCount: $0.children.count) }
  }

  /// Reads the number of pages in the listing of an upper page, and the places of these pages and of their spreads. The
  /// places are nil if the bytes are not an upper page.
  func listedPlaces(in bytes: UnsafeRawBufferPointer) -> (count: Int, places: [PageReference]?) {
    guard bytes.count >= Self.listingStart else { return (0, nil) }
    let count = Int(bytes.read(at: 16) as UInt32)
    return (count, PageReference.places(hasSpreadPages ? 2 * count : count, in: bytes, at: Self.listingStart))
  }

  /// Returns the entries of the pages in a listing.
  func listing(_ listed: [(page: PagePlan, isOwner: Bool)]) -> [PageEntry] {
    listed.flatMap { page, isOwner in
      page.isLeaf ? page.entries : [entry(of: page, childCount: isOwner ? 0 : page.children.count)]
    }
  }
}

// MARK: - Places

extension PageBytes {
  /// Appends the places of pages.
  mutating func append(places: [PageReference]) {
    var numbers: [UInt64: UInt32] = [:]
    var files: [(checksum: UInt64, length: UInt32)] = []
    for place in places {
      guard let file = place.file, numbers[file] == nil else { continue }
      numbers[file] = UInt32(files.count)
      files.append((file, place.fileLength))
    }
    append(UInt32(files.count))
    for file in files { append(file.checksum) }
    append(planesOf: files.map(\.length))
    var ends = [UInt64](repeating: 0, count: max(files.count, 1))
    var (ownFiles, gaps): ([UInt32], [UInt64]) = ([], [])
    for place in places {
      let number = place.file.flatMap { numbers[$0] } ?? 0
      ownFiles.append(number)
      guard place.length > 0 else { gaps.append(0); continue }
      let gap = Int64(bitPattern: place.offset &- ends[Int(number)])
      gaps.append(UInt64(bitPattern: gap << 1 ^ gap >> 63))
      ends[Int(number)] = place.offset &+ UInt64(place.length)
    }
    append(planesOf: ownFiles)
    append(planesOf: gaps)
    append(planesOf: places.map(\.length))
  }
}

extension PageReference {
  /// Reads the places of `count` pages. The place of a page consists of its file, and of its offset and length in this
  /// file. Returns nil if the bytes end too early, or if they do not describe places of pages.
  static func places(_ count: Int, in bytes: UnsafeRawBufferPointer, at start: Int) -> [PageReference]? {
    guard start + 4 <= bytes.count else { return nil }
    let fileCount = Int(bytes.read(at: start) as UInt32)
    let lengths = start + 4 + 8 * fileCount
    let columns = lengths + 4 * fileCount
    guard columns + 16 * count <= bytes.count else { return nil }
    /// Returns a number from a column. The column has the format that `append(planesOf:)` writes.
    func number(_ index: Int, of count: Int, at column: Int, width: Int) -> UInt64 {
      (0..<width).reduce(0) { $0 | UInt64(bytes[column + $1 * count + index]) << UInt64(8 * $1) }
    }
    let files: [(checksum: UInt64, length: UInt32)] = (0..<fileCount).map {
      (bytes.read(at: start + 4 + 8 * $0), UInt32(number($0, of: fileCount, at: lengths, width: 4)))
    }
    var ends = [UInt64](repeating: 0, count: max(fileCount, 1))
    var places: [PageReference] = []
    for index in 0..<count {
      let file = Int(number(index, of: count, at: columns, width: 4))
      let length = UInt32(number(index, of: count, at: columns + 12 * count, width: 4))
      guard file < ends.count else { return nil }
      guard length > 0 else { places.append(.none); continue }
      let gap = number(index, of: count, at: columns + 4 * count, width: 8)
      let offset = ends[file] &+ (gap >> 1 ^ (0 &- (gap & 1)))
      places.append(
        PageReference(
          file: files.isEmpty ? nil : files[file].checksum, fileLength: files.isEmpty ? 0 : files[file].length,
          offset: offset, length: length))
      ends[file] = offset &+ UInt64(length)
    }
    return places
  }
}
