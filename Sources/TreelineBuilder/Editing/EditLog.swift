import CLibrary
import Treeline

#if POSIX
  /// A file of records, each with a checksum. If `append` succeeds, its record is on the disk. If `append` fails, its
  /// record is not in the file.
  ///
  /// A record consists of a header of 24 bytes and the content. Numbers are little-endian. The header has four parts:
  /// - the letters `TLOG`;
  /// - 4 bytes that check the length: the low half of the XXH64 of the length's 8 bytes;
  /// - 8 bytes with the length of the content;
  /// - 8 bytes with a checksum: the XXH64 of the first 16 bytes of the header, followed by the content.
  ///
  /// If a process or the machine stops while it writes a record, the record is incomplete. Either the file ends in
  /// the middle of the record, or the file has its new length, but some blocks of the record are still zeros. No
  /// sound record has a block of zeros, because its content is text and a few numbers. If the last record is
  /// incomplete, the call of `append` for this record has not returned. So the record was not acknowledged, and it is
  /// removed. Any other unsound record is damaged, and may have been acknowledged.
  ///
  /// Only one process at a time can use a log. Within this process, only one thread at a time may use the log.
  @_spi(Server) public final class EditLog: @unchecked Sendable {
    private let path: String
    private var descriptor: Int32
    /// Length of the file, in bytes. The file ends after a whole record.
    public private(set) var length = 0
    /// The error after which nothing more can be appended, because the content of the file is no longer known.
    private var failure: EditLogError?

    private static let headerLength = 24
    private static let letters = Array("TLOG".utf8)

    /// Returns the number of bytes that a record occupies.
    public static func length(ofRecord content: [UInt8]) -> Int { headerLength + content.count }

    /// Opens a log, or creates an empty log.
    ///
    /// - Returns: The log, the contents of its records, and the number of bytes that were removed because the last
    ///   record was incomplete.
    /// - Throws: `EditLogError`, which is `damaged` if a record is damaged. A damaged file is not changed.
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

    /// Opens a file and locks it. Between these two steps, another process may put a new file at the path (see
    /// `replace`). In that case, this function tries again with the new file. The other process locks the new file
    /// before it puts the new file at the path. So the other process always holds the lock of the file at the path.
    private static func openLocked(_ path: String, mustBeNew: Bool) throws(EditLogError) -> Int32 {
      while true {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | (mustBeNew ? O_TRUNC : 0)
        let descriptor = CLibrary.open(path, flags, 0o600)
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
      reading: while offset < bytes.count {
        switch Self.record(at: offset, in: bytes) {
        case .sound(let range):
          records.append(Array(bytes[range]))
          offset = range.upperBound
        case .unsound(let fault):
          // A record is written only after the previous record was completed and acknowledged. So if a sound record
          // follows an unsound record, the unsound record is not incomplete, but damaged.
          guard let fault = Self.hasRecord(after: offset, in: bytes) ? Self.faultBeforeOthers : fault else {
            break reading
          }
          throw .damaged(
            path: path, record: records.count + 1, offset: offset, expected: fault.expected, found: fault.found)
        }
      }
      if offset < bytes.count {
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
      let count = bytes.withUnsafeMutableBytes { readFully($0, from: descriptor, at: 0) }
      guard count == bytes.count else { throw EditLogError(path, "read it") }
      return bytes
    }

    /// The result of reading a record at an offset: the range of its content, or the reason why the record is unsound.
    private enum Found {
      case sound(Range<Int>)
      case unsound(Fault?)
    }

    /// What is expected and what is found in an unsound record; nil if the end of the record is missing, or if some of
    /// its blocks were never written.
    private typealias Fault = (expected: String, found: String)

    private static let faultBeforeOthers: Fault = ("an undamaged record", "a damaged record before undamaged records")

    private static func record(at offset: Int, in bytes: [UInt8]) -> Found {
      let start = bytes[offset...].prefix(letters.count)
      guard start.elementsEqual(letters.prefix(start.count)) else {
        let found = start.map { String($0, radix: 16) }.joined(separator: " ")
        return unsound(("the letters TLOG", found), offset..<bytes.count, of: bytes)
      }
      guard bytes.count - offset >= headerLength else { return .unsound(nil) }
      return bytes.withUnsafeBytes { raw -> Found in
        let length = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
        let expectedCheck = check(ofLength: length)
        let foundCheck = UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
        guard foundCheck == expectedCheck else {
          let expected = "the checksum \(String(expectedCheck, radix: 16)) of the record's length"
          return unsound((expected, String(foundCheck, radix: 16)), offset..<bytes.count, of: bytes)
        }
        let start = offset + headerLength
        guard length <= UInt64(bytes.count - start) else { return .unsound(nil) }
        let range = start..<start + Int(length)
        let expected = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self))
        let found = checksum(
          UnsafeRawBufferPointer(rebasing: raw[offset..<offset + 16]), UnsafeRawBufferPointer(rebasing: raw[range]))
        if found == expected { return .sound(range) }
        let fault = ("the checksum \(String(expected, radix: 16))", String(found, radix: 16))
        return range.upperBound < bytes.count ? .unsound(fault) : unsound(fault, offset..<bytes.count, of: bytes)
      }
    }

    /// Returns the fault of the last record: nil if a block of the record was not written; otherwise the given fault.
    ///
    /// - Parameter range: Range of the record, which ends at the end of the file.
    private static func unsound(_ fault: Fault, _ range: Range<Int>, of bytes: [UInt8]) -> Found {
      let isWritten = stride(from: range.lowerBound & ~(blockLength - 1), to: range.upperBound, by: blockLength)
        .allSatisfy { bytes[range.clamped(to: $0..<$0 + blockLength)].contains { $0 != 0 } }
      return .unsound(isWritten ? fault : nil)
    }

    /// The least number of bytes that a disk writes. File systems write multiples of this number.
    private static let blockLength = 512

    private static func hasRecord(after offset: Int, in bytes: [UInt8]) -> Bool {
      (offset + 1..<bytes.count).contains {
        guard bytes[$0] == letters[0], case .sound = record(at: $0, in: bytes) else { return false }
        return true
      }
    }

    private static func check(ofLength length: UInt64) -> UInt32 {
      var hasher = XXHash64()
      withUnsafeBytes(of: length.littleEndian) { hasher.update($0) }
      return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    private static func checksum(_ start: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer) -> UInt64 {
      var hasher = XXHash64()
      hasher.update(start)
      hasher.update(content)
      return hasher.finalize()
    }

    // MARK: Writing

    private static func framed(_ content: [UInt8]) -> [UInt8] {
      var record = letters
      withUnsafeBytes(of: check(ofLength: UInt64(content.count)).littleEndian) { record += $0 }
      withUnsafeBytes(of: UInt64(content.count).littleEndian) { record += $0 }
      let hash = record.withUnsafeBytes { start in content.withUnsafeBytes { checksum(start, $0) } }
      withUnsafeBytes(of: hash.littleEndian) { record += $0 }
      return record + content
    }

    /// Appends a record and flushes it to the disk. If appending fails, the file is as before.
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
        // If a flush fails for a reason other than a full disk, it is unknown which bytes are on the disk.
        let canContinue = if case .full = error { true } else { false }
        if ftruncate(descriptor, off_t(length)) != 0 || AtomicFile.synchronize(descriptor) != 0 || !canContinue {
          failure = error
        }
        throw error
      }
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) throws(EditLogError) {
      let isWritten = bytes.withUnsafeBytes { writeFully($0, to: descriptor, at: offset) }
      guard isWritten else { throw EditLogError(path, "write to it") }
    }

    /// Atomically replaces the log. The new log consists of a new first record, and of all records of the old log that
    /// begin at or after an offset. The last step flushes the folder. If an earlier step fails, the log does not
    /// change. If only the last step fails, the log has been replaced, but it accepts no more records.
    ///
    /// - Parameter offset: Offset at which the first kept record begins, or `length` to keep no record.
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
    /// The log has a damaged record. The edit that this record stores may have been acknowledged to a client. `record`
    /// is the number of the record, counted from 1.
    case damaged(path: String, record: Int, offset: Int, expected: String, found: String)
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
        "\(path): expected a log that no other server uses, found a log in use; stop the other server"
      case .damaged(let path, let record, let offset, let expected, let found):
        "\(path), record \(record) at byte \(offset): expected \(expected), found \(found); restore the file from a "
          + "backup, or cut it with 'truncate -s \(offset)' to keep only the changes before this record"
      case .full(let path, let reason): "\(path): expected space for a record, found none (\(reason)); free some space"
      case .failed(let path, let action, let reason): "\(path): cannot \(action): \(reason)"
      }
    }
  }
#endif
