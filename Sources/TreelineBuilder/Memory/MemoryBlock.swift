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

  /// Deallocates the block, a piece at a time where it is large: while the system takes a piece back, no thread of the
  /// process can allocate, and even one that only reports that its build was cancelled may have to.
  func deallocate() {
    giveBackPages()
    start.deallocate()
  }

  /// The same for memory of `allocateZeros`.
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
        // Pages that are not given back now are with the rest.
        _ = madvise(UnsafeMutableRawPointer(bitPattern: piece), Int(next - piece), MADV_DONTNEED)
        piece = next
      }
    #endif
  }

  /// Given back within some 5 ms.
  private static let pieceSize: UInt = 16 << 20

  /// Asks for pages of 2 MB where the system has them. Where memory is read here and there, there are so many of the
  /// usual ones that the addresses of these have to be looked up in memory, too.
  ///
  /// - Precondition: Nothing of the block has been touched.
  func adviseLargePages() {
    #if os(Linux)
      guard byteCount >= 8 << 20 else { return }
      let (first, _) = wholePages
      let end = UInt(bitPattern: start) + UInt(byteCount)
      // Advice that is not taken costs nothing.
      _ = madvise(UnsafeMutableRawPointer(bitPattern: first), Int(end - first), MADV_HUGEPAGE)
    #endif
  }

  #if os(Linux)
    /// The addresses between which whole pages belong to the block.
    private var wholePages: (first: UInt, end: UInt) {
      let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
      let start = UInt(bitPattern: start)
      return ((start + page - 1) / page * page, (start + UInt(byteCount)) / page * page)
    }
  #endif
}

extension UnsafeMutablePointer {
  /// Memory of zeros, to be deallocated by `free`. Fresh from the system, it costs nothing before it is used.
  static func allocateZeros(count: Int) -> UnsafeMutablePointer {
    guard let memory = calloc(count, MemoryLayout<Pointee>.stride) else {
      preconditionFailure("No memory for \(count) entries")
    }
    return memory.bindMemory(to: Pointee.self, capacity: count)
  }

  func freeZeros() { free(self) }
}

/// Deallocates on another thread: the system takes some 300 ms for a gigabyte, and whoever cancels does not wait.
func inBackground(_ deallocate: @escaping @Sendable () -> Void) {
  asynchronously(isUrgent: false, deallocate)
}

extension BuildMonitor {
  /// Deallocates memory of a build that goes on, and waits for it, so that no more is held at once than need be; but
  /// no longer once the build is cancelled.
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
