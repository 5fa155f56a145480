import Treeline

#if canImport(Dispatch)
  import Dispatch
#endif
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(WASILibc)
  import WASILibc
#elseif os(Windows)
  import CRT
#endif

/// Memory that was allocated in one piece.
struct MemoryBlock: @unchecked Sendable {
  let start: UnsafeMutableRawPointer
  private let byteCount: Int

  init<Element>(_ start: UnsafeMutablePointer<Element>, count: Int) {
    self.start = UnsafeMutableRawPointer(start)
    byteCount = count * MemoryLayout<Element>.stride
  }

  /// Deallocates the block, a large one piece by piece. While the system takes a piece back, no thread of the process
  /// can allocate, not even one that only reports that its build was cancelled.
  func deallocate() {
    giveBackPages()
    start.deallocate()
  }

  /// Deallocates a block that was made by `allocateZeros`, a large one piece by piece.
  func freeZeros() {
    giveBackPages()
    free(start)
  }

  private func giveBackPages() {
    #if os(Linux)
      guard byteCount > Int(Self.pieceSize) else { return }
      let (first, end) = wholePages
      var piece = first
      while piece < end {
        // Large pages lie within pieces.
        let next = min((piece / Self.pieceSize + 1) * Self.pieceSize, end)
        // Pages that are not given back now are deallocated with the rest.
        _ = madvise(UnsafeMutableRawPointer(bitPattern: piece), Int(next - piece), MADV_DONTNEED)
        piece = next
      }
    #endif
  }

  /// Size of a piece, which the system takes back within some 5 ms.
  private static let pieceSize: UInt = 16 << 20

  /// Asks for pages of 2 MB, if the system has them. Random reads touch so many pages of the usual size that the
  /// processor cannot remember the addresses of all pages, and must look addresses up in memory, too.
  ///
  /// - Precondition: No memory of the block has been touched.
  func adviseLargePages() {
    #if os(Linux)
      guard byteCount >= 8 << 20 else { return }
      let (first, _) = wholePages
      let end = UInt(bitPattern: start) + UInt(byteCount)
      // If the system ignores the advice, nothing is lost.
      _ = madvise(UnsafeMutableRawPointer(bitPattern: first), Int(end - first), MADV_HUGEPAGE)
    #endif
  }

  #if os(Linux)
    /// Addresses between which whole pages belong to the block.
    private var wholePages: (first: UInt, end: UInt) {
      let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
      let start = UInt(bitPattern: start)
      return ((start + page - 1) / page * page, (start + UInt(byteCount)) / page * page)
    }
  #endif
}

extension UnsafeMutablePointer {
  /// Allocates memory of zeros, to be deallocated by `free`. Fresh from the system, it costs nothing before it is used.
  static func allocateZeros(count: Int) -> UnsafeMutablePointer {
    guard let memory = calloc(count, MemoryLayout<Pointee>.stride) else {
      preconditionFailure("No memory for \(count) entries")
    }
    return memory.bindMemory(to: Pointee.self, capacity: count)
  }

  func freeZeros() { free(self) }
}

/// Deallocates on another thread: the system takes some 300 ms for a gigabyte, and a caller that cancels must not wait.
func inBackground(_ deallocate: @escaping @Sendable () -> Void) {
  asynchronously(isUrgent: false, deallocate)
}

extension BuildMonitor {
  /// Deallocates memory of a running build and waits for it, so that no more memory is held at once than necessary. It
  /// stops waiting once the build is cancelled.
  func deallocate(_ deallocate: @escaping @Sendable () -> Void) {
    #if canImport(Dispatch)
      guard pointCount > Self.blockSize else { return deallocate() }
      let isDone = DispatchSemaphore(value: 0)
      inBackground {
        deallocate()
        isDone.signal()
      }
      while !isCancelled, isDone.wait(timeout: .now() + .milliseconds(5)) == .timedOut {}
    #else
      deallocate()
    #endif
  }
}
