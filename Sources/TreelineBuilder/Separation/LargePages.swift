#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Memory that is read here and there in pages of 2 MB, where the system has them: of the usual ones there are so many that
/// where they lie has to be looked up in memory, too.
enum LargePages {
  /// - Parameter start: of fresh memory, of which nothing has been touched.
  static func wish<Element>(for start: UnsafeMutablePointer<Element>, count: Int) {
    #if os(Linux)
      let size = count * MemoryLayout<Element>.stride
      guard size >= Self.worthwhile else { return }
      let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
      let end = UInt(bitPattern: start) + UInt(size)
      let first = (UInt(bitPattern: start) + page - 1) / page * page
      // A wish that is not granted costs nothing.
      _ = madvise(UnsafeMutableRawPointer(bitPattern: first), Int(end - first), MADV_HUGEPAGE)
    #endif
  }

  private static let worthwhile = 8 << 20
}
