import Treeline

#if POSIX
  /// A scratch file that is written from the first byte to the last, and the checksum of the bytes written so far.
  struct AppendedFile {
    private let file: ScratchFile
    private let name: ScratchFolder.Name
    private var length = 0
    private var checksum = XXHash64()

    init(_ name: ScratchFolder.Name, in folder: ScratchFolder) throws(PieceError) {
      (self.name, file) = (name, try folder.file(name))
      try file.setLength(0)
    }

    mutating func append<Element: BitwiseCopyable>(_ elements: UnsafeBufferPointer<Element>) throws(PieceError) {
      let bytes = UnsafeRawBufferPointer(elements)
      try file.write(bytes, at: length)
      length += bytes.count
      checksum.update(bytes)
    }

    mutating func append<Element: BitwiseCopyable>(_ elements: [Element]) throws(PieceError) {
      try elements.withUnsafeBufferPointer { elements throws(PieceError) in try append(elements) }
    }

    /// Flushes the file to the disk. Until the file is flushed, the saved state of the build must not refer to the
    /// file.
    func finish() throws(PieceError) -> FileChecksum {
      try file.synchronize()
      return FileChecksum(name: name.rawValue, length: UInt64(length), checksum: checksum.finalize())
    }
  }

  /// The length and checksum that a file of an earlier run must have.
  struct FileChecksum: BinaryCodable {
    let name: String
    let length: UInt64
    let checksum: UInt64

    init(name: String, length: UInt64, checksum: UInt64) {
      (self.name, self.length, self.checksum) = (name, length, checksum)
    }

    func write(to bytes: inout PlainBytes) {
      bytes.append(name)
      bytes.append(length)
      bytes.append(checksum)
    }

    init(from bytes: inout PlainBytes) throws(PieceError) {
      (name, length, checksum) = (try bytes.readText(), try bytes.read(), try bytes.read())
    }

    /// Checks the file.
    ///
    /// - Throws: `PieceError.damaged` if the file has changed since it was written.
    func check(in folder: ScratchFolder, _ checkCancelled: () throws(PieceError) -> Void) throws(PieceError) {
      let file = try ScratchFile(reading: "\(folder.path)/\(name)")
      guard file.length == Int(clamping: length) else {
        throw .damaged(what: file.path, expected: "\(length) bytes", found: "\(file.length)")
      }
      let found = try file.checksum(of: 0..<file.length, checkCancelled)
      guard found == checksum else { throw .otherChecksum(of: file.path, expected: checksum, found: found) }
    }
  }

  extension PieceError {
    static func otherChecksum(of path: String, expected: UInt64, found: UInt64) -> PieceError {
      .damaged(
        what: path, expected: "bytes with the checksum \(String(expected, radix: 16))",
        found: String(found, radix: 16))
    }
  }

  extension IndexBuild {
    /// Checks the files of an earlier run that are needed for the rest of the build.
    ///
    /// - Throws: `PieceError.damaged` if a file has changed since it was written. For example, a bit may have flipped,
    ///   or a power failure may have lost pages.
    func checkFiles() throws(PieceError) {
      guard let plan = state.planned?.plan, state.isPartitioned else {
        for file in state.files { try file.check(in: folder, checkCancelled) }
        let values = try ScratchValues(reading: self)
        for batch in values.batches.indices {
          try checkCancelled()
          try values.check(batch: batch)
        }
        return
      }
      let pieces = try ScratchPieces(in: folder, of: plan, layout, checkCancelled)
      // The points of a piece are removed once the piece is built. So only the points of pieces that are not built yet
      // are checked.
      let members = try PieceMembers(of: self)
      for task in plan.pieces[..<pieces.missingCount] { try members.check(task) }
      found = pieces
    }
  }
#endif
