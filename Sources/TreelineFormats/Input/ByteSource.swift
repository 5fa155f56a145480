import CLibrary

/// A source of bytes.
protocol ByteSource: AnyObject {
  /// Reads bytes into a buffer with room for at least one byte. Returns the number of bytes; 0 at the end of the input.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadingError) -> Int
}

/// Bytes that are already in memory.
final class MemorySource: ByteSource {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, bytes.count - position)
    bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count])) }
    position += count
    return count
  }
}

/// A file or standard input, read with system calls.
final class FileSource: ByteSource {
  let displayName: String
  private let descriptor: Int32
  /// Size in bytes; nil for pipes and devices, whose size is unknown.
  private let size: Int64?
  private var bytesRead: Int64 = 0
  private let progress: PointReader.Progress?
  private let batches: PointBatches?

  /// Opens a file, or standard input for `-`.
  ///
  /// - Parameter batches: Receives all bytes that are read, and computes their checksum.
  /// - Throws: `unopenable` if the file cannot be opened or is a folder.
  init(path: String, progress: PointReader.Progress?, batches: PointBatches? = nil) throws(ReadingError) {
    displayName = path == "-" ? "standard input" : path
    (self.progress, self.batches) = (progress, batches)
    guard !path.utf8.contains(0) else {
      throw .unopenable(file: visible(path), reason: "a path must not contain a NUL byte")
    }
    descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unopenable(file: displayName, reason: systemError()) }
    var status = stat()
    let hasStatus = fstat(descriptor, &status) == 0
    size = hasStatus && status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
    if hasStatus && status.st_mode & S_IFMT == S_IFDIR {
      throw .unopenable(
        file: displayName,
        reason: "this is a folder; for a folder of Parquet files, use treelinemap.build_parquet in Python")
    }
  }

  deinit { if descriptor > STDIN_FILENO { close(descriptor) } }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadingError) -> Int {
    while true {
      let count = readBytes(descriptor, into: buffer)
      if count >= 0 {
        bytesRead += Int64(count)
        batches?.note(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        progress?(bytesRead, size)
        return count
      }
      // If a signal interrupted the call, the call is repeated.
      if errno != EINTR { throw .readFailed(file: displayName, reason: systemError()) }
    }
  }
}

/// A global function, because within the class the name `read` means the class's own function.
private func readBytes(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
  read(descriptor, buffer.baseAddress, buffer.count)
}

private func systemError() -> String { String(cString: strerror(errno)) }
