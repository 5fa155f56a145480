import CLibrary
import Synchronization
import Treeline

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  /// Memory for the large arrays of a build that needs more than main memory. Each array is in a file without a name,
  /// which is mapped to addresses. The system writes pages of these files to the disk when it needs main memory for
  /// other things, and reads them again when the build uses them.
  final class MappedMemory: Sendable {
    private let makeFile: @Sendable () throws(PieceError) -> ScratchFile
    private let pointsBetweenReturns: Int
    /// Greatest number of positions that one thread may merge at once.
    fileprivate let mostLeavesAtOnce: Int
    private let doneCount = Atomic<Int>(0)
    private let problem = Mutex<PieceError?>(nil)

    /// The arrays of all builds: the address of each array, the length of its memory in bytes, and its build.
    private static let arrays = Mutex<[UInt: (length: Int, owner: ObjectIdentifier)]>([:])

    /// - Parameters:
    ///   - memory: Approximate main memory that the build may use, in bytes.
    ///   - makeFile: Makes an empty file without a name.
    init(memory: Int, _ makeFile: @escaping @Sendable () throws(PieceError) -> ScratchFile) {
      // While a build processes a point, it uses up to 150 bytes of the arrays, and the pages around these bytes.
      pointsBetweenReturns = max(memory / 600, 1 << 16)
      mostLeavesAtOnce = max(memory / 240, 1 << 17)
      self.makeFile = makeFile
    }

    /// The first error in allocating memory; nil if there was none.
    var failure: PieceError? { problem.withLock { $0 } }

    /// Allocates memory for an array. Returns nil and sets `failure` if the disk has no space.
    func allocate(byteCount: Int) -> UnsafeMutableRawPointer? {
      // The lock also keeps two threads from making a file at the same time, with the same name.
      problem.withLock { problem in
        do throws(PieceError) {
          let file = try makeFile()
          try file.reserve(byteCount)
          // The mapping keeps the file, although the file has no name and is closed.
          guard let start = try file.map(byteCount) else { return nil }
          Self.arrays.withLock { $0[UInt(bitPattern: start)] = (byteCount, ObjectIdentifier(self)) }
          return start
        } catch {
          problem = problem ?? error
          return nil
        }
      }
    }

    /// Whether main memory is enough for merging all positions at once. If not, sets `failure`.
    func canMergeAtOnce(_ leafCount: Int) -> Bool {
      if leafCount <= mostLeavesAtOnce { return true }
      problem.withLock {
        $0 = .unsupported(
          what: "A tree grown by merging \(leafCount) positions",
          reason: "the distances between the positions are so regular that no part of the map can be merged alone",
          remedy: "allow \(240 * leafCount / 1_000_000) MB of memory, or use '--for limit'")
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
    /// Arrays of at least this size are in `MappedMemory`, if the build has such memory.
    private static let leastMappedSize = 1 << 12

    /// Whether main memory is enough for merging all positions at once. If not, cancels the build.
    func canMergeAtOnce(_ leafCount: Int) -> Bool {
      if mapped?.canMergeAtOnce(leafCount) ?? true { return true }
      cancel()
      return false
    }

    /// Returns the greatest number of positions in a part of the map, if each thread merges one part at a time.
    func mostLeavesInPart(threads: Int) -> Int { mapped.map { $0.mostLeavesAtOnce / (4 * threads) } ?? .max }

    /// Allocates memory for an array. If there is no space, cancels the build.
    func allocate<Element>(count: Int) -> UnsafeMutablePointer<Element> {
      let byteCount = count * MemoryLayout<Element>.stride
      if let mapped, byteCount >= Self.leastMappedSize {
        if let start = mapped.allocate(byteCount: byteCount) { return start.assumingMemoryBound(to: Element.self) }
        cancel()
      }
      return .allocate(capacity: count)
    }

    /// Notes that the build has processed some points. See `MappedMemory.noteWork`.
    @inline(__always) func noteWork(onPoints count: Int) { mapped?.noteWork(onPoints: count) }
  }
#else
  final class MappedMemory: Sendable {
    static func deallocate(_ start: UnsafeMutableRawPointer) -> Bool { false }
  }

  extension BuildMonitor {
    func allocate<Element>(count: Int) -> UnsafeMutablePointer<Element> { .allocate(capacity: count) }

    func canMergeAtOnce(_ leafCount: Int) -> Bool { true }

    func mostLeavesInPart(threads: Int) -> Int { .max }

    @inline(__always) func noteWork(onPoints count: Int) {}
  }
#endif
