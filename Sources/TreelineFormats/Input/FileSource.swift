#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file, or standard input, read with the system's own calls.
final class FileSource: ByteSource {
  let displayName: String
  private let descriptor: Int32
  /// In bytes; `nil` for pipes and devices, which do not tell.
  private let size: Int64?
  private var bytesRead: Int64 = 0
  private let progress: PointReader.Progress?

  /// - Throws: `unopenable`, also for a directory.
  init(path: String, progress: PointReader.Progress?) throws(ReadingError) {
    displayName = path == "-" ? "<stdin>" : path
    self.progress = progress
    guard !path.utf8.contains(0) else {
      throw .unopenable(file: visible(path), reason: "a path has no NUL byte")
    }
    descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unopenable(file: displayName, reason: systemError()) }
    var status = stat()
    let hasStatus = fstat(descriptor, &status) == 0
    size = hasStatus && status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
    if hasStatus && status.st_mode & S_IFMT == S_IFDIR {
      throw .unopenable(file: displayName, reason: "it is a directory")
    }
  }

  deinit {
    if descriptor > STDIN_FILENO { close(descriptor) }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadingError) -> Int {
    while true {
      #if canImport(Darwin)
        let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
      #elseif canImport(Musl)
        let count = Musl.read(descriptor, buffer.baseAddress, buffer.count)
      #else
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      #endif
      if count >= 0 {
        bytesRead += Int64(count)
        progress?(bytesRead, size)
        return count
      }
      // A signal that arrived meanwhile is no failure.
      if errno != EINTR { throw .readFailed(file: displayName, reason: systemError()) }
    }
  }
}

private func systemError() -> String { String(cString: strerror(errno)) }
