#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The file in which another is written before it gets its name: made anew for each run, and locked while that lasts.
struct PartialFile {
  let path: String
  /// What it is to become, for messages.
  let target: String
  /// What its content begins with once that is written; nothing where that would tell it from no other file.
  let beginning: [UInt8]

  /// How much of a file's start tells that nothing is written there yet: the fixed part of an index's header.
  private static let blankLength = 128

  /// Makes the file and locks it, in place of one that a dead run has left.
  ///
  /// - Returns: A descriptor to write to, which holds the lock until it is closed.
  func create() throws(IndexWritingError) -> Int32 {
    while true {
      let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else {
        guard errno == EEXIST else {
          throw .failed(path: target, action: "create \(path)", reason: systemReason())
        }
        try clear()
        continue
      }
      var isHeld = false
      defer { if !isHeld { close(descriptor) } }
      isHeld = try isLocked(descriptor)
      if isHeld { return descriptor }
    }
  }

  /// Removes what a dead run has left, and nothing else.
  private func clear() throws(IndexWritingError) {
    var status = stat()
    // Whoever had it may have ended just now.
    guard lstat(path, &status) == 0 else { return }
    if let found = Self.kind(of: status) { throw foreign(found) }
    // What has become a link or a pipe since is neither followed nor waited for.
    let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return }
      throw .failed(path: target, action: "open \(path)", reason: systemReason())
    }
    defer { close(descriptor) }
    guard isOurs(descriptor) else { throw foreign("a file of \(status.st_size) bytes of other content") }
    guard try isLocked(descriptor) else { return }
    guard unlink(path) == 0 else {
      throw .failed(path: target, action: "remove \(path)", reason: systemReason())
    }
  }

  /// What is in the way, where that is no file that a run can have made.
  private static func kind(of status: stat) -> String? {
    switch status.st_mode & S_IFMT {
    case S_IFREG: status.st_nlink == 1 ? nil : "a file with another name besides"
    case S_IFLNK: "a link"
    case S_IFDIR: "a folder"
    case S_IFIFO: "a pipe"
    default: "something that is no file"
    }
  }

  /// Whether the content is what a run makes of it: nothing, then zeros at the start, then all of it.
  private func isOurs(_ descriptor: Int32) -> Bool {
    var start = [UInt8](repeating: 0, count: max(Self.blankLength, beginning.count))
    let count = start.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard count >= 0 else { return false }
    return start[..<count].allSatisfy { $0 == 0 }
      || !beginning.isEmpty && start[..<count].starts(with: beginning)
  }

  /// Locks the file; false where it has got its final name meanwhile, or is gone: then it must not be touched.
  private func isLocked(_ descriptor: Int32) throws(IndexWritingError) -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK { throw .inUse(path: target) }
    var opened = stat()
    var named = stat()
    return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino
      && opened.st_dev == named.st_dev
  }

  private func foreign(_ found: String) -> IndexWritingError {
    .foreignPartialFile(path: target, partialPath: path, found: found)
  }
}
