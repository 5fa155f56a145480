import CLibrary
import Treeline

#if POSIX
  /// A file in a scratch folder. Any number of threads may read and write the file at once.
  final class ScratchFile: Sendable {
    let path: String
    let descriptor: Int32

    /// Opens a file. Creates the file if it does not exist.
    init(_ path: String) throws(PieceError) {
      self.path = path
      descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw .scratch(path: path, action: "open it", reason: systemReason()) }
    }

    /// Opens an existing file.
    init(reading path: String) throws(PieceError) {
      self.path = path
      descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw .scratch(path: path, action: "open it", reason: systemReason()) }
    }

    deinit { close(descriptor) }

    var length: Int {
      var status = stat()
      return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(PieceError) {
      guard writeFully(bytes, to: descriptor, at: offset) else { throw failure("write it") }
    }

    func write<Element: BitwiseCopyable>(_ elements: UnsafeBufferPointer<Element>, at index: Int) throws(PieceError) {
      try write(UnsafeRawBufferPointer(elements), at: index * MemoryLayout<Element>.stride)
    }

    /// Fills a buffer with the bytes at an offset.
    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(PieceError) {
      let count = readFully(buffer, from: descriptor, at: offset)
      guard count >= 0 else { throw failure("read it") }
      guard count == buffer.count else {
        throw .damaged(what: path, expected: "\(offset + buffer.count) bytes", found: "\(offset + count)")
      }
    }

    func read<Element: BitwiseCopyable>(_ elements: UnsafeMutableBufferPointer<Element>, at index: Int)
      throws(PieceError)
    { try read(UnsafeMutableRawBufferPointer(elements), at: index * MemoryLayout<Element>.stride) }

    func setLength(_ length: Int) throws(PieceError) {
      guard ftruncate(descriptor, off_t(length)) == 0 else { throw failure("make it \(length) bytes long") }
    }

    /// Makes an empty file `length` bytes long, and reserves the disk space for these bytes. All bytes are 0. If a
    /// file without reserved space were mapped to addresses, the process would be killed when it writes to these
    /// addresses while the disk is full.
    func reserve(_ length: Int) throws(PieceError) {
      if length == 0 { return }
      #if !canImport(Darwin)
        var code: Int32
        repeat { code = posix_fallocate(descriptor, 0, off_t(length)) } while code == EINTR
        if code == 0 { return }
        // Some file systems cannot reserve space.
        guard [EOPNOTSUPP, ENOSYS, EINVAL].contains(code) else {
          // The function returns the error and leaves `errno` unchanged.
          errno = code
          throw failure("make it \(length) bytes long")
        }
      #endif
      let zeros = [UInt8](repeating: 0, count: min(length, 1 << 20))
      for block in (0..<length).blocks(of: 1 << 20) {
        try zeros[..<block.count].withUnsafeBufferPointer { zeros throws(PieceError) in
          try write(UnsafeRawBufferPointer(zeros), at: block.lowerBound)
        }
      }
    }

    /// Maps the first bytes of the file to addresses, for reading and writing. Returns nil if the length is zero.
    func map(_ length: Int) throws(PieceError) -> UnsafeMutableRawPointer? {
      if length == 0 { return nil }
      guard let start = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), start != MAP_FAILED else {
        throw failure("map it")
      }
      return start
    }

    /// Flushes all written bytes to the disk.
    func synchronize() throws(PieceError) {
      guard AtomicFile.synchronize(descriptor) == 0 else { throw failure("flush it to the disk") }
    }

    /// Returns the XXH64 hash of the bytes in a range of the file. Reads the bytes block by block.
    func checksum(of range: Range<Int>, _ checkCancelled: () throws(PieceError) -> Void) throws(PieceError) -> UInt64 {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(range.count, 1 << 20), alignment: 16)
      defer { buffer.deallocate() }
      var hasher = XXHash64()
      for block in range.blocks(of: 1 << 20) {
        try checkCancelled()
        let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer[..<block.count])
        try read(bytes, at: block.lowerBound)
        hasher.update(UnsafeRawBufferPointer(bytes))
      }
      return hasher.finalize()
    }

    private func failure(_ action: String) -> PieceError {
      .scratch(path: path, action: action, reason: systemReason())
    }
  }
#endif
