#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Which file is at a path, and in what state: another one has another mark, and so has the same one once it was written to.
struct FileMark: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  /// nil where there is no regular file.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int(status.st_size)
    #if canImport(Darwin)
      (seconds, nanoseconds) = (status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
    #else
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    #endif
  }
}
