import Treeline

#if POSIX
  /// The section that prepares a column for percentiles, distinct counts or a search. The section can be computed even
  /// if the values do not fit into memory. `RankedPoints` makes the section in memory, with the same bytes.
  ///
  /// A section for percentiles or distinct counts holds an integer for each point. The integers are stored as a matrix
  /// of bits, with one level for each bit of an integer. First, the points are grouped into ranges of values, and each
  /// range is sorted in memory. The resulting order of all points determines the integer of each point. Then the
  /// integers are grouped into ranges of tree indices, which puts them back into tree order. After that, the levels of
  /// the matrix are made one by one. For each level, the integers are read from one file, sorted by one bit, and
  /// written to another file. For a search, only the order of the points is written.
  struct ScratchMatrix {
    private let pointCount: Int
    private let kind: IndexColumn.Preparation
    private let workspace: Workspace

    /// The folder, the memory and the callbacks for preparing columns.
    struct Workspace {
      let folder: ScratchFolder
      /// Memory budget in bytes.
      let memory: Int
      let monitor: BuildMonitor
      /// Called while the section is computed, with the amount of work done so far and the total amount of work.
      var progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
      /// Gives the memory pages of the mapped column back to the system.
      fileprivate(set) var giveBack: () -> Void = {}
      /// Number of points between two checks for cancellation.
      var blockSize = 1 << 18

      func checkCancelled() throws(PieceError) { if monitor.isCancelled { throw .cancelled } }
    }

    /// A point of the matrix: its tree index, and its integer.
    private struct Placed: BitwiseCopyable {
      let index: UInt32
      let integer: UInt32
    }

    /// Memory, in bytes, that the lists for a search may take even if the memory budget is smaller.
    private static let leastSearchMemory = 1 << 23

    /// Integers of all points, in tree order.
    private let integers: ScratchFile
    /// The tree indices that are listed in the section, see `MatrixIntegers`.
    private let listedIndices: ScratchFile
    private var found: MatrixIntegers
    private var missingCount = 0
    /// The lists that a search needs; nil for percentiles and distinct counts.
    private var places: SearchPlaces?
    /// For each level, the number of its bits that are 0.
    private var zeroCounts: [Int] = []

    /// Prepares a column of an index that is being written. The column's own section must be written already.
    init(
      preparing section: IndexSection, of file: AtomicFile, pointCount: Int, for kind: IndexColumn.Preparation,
      in workspace: Workspace
    ) throws(PieceError) {
      let mapped = try MappedFile(beingWritten: file)
      defer { withExtendedLifetime(mapped) {} }
      let bytes = UnsafeRawBufferPointer(
        rebasing: mapped.bytes[Int(section.offset)..<Int(section.offset + section.length)])
      var workspace = workspace
      workspace.giveBack = mapped.giveBack
      try self.init(preparing: .encoded(bytes, pointCount: pointCount), for: kind, in: workspace)
    }

    /// Prepares a column.
    ///
    /// - Complexity: O(pointCount) time, and up to 16 bytes per point on the disk.
    init(
      preparing column: Column, for kind: IndexColumn.Preparation, in workspace: Workspace
    ) throws(PieceError) {
      (pointCount, self.kind, self.workspace) = (column.pointCount, kind, workspace)
      found = MatrixIntegers(for: kind)
      (integers, listedIndices) = (try workspace.folder.unnamedFile(), try workspace.folder.unnamedFile())
      let keys = OrderedKeys(of: column)
      let ranges = try Self.ranges(
        of: keys, pointCount, mostPoints: max(1, min(workspace.memory / 64, 1 << 19)), workspace)
      let placed = try place(keys, ranges)
      guard kind == .search else {
        try writeIntegers(placed)
        return
      }
      guard case .entries(let entries) = column.values else {
        throw .column(.notSearchable(name: column.name, kind: .number))
      }
      let words = SearchPlaces.Words(of: entries.dictionary, pointCount: listedCount, workspace.monitor)
      let memory = max(workspace.memory, Self.leastSearchMemory)
      guard words.memory <= memory else {
        throw .unsupported(
          what: "Column \(column.name.debugDescription)",
          reason: "preparing its words for a search needs more than the \(memory) bytes that are available",
          remedy: "leave out '+search' or allow more memory")
      }
      places = SearchPlaces(of: words, workspace.monitor)
      try workspace.checkCancelled()
    }

    // MARK: - By value

    /// A range of a column's keys, and the number of points with these keys.
    private struct KeyRange {
      var keys: ClosedRange<UInt64>
      var count: Int

      var isOneKey: Bool { keys.lowerBound == keys.upperBound }
    }

    /// Returns ranges of keys in ascending order. All ranges together contain all keys of a column except the key of
    /// missing values. Only a range with a single key may have more than `mostPoints` points.
    private static func ranges(
      of keys: OrderedKeys, _ pointCount: Int, mostPoints: Int, _ workspace: Workspace
    ) throws(PieceError) -> [KeyRange] {
      var all: KeyRange?
      try forEachKey(of: keys, pointCount, workspace) { key in
        guard let found = all else { return all = KeyRange(keys: key...key, count: 1) }
        all = KeyRange(
          keys: min(found.keys.lowerBound, key)...max(found.keys.upperBound, key), count: found.count + 1)
      }
      var ranges = all.map { [$0] } ?? []
      while ranges.contains(where: { $0.count > mostPoints && !$0.isOneKey }) {
        // Ranges with too many points are divided into bins of equal width.
        var histograms = ranges.map { range in
          range.count > mostPoints && !range.isOneKey ? KeyHistogram(range.keys) : nil
        }
        try forEachKey(of: keys, pointCount, workspace) { key in
          let range = firstIndex(in: ranges.indices) { ranges[$0].keys.upperBound >= key }
          histograms[range]?.add(key)
        }
        ranges = zip(ranges, histograms).flatMap { range, histogram in
          histogram?.ranges(mostPoints: mostPoints) ?? [range]
        }
      }
      return ranges
    }

    /// Number of points in each bin. The bins divide a range of keys, and all bins have equal width.
    private struct KeyHistogram {
      private let keys: ClosedRange<UInt64>
      private let shift: UInt64
      private var counts: [Int]

      init(_ keys: ClosedRange<UInt64>) {
        self.keys = keys
        let width = keys.upperBound - keys.lowerBound
        shift = UInt64(max(0, UInt64.bitWidth - width.leadingZeroBitCount - 12))
        counts = Array(repeating: 0, count: Int(width >> shift) + 1)
      }

      mutating func add(_ key: UInt64) { counts[Int((key - keys.lowerBound) >> shift)] += 1 }

      /// Returns ranges of adjacent bins. Each range has as many bins as possible, but at most `mostPoints` points.
      func ranges(mostPoints: Int) -> [KeyRange] {
        var ranges: [KeyRange] = []
        for (bin, count) in counts.enumerated() where count > 0 {
          let start = keys.lowerBound + UInt64(bin) << shift
          let end = bin == counts.count - 1 ? keys.upperBound : start + (1 << shift - 1)
          if let last = ranges.last, last.count + count <= mostPoints {
            ranges[ranges.count - 1] = KeyRange(keys: last.keys.lowerBound...end, count: last.count + count)
          } else {
            ranges.append(KeyRange(keys: start...end, count: count))
          }
        }
        return ranges
      }
    }

    /// Visits the keys of all points whose value is not missing, in tree order.
    private static func forEachKey(
      of keys: OrderedKeys, _ pointCount: Int, _ workspace: Workspace, _ visit: (UInt64) -> Void
    ) throws(PieceError) {
      for block in (0..<pointCount).blocks(of: workspace.blockSize) {
        try workspace.checkCancelled()
        workspace.progress(block.lowerBound, 3 * pointCount)
        for index in block where keys[index] != OrderedKeys.missing { visit(keys[index]) }
        workspace.giveBack()
      }
    }

    // MARK: - By place

    /// Sorts points by key. Points with equal keys are sorted in tree order. For percentiles and distinct counts, also
    /// determines the integer that the section holds for each point.
    private mutating func place(_ keys: OrderedKeys, _ ranges: [KeyRange]) throws(PieceError) -> DividedFile<Placed> {
      let indices = DividedFile<UInt32>(
        try workspace.folder.unnamedFile(), capacities: ranges.map(\.count), memory: workspace.memory / 4)
      for block in (0..<pointCount).blocks(of: workspace.blockSize) {
        try workspace.checkCancelled()
        workspace.progress(pointCount + block.lowerBound, 3 * pointCount)
        for index in block where keys[index] != OrderedKeys.missing {
          let range = firstIndex(in: ranges.indices) { ranges[$0].keys.upperBound >= keys[index] }
          try indices.append(UInt32(index), to: range)
        }
        workspace.giveBack()
      }
      try indices.flush()
      let capacity = max(1, min(workspace.memory / 32, 1 << 19))
      let placed = DividedFile<Placed>(
        try workspace.folder.unnamedFile(),
        capacities: (0..<pointCount).blocks(of: capacity).map(\.count), memory: workspace.memory / 4)
      let listed = DividedFile<UInt32>(listedIndices, capacities: [pointCount], memory: workspace.memory / 16)
      func add(_ index: UInt32, _ key: UInt64) throws(PieceError) {
        let (integer, isListed) = found.add(index, key)
        if isListed { try listed.append(index, to: 0) }
        if kind != .search { try placed.append(Placed(index: index, integer: integer), to: Int(index) / capacity) }
      }
      for (number, range) in ranges.enumerated() {
        try indices.forEachBlock(ofPart: number, size: range.isOneKey ? workspace.blockSize : range.count) {
          block throws(PieceError) in
          try workspace.checkCancelled()
          if range.isOneKey {
            for index in block { try add(index, range.keys.lowerBound) }
          } else {
            let own = block.map { keys[Int($0)] }
            for place in RankedPoints.sorted(own, workspace.monitor) { try add(block[Int(place)], own[Int(place)]) }
            workspace.giveBack()
          }
        }
      }
      missingCount = pointCount - ranges.reduce(0) { $0 + $1.count }
      try listed.flush()
      try placed.flush()
      return placed
    }

    /// Writes the integers of all points in tree order.
    private mutating func writeIntegers(_ placed: DividedFile<Placed>) throws(PieceError) {
      var (greatest, ones, start) = (UInt32(0), [Int](repeating: 0, count: 32), 0)
      for (part, capacity) in placed.capacities.enumerated() {
        try workspace.checkCancelled()
        workspace.progress(2 * pointCount + start, 3 * pointCount)
        // At first, each point gets the integer that means a missing value.
        var own = (start..<start + capacity).map { found.missing(at: UInt32($0)) }
        try placed.forEachBlock(ofPart: part, size: workspace.blockSize) { block in
          for point in block { own[Int(point.index) - start] = point.integer }
        }
        for bit in 0..<32 { ones[bit] += own.reduce(0) { $0 &+ Int($1 &>> UInt32(bit) & 1) } }
        greatest = max(greatest, own.max() ?? 0)
        try own.withUnsafeBufferPointer { own throws(PieceError) in try integers.write(own, at: start) }
        start += capacity
      }
      let levelCount = WaveletMatrix.levelCount(for: greatest)
      zeroCounts = (0..<levelCount).map { pointCount - ones[levelCount - 1 - $0] }
    }

    // MARK: - The section

    /// Length of the section, in bytes.
    var byteCount: Int {
      places?.sectionLength(pointCount: listedCount)
        ?? ColumnMatrix.byteCount(
          ofPoints: pointCount, levelCount: levelCount, valueCount: listedCount)
    }

    var sectionKind: IndexSection.Kind { kind.sectionKind }

    private var listedCount: Int { found.listedCount }

    private var levelCount: Int { zeroCounts.count }

    /// Writes the section.
    ///
    /// - Parameter number: Number of this column among the column sections of the index.
    func write(ofColumn number: Int, to stream: inout SectionStream) throws(PieceError) {
      if let places {
        try stream.append(places.head(ofColumn: number, pointCount: listedCount))
        return try writeListedIndices(to: &stream)
      }
      try stream.append(
        ColumnMatrix.head(
          ofColumn: number, valueCount: listedCount, missingCount: kind == .percentiles ? missingCount : 0,
          zeroCounts: zeroCounts))
      var (current, other) = (integers, try workspace.folder.unnamedFile())
      for level in 0..<levelCount {
        try write(level, of: current, to: &stream, sortedTo: other)
        (current, other) = (other, current)
      }
      try writeListedIndices(to: &stream)
    }

    private func writeListedIndices(to stream: inout SectionStream) throws(PieceError) {
      let buffer = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: min(listedCount, workspace.blockSize))
      defer { buffer.deallocate() }
      for block in (0..<listedCount).blocks(of: workspace.blockSize) {
        let part = UnsafeMutableBufferPointer(rebasing: buffer[..<block.count])
        try listedIndices.read(part, at: block.lowerBound)
        try stream.append(UnsafeRawBufferPointer(part))
      }
    }

    /// Writes the bits of one level of the matrix, and sorts the integers into the order of the next level.
    private func write(
      _ level: Int, of source: ScratchFile, to stream: inout SectionStream, sortedTo target: ScratchFile
    ) throws(PieceError) {
      let size = max(1, workspace.blockSize / WaveletMatrix.bitsPerBlock) * WaveletMatrix.bitsPerBlock
      let (integers, ones) = (
        UnsafeMutableBufferPointer<UInt32>.allocate(capacity: size),
        UnsafeMutablePointer<UInt32>.allocate(capacity: size)
      )
      defer {
        integers.deallocate()
        ones.deallocate()
      }
      var (zeroEnd, oneEnd) = (0, zeroCounts[level])
      for start in stride(from: 0, through: pointCount, by: size) {
        try workspace.checkCancelled()
        let count = min(size, pointCount - start)
        let part = UnsafeMutableBufferPointer(rebasing: integers[..<count])
        try source.read(part, at: start)
        // The last block of the level may have no bits.
        let blockCount = count < size ? WaveletMatrix.blockCount(of: count) : count / WaveletMatrix.bitsPerBlock
        var blocks = [UInt8](repeating: 0, count: blockCount * WaveletMatrix.bytesPerBlock)
        let zeroCount = blocks.withUnsafeMutableBytes {
          part.partition(
            byBit: levelCount - 1 - level, into: $0, oneCount: oneEnd - zeroCounts[level], ones: ones)
        }
        try stream.append(blocks)
        try target.write(UnsafeBufferPointer(rebasing: part[..<zeroCount]), at: zeroEnd)
        try target.write(UnsafeBufferPointer(start: ones, count: count - zeroCount), at: oneEnd)
        zeroEnd += zeroCount
        oneEnd += count - zeroCount
      }
    }
  }

  /// A file whose elements are divided into parts. Each part keeps the order in which its elements were added.
  private final class DividedFile<Element: BitwiseCopyable> {
    private let file: ScratchFile
    /// For each part, the number of elements that the part can hold.
    let capacities: [Int]
    private let starts: [Int]
    /// For each part, the number of its elements that have been written to the file.
    private var counts: [Int]
    private var pending: BufferedParts
    private let buffer: UnsafeMutablePointer<Element>

    /// - Parameter memory: Memory, in bytes, for elements that are not yet written to the file.
    init(_ file: ScratchFile, capacities: [Int], memory: Int) {
      (self.file, self.capacities) = (file, capacities)
      var (starts, end): ([Int], Int) = ([], 0)
      for capacity in capacities {
        starts.append(end)
        end += capacity
      }
      self.starts = starts
      counts = Array(repeating: 0, count: capacities.count)
      pending = BufferedParts(
        partCount: capacities.count, recordLength: MemoryLayout<Element>.stride, memory: memory)
      buffer = .allocate(capacity: pending.slotCount)
    }

    deinit { buffer.deallocate() }

    func append(_ element: Element, to part: Int) throws(PieceError) {
      (buffer + pending.add(to: part)).initialize(to: element)
      if pending.isFull(part) { try flush(part) }
    }

    func flush() throws(PieceError) { for part in capacities.indices { try flush(part) } }

    private func flush(_ part: Int) throws(PieceError) {
      let elements = UnsafeBufferPointer(buffer, pending.removeAll(from: part))
      try file.write(elements, at: starts[part] + counts[part])
      counts[part] += elements.count
    }

    func forEachBlock(
      ofPart part: Int, size: Int, _ body: (UnsafeBufferPointer<Element>) throws(PieceError) -> Void
    ) throws(PieceError) {
      let buffer = UnsafeMutableBufferPointer<Element>.allocate(capacity: min(size, counts[part]))
      defer { buffer.deallocate() }
      for block in (0..<counts[part]).blocks(of: max(size, 1)) {
        let elements = UnsafeMutableBufferPointer(rebasing: buffer[..<block.count])
        try file.read(elements, at: starts[part] + block.lowerBound)
        try body(UnsafeBufferPointer(elements))
      }
    }
  }

  extension MappedFile {
    /// Maps the bytes of the file that have been written so far.
    fileprivate convenience init(beingWritten file: AtomicFile) throws(PieceError) {
      do throws(IndexError) { try self.init(path: file.partialPath) } catch {
        throw .scratch(path: file.partialPath, action: "map it", reason: "\(error)")
      }
    }
  }
#endif
