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
/// It is written beside its place under one fixed name, which is taken, and locked, from the start. A run that is killed
/// leaves that file behind, and the next run for the same place clears it; the lock tells it from a run that is still at
/// work.
package final class AtomicFile {
  /// As it was asked for, for messages.
  private let name: String
  private let path: String
  package let partialPath: String
  private let descriptor: Int32
  /// The permissions of a file that is made here, which the umask has a say in.
  private let newMode: mode_t
  private var isFinished = false

  /// - Parameters:
  ///   - path: where the file is to appear; a link is followed, even one that leads to nothing yet.
  ///   - beginning: what the file is going to begin with, by which one that an earlier run has left all but finished is
  ///     known; nothing where other files begin so too, and then that one is left to its owner.
  package init(path: String, beginning: [UInt8]) throws(IndexWritingError) {
    name = path
    var status = stat()
    let isThere = stat(path, &status) == 0
    // A device, a folder or a pipe is never replaced: `-o /dev/null` by the superuser would do lasting harm.
    if isThere, status.st_mode & S_IFMT != S_IFREG { throw .notAFile(path: path) }
    if !isThere, errno != ENOENT { throw .failed(path: path, action: "look at it", reason: systemReason()) }
    guard let target = FilePath.resolved(path) else {
      throw .failed(path: path, action: "follow the link", reason: "it leads to a name that is no UTF-8")
    }
    guard !FilePath(target).name.isEmpty else {
      throw .failed(path: path, action: "write to it", reason: "it names no file")
    }
    self.path = target
    partialPath = FilePath(target).hidden(suffix: ".partial")
    descriptor = try PartialFile(path: partialPath, target: path, beginning: beginning).create()
    var created = stat()
    newMode = fstat(descriptor, &created) == 0 ? created.st_mode & 0o777 : 0o600
    // Nobody may read the new content who may not read the old.
    if isThere { fchmod(descriptor, 0o600) }
  }

  deinit {
    if !isFinished { unlink(partialPath) }
    close(descriptor)
  }

  /// Sets the length of the whole file, in bytes. What is never written is 0.
  package func setLength(_ length: UInt64) throws(IndexWritingError) {
    precondition(!isFinished, "A file that is finished is written no more")
    guard ftruncate(descriptor, off_t(length)) == 0 else { throw failure("make it \(length) bytes long") }
  }

  /// Writes bytes at an offset.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(IndexWritingError) {
    precondition(!isFinished, "A file that is finished is written no more")
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

  /// Makes sure that all is on the disk, then gives the file its name, in place of any that had it and with the
  /// permissions of that one.
  package func finish() throws(IndexWritingError) {
    precondition(!isFinished, "A file is finished once")
    var old = stat()
    // A file system without permissions refuses, and has none to keep.
    fchmod(descriptor, stat(path, &old) == 0 ? old.st_mode & 0o777 : newMode)
    guard Self.synchronize(descriptor) == 0 else { throw failure("bring it to the disk") }
    guard rename(partialPath, path) == 0 else { throw failure("give it its name") }
    isFinished = true
    // The name itself is on the disk once the folder is.
    let folder = open(FilePath(path).folder, O_RDONLY | O_CLOEXEC)
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
    .failed(path: name, action: action, reason: systemReason())
  }
}

/// What the last call of the system that failed has to say.
func systemReason() -> String { String(cString: strerror(errno)) }
