import Treeline

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension ClusterTree {
  /// Checks that an index may be written to a path, as far as that can be told before there is one.
  ///
  /// For callers who have work to do first that would be in vain: writing checks the same.
  ///
  /// - Parameter overwriting: Whether to replace a file that is not an index.
  /// - Throws: `IndexWritingError`
  public static func checkDestination(ofIndex path: String, overwriting: Bool = false)
    throws(IndexWritingError)
  {
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
      guard overwriting || IndexHeader.begins(fileAt: path) else { throw .wouldOverwrite(path: path) }
    } else if errno != ENOENT {
      throw .failed(path: path, action: "look at it", reason: String(cString: strerror(errno)))
    }
    guard access(AtomicFile.split(AtomicFile.resolved(path)).folder, W_OK) == 0 else {
      throw .failed(path: path, action: "write to its folder", reason: String(cString: strerror(errno)))
    }
  }
}
