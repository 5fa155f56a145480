import Treeline

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  /// A file of records, each with a checksum. A record is on the disk before `append` returns, or not in the file.
  ///
  /// A record has a header of 24 bytes: the letters `TLOG`, 4 bytes of 0, the length of the content (8 bytes), and the
  /// XXH64 of these 16 bytes and the content (8). The content follows.
  ///
  /// One process at a time uses a log, and one thread at a time.
  @_spi(Server) public final class EditLog: @unchecked Sendable {
    private let path: String
    private var descriptor: Int32
    /// Length of the file, in bytes. The file ends after a whole record.
    public private(set) var length = 0
    /// The reason why nothing more can be appended: the content of the file is not known any more.
    private var failure: EditLogError?

    private static let headerLength = 24
    private static let letters = Array("TLOG".utf8)

    /// Returns the number of bytes that a record occupies.
    public static func length(ofRecord content: [UInt8]) -> Int { headerLength + content.count }

    /// Opens a log, or creates an empty log.
    ///
    /// The last record may be incomplete, if a process ended while it wrote the record. Such a record is removed.
    ///
    /// - Returns: The log, the contents of its records, and the number of bytes of the removed record.
    /// - Throws: `EditLogError`
    public static func open(_ path: String) throws(EditLogError) -> (log: EditLog, records: [[UInt8]], removed: Int) {
      let log = try EditLog(path)
      let (records, removed) = try log.read()
      return (log, records, removed)
    }

    private init(_ path: String) throws(EditLogError) {
      self.path = path
      descriptor = try Self.openLocked(path, mustBeNew: false)
    }

    deinit { close(descriptor) }

    /// Removes the file. The log cannot be used any more.
    public func remove() { unlink(path) }

    /// Opens a file and locks it. A process that replaces the file holds both locks for a moment.
    private static func openLocked(_ path: String, mustBeNew: Bool) throws(EditLogError) -> Int32 {
      while true {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | (mustBeNew ? O_TRUNC : 0)
        #if canImport(Darwin)
          let descriptor = Darwin.open(path, flags, 0o600)
        #elseif canImport(Glibc)
          let descriptor = Glibc.open(path, flags, 0o600)
        #elseif canImport(Musl)
          let descriptor = Musl.open(path, flags, 0o600)
        #else
          let descriptor = Android.open(path, flags, 0o600)
        #endif
        guard descriptor >= 0 else { throw EditLogError(path, "open it") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
          let isHeld = errno == EWOULDBLOCK
          defer { close(descriptor) }
          throw isHeld ? .inUse(path: path) : EditLogError(path, "lock it")
        }
        var (opened, named) = (stat(), stat())
        if fstat(descriptor, &opened) == 0, stat(path, &named) == 0, opened.st_ino == named.st_ino {
          return descriptor
        }
        close(descriptor)
      }
    }

    // MARK: Reading

    private func read() throws(EditLogError) -> (records: [[UInt8]], removed: Int) {
      let bytes = try content()
      var records: [[UInt8]] = []
      var offset = 0
      while offset < bytes.count {
        guard let range = Self.record(at: offset, in: bytes) else { break }
        records.append(Array(bytes[range]))
        offset = range.upperBound
      }
      if offset < bytes.count {
        // A sound record behind a damaged record was acknowledged, and so was the damaged record.
        if Self.hasRecord(after: offset, in: bytes) {
          throw .damaged(path: path, record: records.count + 1, offset: offset)
        }
        guard ftruncate(descriptor, off_t(offset)) == 0, AtomicFile.synchronize(descriptor) == 0 else {
          throw EditLogError(path, "remove its incomplete last record")
        }
      }
      length = offset
      return (records, bytes.count - offset)
    }

    private func content() throws(EditLogError) -> [UInt8] {
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        throw EditLogError(path, "read it")
      }
      var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
      var done = 0
      while done < bytes.count {
        let count = bytes.withUnsafeMutableBytes {
          pread(descriptor, $0.baseAddress! + done, $0.count - done, off_t(done))
        }
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { throw EditLogError(path, "read it") }
        done += count
      }
      return bytes
    }

    /// Returns the range of the content of a record; nil if there is no sound record at the offset.
    private static func record(at offset: Int, in bytes: [UInt8]) -> Range<Int>? {
      guard bytes.count - offset >= headerLength, bytes[offset..<offset + 4].elementsEqual(letters) else { return nil }
      return bytes.withUnsafeBytes { bytes in
        let length = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
        let start = offset + headerLength
        guard length <= UInt64(bytes.count - start) else { return nil }
        let range = start..<start + Int(length)
        let expected = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self))
        let found = checksum(
          UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + 16]), UnsafeRawBufferPointer(rebasing: bytes[range]))
        return found == expected ? range : nil
      }
    }

    private static func hasRecord(after offset: Int, in bytes: [UInt8]) -> Bool {
      (offset + 1..<bytes.count).contains { bytes[$0] == letters[0] && record(at: $0, in: bytes) != nil }
    }

    private static func checksum(_ start: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer) -> UInt64 {
      var hasher = XXHash64()
      hasher.update(start)
      hasher.update(content)
      return hasher.finalize()
    }

    // MARK: Writing

    private static func framed(_ content: [UInt8]) -> [UInt8] {
      var record = letters + [0, 0, 0, 0]
      withUnsafeBytes(of: UInt64(content.count).littleEndian) { record += $0 }
      let hash = record.withUnsafeBytes { start in content.withUnsafeBytes { checksum(start, $0) } }
      withUnsafeBytes(of: hash.littleEndian) { record += $0 }
      return record + content
    }

    /// Appends a record and flushes it to the disk. If this fails, the file is as before.
    ///
    /// - Throws: `EditLogError`, which is `full` if the disk has no room.
    public func append(_ content: [UInt8]) throws(EditLogError) {
      if let failure { throw failure }
      let record = Self.framed(content)
      do throws(EditLogError) {
        try write(record, to: descriptor, at: length)
        guard AtomicFile.synchronize(descriptor) == 0 else { throw EditLogError(path, "flush it to the disk") }
        length += record.count
      } catch {
        // After any other failure of a flush, nobody knows which bytes are on the disk.
        let canContinue = if case .full = error { true } else { false }
        if ftruncate(descriptor, off_t(length)) != 0 || AtomicFile.synchronize(descriptor) != 0 || !canContinue {
          failure = error
        }
        throw error
      }
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) throws(EditLogError) {
      var done = 0
      while done < bytes.count {
        let count = bytes.withUnsafeBytes {
          pwrite(descriptor, $0.baseAddress! + done, $0.count - done, off_t(offset + done))
        }
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { throw EditLogError(path, "write to it") }
        done += count
      }
    }

    /// Replaces the log by a first record and the records from an offset on, atomically. If this fails, the log is as
    /// before.
    ///
    /// - Parameter offset: Length of the log after some record, at most `length`.
    /// - Throws: `EditLogError`
    public func replace(startingWith first: [UInt8], keepingFrom offset: Int) throws(EditLogError) {
      if let failure { throw failure }
      let partial = FilePath(path).hidden(suffix: ".partial")
      let kept = try content()[min(offset, length)..<length]
      let bytes = Self.framed(first) + kept
      let new = try Self.openLocked(partial, mustBeNew: true)
      do throws(EditLogError) {
        try write(bytes, to: new, at: 0)
        guard AtomicFile.synchronize(new) == 0 else { throw EditLogError(path, "flush it to the disk") }
        guard rename(partial, path) == 0 else { throw EditLogError(path, "replace it") }
      } catch {
        close(new)
        unlink(partial)
        throw error
      }
      close(descriptor)
      (descriptor, length) = (new, bytes.count)
      let isDurable = AtomicFile.synchronizeFolder(of: path)
      if !isDurable {
        let error = EditLogError(path, "flush its folder to the disk")
        failure = error
        throw error
      }
    }
  }

  /// The reason why a log cannot be read or written.
  @_spi(Server) public enum EditLogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process uses the log.
    case inUse(path: String)
    /// A record is damaged that is not the last record. Records are counted from 1.
    case damaged(path: String, record: Int, offset: Int)
    /// The disk has no room for the record, or the file would exceed a limit.
    case full(path: String, reason: String)
    case failed(path: String, action: String, reason: String)

    /// Makes an error about the last system call that failed.
    fileprivate init(_ path: String, _ action: String) {
      let isFull = [ENOSPC, EDQUOT, EFBIG].contains(errno)
      self =
        isFull
        ? .full(path: path, reason: systemReason()) : .failed(path: path, action: action, reason: systemReason())
    }

    public var description: String {
      switch self {
      case .inUse(let path):
        "\(path): expected a log that no other server uses, found one in use; stop the other server"
      case .damaged(let path, let record, let offset):
        "\(path): record \(record) at byte \(offset) is damaged, although later records are intact; restore the file "
          + "from a backup, or remove it to serve the index without the changes in the log"
      case .full(let path, let reason): "\(path): expected room for a record, found none (\(reason)); free some space"
      case .failed(let path, let action, let reason): "\(path): cannot \(action): \(reason)"
      }
    }
  }
#endif
