import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Lets memory go on another thread: the system takes some 300 ms for a gigabyte, and whoever cancels does not wait.
func inBackground(_ letGo: @escaping @Sendable () -> Void) {
  DispatchQueue.global(qos: .utility).async(execute: letGo)
}

extension BuildMonitor {
  /// Lets memory of a build that goes on go, and waits for it, lest there be more at once than need be; but no longer
  /// once the build is cancelled.
  func letGo(_ letGo: @escaping @Sendable () -> Void) {
    guard total > Self.blockSize else { return letGo() }
    let isDone = DispatchSemaphore(value: 0)
    inBackground {
      letGo()
      isDone.signal()
    }
    while !isCancelled, isDone.wait(timeout: .now() + .milliseconds(5)) == .timedOut {}
  }
}

/// Memory that was allocated at once.
struct MemoryBlock: @unchecked Sendable {
  let start: UnsafeMutableRawPointer
  private let byteCount: Int

  init<Element>(_ start: UnsafeMutablePointer<Element>, count: Int) {
    self.start = UnsafeMutableRawPointer(start)
    byteCount = count * MemoryLayout<Element>.stride
  }

  /// Deallocates it, a piece at a time where it is large: as long as the system takes a piece back, no thread of the
  /// process gets memory, and even one that is only to say that its build was cancelled may need some.
  func deallocate() {
    #if os(Linux)
      let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
      let end = (UInt(bitPattern: start) + UInt(byteCount)) / page * page
      var piece = (UInt(bitPattern: start) + page - 1) / page * page
      while piece < end {
        // Large pages lie within pieces.
        let next = min((piece / Self.pieceSize + 1) * Self.pieceSize, end)
        // Pages that do not go now go with the rest.
        _ = madvise(UnsafeMutableRawPointer(bitPattern: piece), Int(next - piece), MADV_DONTNEED)
        piece = next
      }
    #endif
    start.deallocate()
  }

  /// Taken back within some 5 ms.
  private static let pieceSize: UInt = 16 << 20
}
