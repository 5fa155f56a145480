import Foundation

/// Tells what is at a path from anything else there, and from itself once it was written to.
struct FileVersion: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  let size: Int
  /// A folder or a pipe is none.
  let isRegular: Bool
  /// When its bytes were written, and when anything of it was: a copy may set the one, and nobody the other.
  private let modified: Double
  private let changed: Double

  /// nil where there is nothing, or nothing that can be seen.
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

  /// Whether both are one file, whatever was written to it.
  func isSameFile(as other: FileVersion) -> Bool { device == other.device && inode == other.inode }

  /// Whether another write now would change its times: clocks of file systems tick some hundred times a second.
  var isSettled: Bool { abs(Date().timeIntervalSince1970 - changed) > 0.1 }
}
