import Treeline

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file that appears under its name only when it is complete and on the disk.
///
/// It is written beside its place under one fixed name. A build that is killed leaves that file behind, and the next
/// build of the same index takes it over; a lock tells it from a build that is still at work.
final class AtomicFile {
  private let path: String
  private let partialPath: String
  private let descriptor: Int32
  private var isFinished = false

  /// - Parameter path: where the file is to appear; a link is followed.
  init(path: String) throws(IndexWritingError) {
    self.path = Self.resolved(path)
    let (folder, name) = Self.split(self.path)
    partialPath = folder + "." + name + ".partial"
    descriptor = try Self.openLocked(partialPath, for: path)
  }

  deinit {
    if !isFinished { unlink(partialPath) }
    close(descriptor)
  }

  /// Writes bytes at an offset.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(IndexWritingError) {
    var rest = bytes[...]
    var offset = off_t(offset)
    while !rest.isEmpty {
      let written = pwrite(
        descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, min(rest.count, 1 << 30), offset)
      if written < 0 {
        if errno == EINTR { continue }
        throw failure("write it")
      }
      rest = rest.dropFirst(written)
      offset += off_t(written)
    }
  }

  /// Makes sure that all is on the disk, then gives the file its name, in place of any that had it.
  func finish() throws(IndexWritingError) {
    guard fsync(descriptor) == 0 else { throw failure("bring it to the disk") }
    guard rename(partialPath, path) == 0 else { throw failure("give it its name") }
    isFinished = true
    // The name itself is on the disk once the folder is.
    let folder = open(Self.split(path).folder, O_RDONLY | O_CLOEXEC)
    if folder >= 0 {
      fsync(folder)
      close(folder)
    }
  }

  private func failure(_ action: String) -> IndexWritingError {
    .failed(path: path, action: action, reason: String(cString: strerror(errno)))
  }

  private static func openLocked(_ partialPath: String, for path: String) throws(IndexWritingError) -> Int32 {
    while true {
      let descriptor = open(partialPath, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else {
        throw .failed(path: path, action: "create a file beside it", reason: String(cString: strerror(errno)))
      }
      if flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK {
        close(descriptor)
        throw .inUse(path: path)
      }
      // A build that ended between the two calls has given this very file its final name: it must not be touched.
      var opened = stat()
      var named = stat()
      if fstat(descriptor, &opened) == 0, lstat(partialPath, &named) == 0, opened.st_ino == named.st_ino,
        opened.st_dev == named.st_dev
      {
        ftruncate(descriptor, 0)
        return descriptor
      }
      close(descriptor)
    }
  }

  private static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The folder with its slash, and the name in it.
  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return ("./", path) }
    return (String(path[...slash]), String(path[path.index(after: slash)...]))
  }
}
