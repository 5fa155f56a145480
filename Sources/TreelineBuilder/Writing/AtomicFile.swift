import CLibrary
import Treeline

#if POSIX
  /// A file that appears under its name only when it is complete and on the disk.
  ///
  /// While the file is written, it has a fixed temporary name in the same folder. A run keeps its temporary file
  /// locked until the run ends. If a run is killed, its temporary file remains, and the next run for the same path
  /// removes this file. The lock shows whether the run that made the file is still working.
  package final class AtomicFile {
    /// Path as the caller gave it, for messages.
    private let name: String
    private let path: String
    package let partialPath: String
    private let descriptor: Int32
    /// Permissions of a new file, which depend on the umask.
    private let newMode: mode_t
    private var isFinished = false

    /// - Parameters:
    ///   - path: Path at which the file will appear. A link is followed, even if its target does not exist yet.
    ///   - beginning: First bytes of the finished file. If a run is killed shortly before its end, it leaves a
    ///     temporary file that begins with these bytes. The bytes show that the file may be removed. Pass no bytes if
    ///     other kinds of files begin with the same bytes. In this case, a nearly finished temporary file is not
    ///     removed.
    package init(path: String, beginning: [UInt8]) throws(IndexWritingError) {
      name = path
      try FilePath.check(path)
      var status = stat()
      let isThere = stat(path, &status) == 0
      // Never replaces a device, a folder or a pipe. If devices were replaced, a superuser could destroy `/dev/null`
      // with `-o /dev/null`.
      if isThere, status.st_mode & S_IFMT != S_IFREG { throw .notAFile(path: path) }
      if !isThere, errno != ENOENT { throw .failed(path: path, action: "read its type", reason: systemReason()) }
      guard let target = FilePath.resolved(path) else {
        throw .failed(path: path, action: "follow the link", reason: "its target has a name that is not UTF-8")
      }
      guard !FilePath(target).name.isEmpty else {
        throw .failed(path: path, action: "write to it", reason: "it names no file")
      }
      self.path = target
      partialPath = FilePath(target).hidden(suffix: ".partial")
      descriptor = try PartialFile(path: partialPath, target: path, beginning: beginning).create()
      var created = stat()
      newMode = fstat(descriptor, &created) == 0 ? created.st_mode & 0o777 : 0o600
      // A user without permission to read the old content must not be able to read the new content.
      if isThere, fchmod(descriptor, 0o600) != 0 {
        let reason = systemReason()
        guard created.st_mode & ~status.st_mode & 0o777 == 0 else {
          throw .failed(path: path, action: Self.settingPermissions, reason: reason)
        }
      }
    }

    deinit {
      if !isFinished { unlink(partialPath) }
      close(descriptor)
    }

    /// Sets the length of the whole file, in bytes. Bytes that are never written are 0.
    func setLength(_ length: UInt64) throws(IndexWritingError) {
      precondition(!isFinished, "A finished file cannot be written to")
      guard ftruncate(descriptor, off_t(length)) == 0 else { throw failure("make it \(length) bytes long") }
    }

    /// Writes bytes at an offset.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(IndexWritingError) {
      precondition(!isFinished, "A finished file cannot be written to")
      guard writeFully(bytes, to: descriptor, at: Int(offset)) else { throw failure("write it") }
    }

    /// Flushes all bytes to the disk, and then gives the file its final name. If a file with this name exists, the new
    /// file replaces the existing file and gets its permissions.
    package func finish() throws(IndexWritingError) {
      precondition(!isFinished, "A file cannot be finished twice")
      var old = stat()
      let mode = stat(path, &old) == 0 ? old.st_mode & 0o777 : newMode
      if fchmod(descriptor, mode) != 0 {
        let failure = failure(Self.settingPermissions)
        // On some file systems, all files have the same permissions, and the system refuses to set permissions. It is
        // no failure if the file already has the right permissions.
        var written = stat()
        guard fstat(descriptor, &written) == 0, written.st_mode & 0o777 == mode else { throw failure }
      }
      guard Self.synchronize(descriptor) == 0 else { throw failure("flush it to the disk") }
      guard rename(partialPath, path) == 0 else { throw failure("rename it") }
      isFinished = true
      try synchronizeFolder()
    }

    private static let settingPermissions = "set its permissions"

    /// Flushes the folder of the file to the disk, which makes the name of the file durable.
    private func synchronizeFolder() throws(IndexWritingError) {
      guard Self.synchronizeFolder(of: path) else { throw .notDurable(path: name, reason: systemReason()) }
    }

    /// Flushes the folder of a file to the disk. Returns false if the flush failed.
    static func synchronizeFolder(of path: String) -> Bool {
      let folder = open(FilePath(path).folder, O_RDONLY | O_CLOEXEC)
      defer { if folder >= 0 { close(folder) } }
      if folder >= 0 && fsync(folder) == 0 { return true }
      // A folder that is writable but not readable cannot be opened. Some file systems do not support fsync for
      // folders. In these two cases, `sync` flushes all file systems instead, and this does not count as a failure.
      guard folder < 0 || errno == EINVAL else { return false }
      sync()
      return true
    }

    /// Flushes a file to the disk.
    static func synchronize(_ descriptor: Int32) -> Int32 {
      #if canImport(Darwin)
        // On Apple's systems, fsync leaves the bytes in the disk's own cache. F_FULLFSYNC also flushes this cache, but
        // not every file system supports it.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
      #endif
      return fsync(descriptor)
    }

    private func failure(_ action: String) -> IndexWritingError {
      .failed(path: name, action: action, reason: systemReason())
    }
  }

  /// Returns the system's message for the last system call that failed.
  func systemReason() -> String { String(cString: strerror(errno)) }

  /// The temporary file, which gets its final name when it is complete. Each run creates a new temporary file, and
  /// keeps the file locked until the run ends.
  struct PartialFile {
    let path: String
    /// Final path of the file, for messages.
    let target: String
    /// First bytes of the finished content. Empty if other kinds of files begin with the same bytes.
    let beginning: [UInt8]

    /// Length of the fixed part of an index's header. This part is written last, and is all zeros until then.
    private static let blankLength = 128

    /// Creates the file and locks it. Replaces a file that an interrupted run has left.
    ///
    /// - Returns: a descriptor for writing. The descriptor holds the lock until it is closed.
    func create() throws(IndexWritingError) -> Int32 {
      while true {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
          guard errno == EEXIST else { throw .failed(path: target, action: "create \(path)", reason: systemReason()) }
          try clear()
          continue
        }
        var isHeld = false
        defer { if !isHeld { close(descriptor) } }
        do { isHeld = try isLocked(descriptor) } catch {
          if case .failed = error, isNamed(descriptor) { unlink(path) }
          throw error
        }
        if isHeld { return descriptor }
      }
    }

    /// Removes the file if an interrupted run has left it. If the file comes from somewhere else, keeps the file and
    /// throws an error.
    private func clear() throws(IndexWritingError) {
      var status = stat()
      // In the meantime, the run that owned the file may have ended and removed the file.
      guard lstat(path, &status) == 0 else { return }
      if let found = Self.kind(of: status) { throw foreign(found) }
      // Meanwhile, another program may have replaced the file by a link or a pipe. With these flags, the call does not
      // follow a link and does not wait for a pipe.
      let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard descriptor >= 0 else {
        if errno == ENOENT { return }
        throw .failed(path: target, action: "open \(path)", reason: systemReason())
      }
      defer { close(descriptor) }
      guard isOurs(descriptor) else { throw foreign("an unrelated file (\(status.st_size) bytes)") }
      guard try isLocked(descriptor) else { return }
      guard unlink(path) == 0 else { throw .failed(path: target, action: "remove \(path)", reason: systemReason()) }
    }

    /// Returns nil for a regular file with a single name, which may be the temporary file of a run. For anything else,
    /// returns words for an error message, such as "a folder".
    private static func kind(of status: stat) -> String? {
      switch status.st_mode & S_IFMT {
      case S_IFREG: status.st_nlink == 1 ? nil : "a file with several names (hard links)"
      case S_IFLNK: "a link"
      case S_IFDIR: "a folder"
      case S_IFIFO: "a pipe"
      default: "something that is not a file"
      }
    }

    /// Whether a run may have written the content. At first, a run leaves the file empty. Then the run writes
    /// everything except the start, which is still zeros. As its last step, the run writes the start. If the run died
    /// during this step, the file begins with some bytes of the start, followed by zeros or by nothing.
    private func isOurs(_ descriptor: Int32) -> Bool {
      var start = [UInt8](repeating: 0, count: max(Self.blankLength, beginning.count))
      let count = start.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
      guard count >= 0 else { return false }
      let written = zip(start[..<count], beginning).prefix { $0 == $1 }.count
      return start[written..<count].allSatisfy { $0 == 0 } || !beginning.isEmpty && written == beginning.count
    }

    /// Locks the file. Returns false if the file has been renamed or removed meanwhile. Such a file must not be
    /// changed.
    private func isLocked(_ descriptor: Int32) throws(IndexWritingError) -> Bool {
      while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        if errno == EINTR { continue }
        if errno == EWOULDBLOCK { throw .inUse(path: target) }
        // On a file system without locks, a working run cannot be distinguished from a dead run.
        throw .failed(path: target, action: "lock \(path)", reason: systemReason())
      }
      return isNamed(descriptor)
    }

    /// Whether the open file is still the file at the path.
    private func isNamed(_ descriptor: Int32) -> Bool {
      var opened = stat()
      var named = stat()
      return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino
        && opened.st_dev == named.st_dev
    }

    private func foreign(_ found: String) -> IndexWritingError {
      .foreignPartialFile(path: target, partialPath: path, found: found)
    }
  }

  /// A path, divided into the folder and the last name.
  package struct FilePath {
    /// Folder of the file; `.` if the path is only a name.
    package let folder: String
    package let name: String
    private let prefix: Substring

    package init(_ path: String) {
      let start = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
      prefix = path[..<start]
      folder = prefix.isEmpty ? "." : String(prefix)
      name = String(path[start...])
    }

    /// Returns the path of a hidden file in the same folder.
    func hidden(suffix: String) -> String { prefix + "." + name + suffix }

    /// Throws an error if a path contains a NUL byte. The system reads a path only up to its first NUL byte, so it
    /// would use another path.
    package static func check(_ path: String) throws(IndexWritingError) {
      guard path.utf8.contains(0) else { return }
      throw .failed(path: path.visible, action: "use this path", reason: "a path must not contain a NUL byte")
    }

    /// Whether a path leads to an existing file or folder.
    static func leadsSomewhere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Follows a path if its last name is a link, and returns the path to which the link leads. If that path ends in a
    /// link, too, follows it in the same way. There need not be a file at the returned path.
    ///
    /// `realpath` cannot be used, because it fails for a file that does not exist yet. The folders in the path may be
    /// links, too. These links are not replaced here, because the system follows them whenever the path is used.
    ///
    /// - Returns: nil if a link leads to a name that is not UTF-8.
    package static func resolved(_ path: String) -> String? {
      var path = path
      // Linux follows at most 40 links. If there are more, opening the returned path fails.
      for _ in 0..<40 {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = bytes.withUnsafeMutableBytes {
          readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
        }
        guard count > 0 else { return path }
        guard let target = String(validating: bytes[..<count], as: UTF8.self) else { return nil }
        path = target.hasPrefix("/") ? target : FilePath(path).prefix + target
      }
      return path
    }
  }
#endif
