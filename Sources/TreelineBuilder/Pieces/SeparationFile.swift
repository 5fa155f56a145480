import CLibrary
import Treeline

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  /// A file with the codes of a tree's separations. A separation is the distance at which a cluster is split. The code
  /// of node number i is at index i. Any number of threads may set codes at once.
  final class SeparationFile: @unchecked Sendable {
    private let file: ScratchFile
    private let codes: UnsafeMutableBufferPointer<UInt16>
    private var bytes: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(codes) }

    /// If `isWhole` is true, opens an existing file that already has all codes. Otherwise, creates a file in which all
    /// codes are zero.
    init(_ path: String, count: Int, isWhole: Bool) throws(PieceError) {
      let file = try ScratchFile(path)
      self.file = file
      if !isWhole {
        try file.setLength(0)
        try file.reserve(2 * count)
      }
      let start = try file.map(2 * count)
      codes = UnsafeMutableBufferPointer(start: start?.assumingMemoryBound(to: UInt16.self), count: count)
    }

    deinit { if let start = bytes.baseAddress { munmap(start, bytes.count) } }

    func set(_ number: UInt32, _ code: UInt16) { codes[Int(number)] = code }

    /// Flushes all codes to the disk.
    func synchronize() throws(PieceError) {
      if let start = bytes.baseAddress, msync(start, bytes.count, MS_SYNC) != 0 {
        throw .scratch(path: file.path, action: "flush it to the disk", reason: systemReason())
      }
      try file.synchronize()
    }

    var checksum: UInt64 {
      get throws(PieceError) {
        var hasher = XXHash64()
        try forEachBlock { hasher.update($0) }
        return hasher.finalize()
      }
    }

    var byteCount: Int { bytes.count }

    /// Releases the memory that holds the mapped file. The codes of the separations stay in the file.
    func giveBack() { if let start = bytes.baseAddress { _ = madvise(start, bytes.count, MADV_DONTNEED) } }

    func forEachBlock(_ body: (UnsafeRawBufferPointer) throws(PieceError) -> Void) throws(PieceError) {
      for block in codes.indices.blocks(of: ScratchBuild.blockSize) {
        try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: codes[block])))
        giveBack()
      }
      withExtendedLifetime(self) {}
    }
  }

  extension SeparatedTree {
    /// Opens the tree of an index that is being written. All sections of the tree except the rows must be written
    /// already.
    init(
      _ sections: [IndexSection], of file: AtomicFile, _ survey: PointSurvey, pointCount: Int, nodeCount: Int,
      groups: TreeGroups?
    ) throws(PieceError) {
      let mapped = try MappedFile(beingWritten: file)
      nonisolated(unsafe) let bytes = mapped.bytes
      func start<Entry>(_ kind: IndexSection.Kind) -> UnsafePointer<Entry> {
        let section = sections.first { $0.kind == kind }!
        return (bytes.baseAddress! + Int(section.offset)).assumingMemoryBound(to: Entry.self)
      }
      let storage = TreeStorage(
        // The rows of this tree are never read, so their address does not matter.
        points: start(.points), rows: StoredRows(start(.points) as UnsafePointer<UInt32>), pointCount: pointCount,
        gaps: start(.gaps), nodes: start(.nodes),
        nodeCount: nodeCount, sums: start(.sums), spreads: start(.spreads), groups: groups,
        release: { withExtendedLifetime(mapped) {} })
      self.init(storage, survey.plane.projection) { mapped.giveBack() }
    }
  }

  extension MappedFile {
    /// Maps the bytes of the file that have been written so far.
    convenience init(beingWritten file: AtomicFile) throws(PieceError) {
      do throws(IndexError) { try self.init(path: file.partialPath) } catch {
        throw .scratch(path: file.partialPath, action: "map it", reason: "\(error)")
      }
    }
  }
#endif
