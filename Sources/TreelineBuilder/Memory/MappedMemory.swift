import CLibrary
import Synchronization
import Treeline

#if POSIX
  /// Memory for the large arrays of a build that needs more than main memory. Each array is in a file without a name,
  /// which is mapped to addresses. The system writes pages of these files to the disk when it needs main memory for
  /// other things, and reads them again when the build uses them.
  final class MappedMemory: Sendable {
    private let makeFile: @Sendable () throws(PieceError) -> ScratchFile
    private let pointsBetweenReturns: Int
    /// Greatest number of positions that one thread may merge at once.
    fileprivate let mostLeavesAtOnce: Int
    /// Arrays of at least this size, in bytes, are in files. Making a file takes about a millisecond.
    fileprivate let leastSize: Int
    private let doneCount = Atomic<Int>(0)
    private let problem = Mutex<PieceError?>(nil)

    /// The arrays of all builds: the address of each array, the length of its memory in bytes, and its build. The build
    /// is nil if the array is not in a file. Memory of such an array must not be given back, because its contents would
    /// be lost.
    private static let arrays = Mutex<[UInt: (length: Int, owner: ObjectIdentifier?)]>([:])

    /// - Parameters:
    ///   - memory: Approximate main memory that the build may use, in bytes.
    ///   - makeFile: Makes an empty file without a name.
    init(memory: Int, _ makeFile: @escaping @Sendable () throws(PieceError) -> ScratchFile) {
      // While a build processes a point, it uses up to 150 bytes of the arrays, and the pages around these bytes.
      pointsBetweenReturns = max(memory / 600, 1 << 16)
      mostLeavesAtOnce = max(memory / 240, 1 << 17)
      leastSize = max(memory / 256, 1 << 13)
      self.makeFile = makeFile
    }

    /// Number of points in a block of a pass over the points.
    fileprivate var passBlockSize: Int { min(max(pointsBetweenReturns / 8, 1 << 13), BuildMonitor.blockSize) }

    /// The first error in allocating memory; nil if there was none.
    var failure: PieceError? { problem.withLock { $0 } }

    /// Allocates memory for an array. Sets `failure` if the disk has no space. The memory is then not in a file. The
    /// caller must stop the build, because main memory may not be enough for the array.
    ///
    /// - Returns: nil if no space is left.
    func allocate(byteCount: Int) -> UnsafeMutableRawPointer? {
      // The lock also keeps two threads from making a file at the same time, with the same name.
      problem.withLock { problem in
        var start: UnsafeMutableRawPointer?
        var owner: ObjectIdentifier?
        do throws(PieceError) {
          let file = try makeFile()
          try file.reserve(byteCount)
          // The mapping keeps the file, although the file has no name and is closed.
          (start, owner) = (try file.map(byteCount), ObjectIdentifier(self))
        } catch {
          problem = problem ?? error
          let empty = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
          if empty != MAP_FAILED { start = empty }
        }
        if let start { Self.arrays.withLock { $0[UInt(bitPattern: start)] = (byteCount, owner) } }
        return start
      }
    }

    /// Whether main memory is enough for merging all positions at once. If not, sets `failure`.
    func canMergeAtOnce(_ leafCount: Int) -> Bool {
      if leafCount <= mostLeavesAtOnce { return true }
      problem.withLock {
        $0 = .unsupported(
          what: "A tree grown by merging \(leafCount) positions",
          reason: "too many clusters would be merged across the borders of any parts of the map, as with a lattice",
          remedy: "allow \((240 * leafCount + 999_999) / 1_000_000) MB of memory, or use '--for limit'")
      }
      return false
    }

    /// Deallocates an array. Returns false if the array was not allocated by any `MappedMemory`.
    static func deallocate(_ start: UnsafeMutableRawPointer) -> Bool {
      guard let array = arrays.withLock({ $0.removeValue(forKey: UInt(bitPattern: start)) }) else { return false }
      munmap(start, array.length)
      return true
    }

    /// Notes that the build has processed some points, and gives main memory back to the system from time to time. The
    /// contents of the arrays stay in the files.
    func noteWork(onPoints count: Int) {
      let (before, after) = doneCount.add(count, ordering: .relaxed)
      if before / pointsBetweenReturns == after / pointsBetweenReturns { return }
      Self.arrays.withLock { arrays in
        for (address, array) in arrays where array.owner == ObjectIdentifier(self) {
          _ = madvise(UnsafeMutableRawPointer(bitPattern: address), array.length, MADV_DONTNEED)
        }
      }
    }
  }

  extension BuildMonitor {
    /// Whether main memory is enough for merging all positions at once. If not, cancels the build.
    func canMergeAtOnce(_ leafCount: Int) -> Bool {
      if mapped?.canMergeAtOnce(leafCount) ?? true { return true }
      cancel()
      return false
    }

    /// Returns the greatest number of positions in a part of the map, if each thread merges one part at a time.
    func mostLeavesInPart(threads: Int) -> Int { mapped.map { $0.mostLeavesAtOnce / (4 * threads) } ?? .max }

    /// Allocates memory for an array. If the space runs out, cancels the build.
    func allocate<Element>(count: Int) -> UnsafeMutablePointer<Element> {
      let byteCount = count * MemoryLayout<Element>.stride
      guard let mapped, byteCount >= mapped.leastSize else { return .allocate(capacity: count) }
      let start = mapped.allocate(byteCount: byteCount)
      if mapped.failure != nil { cancel() }
      return start?.assumingMemoryBound(to: Element.self) ?? .allocate(capacity: count)
    }

    /// Number of points in a block of a pass (see `pass(over:_:)`).
    @inline(__always) var passBlockSize: Int { mapped?.passBlockSize ?? Self.blockSize }

    /// Notes that the build has processed some points. See `MappedMemory.noteWork`.
    @inline(__always) func noteWork(onPoints count: Int) { mapped?.noteWork(onPoints: count) }

    /// Notes that the build has processed some clusters that may be anywhere on the map. Each of these clusters may
    /// have used places in four arrays that no other cluster uses. When a page of a file is read, Linux maps 16 pages.
    /// So such a cluster uses as much memory as some 1,600 neighboring points.
    @inline(__always) func noteWork(onScattered clusterCount: Int) { mapped?.noteWork(onPoints: 1600 * clusterCount) }
  }
#else
  final class MappedMemory: Sendable {
    static func deallocate(_ start: UnsafeMutableRawPointer) -> Bool { false }
  }

  extension BuildMonitor {
    func allocate<Element>(count: Int) -> UnsafeMutablePointer<Element> { .allocate(capacity: count) }

    var passBlockSize: Int { Self.blockSize }

    func canMergeAtOnce(_ leafCount: Int) -> Bool { true }

    func mostLeavesInPart(threads: Int) -> Int { .max }

    @inline(__always) func noteWork(onPoints count: Int) {}

    @inline(__always) func noteWork(onScattered clusterCount: Int) {}
  }
#endif
