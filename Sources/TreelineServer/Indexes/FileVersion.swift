import Foundation

/// Identity, size and times of a file at some moment. Replacing the file or writing to the file changes at least one
/// of these values.
struct FileVersion: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  let size: Int
  /// Whether the file is a regular file, not a folder or a pipe.
  let isRegular: Bool
  /// Time of the last modification, and time of the last status change. Programs can set only the time of the
  /// modification.
  private let modified: Double
  private let changed: Double

  /// Fails if the file is missing or not accessible.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int(status.st_size)
    isRegular = status.st_mode & S_IFMT == S_IFREG
    #if canImport(Darwin)
      (modified, changed) = (Self.seconds(status.st_mtimespec), Self.seconds(status.st_ctimespec))
    #else
      (modified, changed) = (Self.seconds(status.st_mtim), Self.seconds(status.st_ctim))
    #endif
  }

  private static func seconds(_ time: timespec) -> Double { Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 }

  /// Returns whether both versions belong to the same file. The content of the file may have changed.
  func isSameFile(as other: FileVersion) -> Bool { device == other.device && inode == other.inode }

  /// Whether the file was last changed more than 0.1 seconds ago. Any later write is then certain to give the file
  /// different times. Without this interval, two writes could get the same times, because the clocks of file systems
  /// tick only about a hundred times a second.
  var isSettled: Bool { abs(Date().timeIntervalSince1970 - changed) > 0.1 }
}
