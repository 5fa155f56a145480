import CLibrary
import Treeline

#if canImport(Dispatch)
  import Dispatch
#endif

/// Memory that was allocated at once.
struct MemoryBlock: @unchecked Sendable {
  let start: UnsafeMutableRawPointer
  private let byteCount: Int

  init<Element>(_ start: UnsafeMutablePointer<Element>, count: Int) {
    self.start = UnsafeMutableRawPointer(start)
    byteCount = count * MemoryLayout<Element>.stride
  }

  /// Deallocates the block. A large block is deallocated in chunks. While the system takes a chunk back, no thread
  /// of the process can allocate memory. If chunks were large, even a thread that only reports the cancellation of a
  /// build would wait for a long time.
  func deallocate() {
    if MappedMemory.deallocate(start) { return }
    giveBackPages()
    start.deallocate()
  }

  /// Deallocates a block that was made by `allocateZeros`. A large block is deallocated in chunks.
  func freeZeros() {
    giveBackPages()
    free(start)
  }

  /// Gives whole pages back to the system. Without this call, the allocator would keep blocks of up to some megabytes,
  /// although later arrays of a build do not fit into these blocks.
  private func giveBackPages() {
    #if os(Linux)
      guard byteCount >= 1 << 17 else { return }
      let (first, end) = wholePages
      var chunk = first
      while chunk < end {
        // Chunks end at multiples of their size, so that no large page extends beyond a chunk.
        let next = min((chunk / Self.chunkSize + 1) * Self.chunkSize, end)
        // If this call fails, the pages are deallocated later with the rest of the block.
        _ = madvise(UnsafeMutableRawPointer(bitPattern: chunk), Int(next - chunk), MADV_DONTNEED)
        chunk = next
      }
    #endif
  }

  /// Size in bytes of the chunks in which a large block is deallocated. The system takes such a chunk back within
  /// about 5 ms.
  private static let chunkSize: UInt = 16 << 20

  /// Asks for pages of 2 MB, if the system has them. With pages of the usual size, random reads touch more pages than
  /// fit into the processor's address cache (TLB). For a page that is not in this cache, the processor must also read
  /// the page's address from memory.
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
    /// Address of the first whole page within the block, and address just past the last whole page.
    private var wholePages: (first: UInt, end: UInt) {
      let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
      let start = UInt(bitPattern: start)
      return ((start + page - 1) / page * page, (start + UInt(byteCount)) / page * page)
    }
  #endif
}

extension UnsafeMutablePointer {
  /// Allocates memory that is filled with zeros and must be deallocated by `free`. If the system provides new pages
  /// for this memory, they take no time or memory until they are used.
  static func allocateZeros(count: Int) -> UnsafeMutablePointer {
    guard let memory = calloc(count, MemoryLayout<Pointee>.stride) else {
      preconditionFailure("No memory for \(count) entries")
    }
    return memory.bindMemory(to: Pointee.self, capacity: count)
  }
}

/// Calls `deallocate` on another thread. The system takes about 300 ms to deallocate a gigabyte, and a caller that
/// cancels a build should not have to wait that long.
func inBackground(_ deallocate: @escaping @Sendable () -> Void) {
  asynchronously(isUrgent: false, deallocate)
}

extension BuildMonitor {
  /// Deallocates memory of a running build and waits until the memory is free, so that the build never holds more
  /// memory than necessary. This function stops waiting once the build is cancelled.
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
