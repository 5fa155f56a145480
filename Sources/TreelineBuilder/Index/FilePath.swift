#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A path, taken apart before its last name.
package struct FilePath {
  /// Where the name stands; `.` where the path is a bare name.
  package let folder: String
  package let name: String
  private let prefix: Substring

  package init(_ path: String) {
    let start = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
    prefix = path[..<start]
    folder = prefix.isEmpty ? "." : String(prefix)
    name = String(path[start...])
  }

  /// The path of a hidden file beside this one.
  func hidden(suffix: String) -> String { prefix + "." + name + suffix }

  /// Whether a path leads to anything.
  static func leadsSomewhere(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Where a path leads once links in place of its last name are followed, be there something or not.
  ///
  /// `realpath` knows no path to what is not there. Links to folders on the way are left to the system.
  ///
  /// - Returns: nil where a link leads to a name that is no UTF-8.
  package static func resolved(_ path: String) -> String? {
    var path = path
    // As many as Linux follows; whoever opens the rest is told.
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
