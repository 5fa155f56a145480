import CLibrary

// On platforms that are not listed here, an index can only be read from memory. Windows maps files with other
// functions, and WebAssembly cannot map files.
#if POSIX
  /// A regular file that is open for reading, for as long as this object lives.
  final class OpenFile {
    /// The name of the file in errors.
    let name: String
    /// The length of the file in bytes.
    let length: Int
    let descriptor: CInt
    private let isStandardInput: Bool

    /// - Parameter path: The path of the file; `-` for standard input, which a shell may have redirected to a file.
    init(path: String) throws(IndexError) {
      isStandardInput = path == "-"
      name = isStandardInput ? "standard input" : path
      // The system reads a path only up to its first NUL byte. So it would open another file.
      guard !path.utf8.contains(0) else {
        throw .unopenable(path: path.visible, reason: "a path must not contain a NUL byte")
      }
      // Without O_NONBLOCK, `open` would block on a named pipe until another process opens the pipe for writing.
      descriptor = isStandardInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      var status = stat()
      let isOpen = descriptor >= 0 && fstat(descriptor, &status) == 0
      length = isOpen ? Int(status.st_size) : 0
      guard isOpen else { throw .unopenable(path: name, reason: String(cString: strerror(errno))) }
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw .unopenable(
          path: name,
          reason: "expected a regular file, because an index is mapped into memory, found \(Self.kind(of: status)); "
            + (isStandardInput ? "redirect standard input from a file with '<'" : "give the path of a file"))
      }
    }

    private static func kind(of status: stat) -> String {
      switch status.st_mode & S_IFMT {
      case S_IFDIR: "a folder"
      case S_IFIFO: "a pipe"
      default: "a device"
      }
    }

    deinit { if descriptor >= 0 && !isStandardInput { close(descriptor) } }
  }

  /// A file mapped into memory for reading, for as long as this object lives.
  ///
  /// Renaming another file over the mapped file is safe: the mapping keeps the old file. Shortening the file in place
  /// is not safe, and no reader can protect itself against a shortened file.
  package final class MappedFile: @unchecked Sendable {
    /// The bytes of the file, valid as long as the object lives. Prefer `withBytes`, because a temporary object may be
    /// released before the last use of its bytes.
    package let bytes: UnsafeRawBufferPointer
    /// The name of the file in errors.
    package let name: String

    /// - Parameter path: The path of the file; `-` for standard input, which a shell may have redirected to a file.
    package init(path: String) throws(IndexError) {
      let file = try OpenFile(path: path)
      defer { withExtendedLifetime(file) {} }
      name = file.name
      guard file.length > 0 else {
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        return
      }
      guard let start = mmap(nil, file.length, PROT_READ, MAP_SHARED, file.descriptor, 0), start != MAP_FAILED else {
        throw .unopenable(path: name, reason: String(cString: strerror(errno)))
      }
      bytes = UnsafeRawBufferPointer(start: start, count: file.length)
    }

    deinit { if let start = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: start), bytes.count) } }

    /// Gives the memory pages of the file back to the system. If a page is used later, it is read from the file again.
    package func giveBack() {
      if let start = bytes.baseAddress {
        _ = madvise(UnsafeMutableRawPointer(mutating: start), bytes.count, MADV_DONTNEED)
      }
    }

    func withBytes<Result, Failure>(_ work: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure)
      -> Result
    {
      defer { withExtendedLifetime(self) {} }
      return try work(bytes)
    }
  }

  /// Writes bytes at an offset of an open file. Returns false if the system refuses to write; `errno` says why.
  package func writeFully(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt, at offset: Int) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = pwrite(descriptor, bytes.baseAddress! + done, min(bytes.count - done, 1 << 30), off_t(offset + done))
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  /// Fills a buffer with the bytes at an offset of an open file.
  ///
  /// - Returns: The number of bytes that were read. If the file ends early, this number is less than the length of the
  ///   buffer. Returns -1 if the system refuses to read; `errno` then says why.
  package func readFully(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: CInt, at offset: Int) -> Int {
    var done = 0
    while done < buffer.count {
      let count = pread(descriptor, buffer.baseAddress! + done, min(buffer.count - done, 1 << 30), off_t(offset + done))
      if count < 0 && errno == EINTR { continue }
      if count < 0 { return -1 }
      if count == 0 { break }
      done += count
    }
    return done
  }
#endif
