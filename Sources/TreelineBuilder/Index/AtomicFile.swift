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
package final class AtomicFile {
  /// As it was asked for, for messages.
  private let name: String
  private let path: String
  private let partialPath: String
  private let descriptor: Int32
  private var isFinished = false

  /// - Parameters:
  ///   - path: where the file is to appear; a link is followed.
  ///   - length: of the whole file, in bytes. What is never written is 0.
  package init(path: String, length: UInt64) throws(IndexWritingError) {
    name = path
    self.path = Self.resolved(path)
    // A device, a folder or a pipe is never replaced: `-o /dev/null` by the superuser would do lasting harm.
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG { throw .notAFile(path: path) }
    partialPath = Self.partialPath(of: self.path)
    descriptor = try Self.openLocked(partialPath, for: path)
    // Cut off first: what a dead build has written is no part of this one.
    guard ftruncate(descriptor, 0) == 0, ftruncate(descriptor, off_t(length)) == 0 else {
      throw failure("make it \(length) bytes long")
    }
  }

  deinit {
    if !isFinished { unlink(partialPath) }
    close(descriptor)
  }

  /// Writes bytes at an offset.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(IndexWritingError) {
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
  package func finish() throws(IndexWritingError) {
    guard Self.synchronize(descriptor) == 0 else { throw failure("bring it to the disk") }
    guard rename(partialPath, path) == 0 else { throw failure("give it its name") }
    isFinished = true
    // The name itself is on the disk once the folder is.
    let folder = open(Self.split(path).folder, O_RDONLY | O_CLOEXEC)
    if folder >= 0 {
      fsync(folder)
      close(folder)
    }
  }

  private static func synchronize(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
      // There fsync leaves the bytes in the disk's own cache; not every file system knows better.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
    #endif
    return fsync(descriptor)
  }

  private func failure(_ action: String) -> IndexWritingError {
    .failed(path: name, action: action, reason: String(cString: strerror(errno)))
  }

  private static func openLocked(_ partialPath: String, for path: String) throws(IndexWritingError) -> Int32 {
    while true {
      // A link or a pipe of that name is none of ours: it is neither followed nor waited for.
      let descriptor = open(partialPath, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o666)
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
        if opened.st_mode & S_IFMT == S_IFREG && opened.st_nlink == 1 { return descriptor }
        close(descriptor)
        throw .failed(
          path: path, action: "write beside it",
          reason: "\(partialPath) is not a file of an earlier build; remove it")
      }
      close(descriptor)
    }
  }

  static func partialPath(of path: String) -> String {
    let (folder, name) = split(path)
    return folder + "." + name + ".partial"
  }

  static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The folder with its slash, and the name in it.
  static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return ("./", path) }
    return (String(path[...slash]), String(path[path.index(after: slash)...]))
  }
}
