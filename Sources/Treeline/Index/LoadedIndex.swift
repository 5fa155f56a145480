import CLibrary

#if POSIX
  /// An opened index and its header. This type is for programs that keep running while their indexes are replaced.
  @_spi(Server) public struct LoadedIndex: Sendable {
    let header: IndexHeader
    public let tree: ClusterTree

    /// Maps an index into memory, like `ClusterTree(contentsOfFile:)`. If another program writes to the file, the tree
    /// changes.
    ///
    /// - Throws: `IndexError`
    public init(mapping path: String) throws(IndexError) {
      let file = try MappedFile(path: path)
      header = try file.withBytes { bytes throws(IndexError) in try IndexHeader(bytes, name: file.name) }
      tree = try ClusterTree(bytes: file.bytes, name: file.name, keeping: file)
    }

    /// Reads a whole index into separate memory, and checks its bytes against its checksums. Later changes of the file
    /// do not change the tree.
    ///
    /// - Throws: `IndexError`
    /// - Complexity: O(bytes)
    public init(copying path: String) throws(IndexError) {
      let copy = try FileCopy(OpenFile(path: path))
      defer { withExtendedLifetime(copy) {} }
      header = try IndexHeader(copy.bytes, name: path)
      for section in header.sections {
        var hasher = XXHash64()
        hasher.update(UnsafeRawBufferPointer(rebasing: copy.bytes[section.range]))
        try section.require(hasher.finalize(), path: path)
      }
      tree = try ClusterTree(bytes: copy.bytes, name: path, keeping: copy)
    }
  }

  @_spi(Server) extension LoadedIndex {
    /// The checksum of the header. The header contains the checksums of all sections.
    public var checksum: UInt64 { header.checksum }

    /// Reads the header of an index, and returns its checksum.
    ///
    /// - Throws: `IndexError` if the file is not an index.
    public static func checksum(ofIndex path: String) throws(IndexError) -> UInt64 {
      try IndexHeader(ofIndex: path).checksum
    }

    /// Compares the sections of a file with the checksums in the header of this index. The file is not mapped. So if
    /// the file is truncated during the comparison, this function throws, and the program does not crash.
    ///
    /// - Throws: `IndexError`
    /// - Complexity: O(bytes)
    public func checkSections(ofIndex path: String) throws(IndexError) {
      let file = try OpenFile(path: path)
      let block = UnsafeMutableRawBufferPointer.allocate(byteCount: OpenFile.blockLength, alignment: 16)
      defer { block.deallocate() }
      for section in header.sections {
        var hasher = XXHash64()
        var offset = section.range.lowerBound
        while offset < section.range.upperBound {
          let part = UnsafeMutableRawBufferPointer(rebasing: block.prefix(section.range.upperBound - offset))
          try file.read(part, at: offset)
          hasher.update(UnsafeRawBufferPointer(part))
          offset += part.count
        }
        try section.require(hasher.finalize(), path: path)
      }
    }
  }

  extension IndexSection {
    fileprivate func require(_ found: UInt64, path: String) throws(IndexError) {
      if found == checksum { return }
      throw .malformed(
        path: path, offset: offset, expected: "section \(kind) with checksum \(String(checksum, radix: 16))",
        found: String(found, radix: 16))
    }
  }

  extension OpenFile {
    /// The greatest number of bytes of a section that are in memory while the section is compared with its checksum.
    fileprivate static let blockLength = 4 << 20

    /// Fills a buffer with the bytes of the file from an offset on.
    fileprivate func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(IndexError) {
      let count = readFully(buffer, from: descriptor, at: offset)
      guard count >= 0 else { throw .unopenable(path: name, reason: String(cString: strerror(errno))) }
      guard count == buffer.count else {
        throw .malformed(
          path: name, offset: UInt64(offset + count), expected: "\(length) bytes, as when the file was opened",
          found: "the end of the file")
      }
    }
  }

  /// A copy of a file's bytes. Its memory goes back to the system as soon as the copy is freed.
  private final class FileCopy: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    init(_ file: OpenFile) throws(IndexError) {
      guard file.length > 0 else {
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        return
      }
      let start = mmap(nil, file.length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      guard let start, start != MAP_FAILED else {
        throw .unopenable(path: file.name, reason: "no memory for \(file.length) bytes")
      }
      bytes = UnsafeRawBufferPointer(start: start, count: file.length)
      try file.read(UnsafeMutableRawBufferPointer(start: start, count: file.length), at: 0)
    }

    deinit { if let start = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: start), bytes.count) } }
  }
#endif
