import Treeline
@testable import TreelineVerification

/// The bytes of an index, in a block of memory of exactly their size. So a sanitizer detects every read beyond the
/// bytes.
final class IndexBytes: @unchecked Sendable {
  private let memory: UnsafeMutableRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    memory = .allocate(byteCount: bytes.count, alignment: 64)
    memory.copyMemory(from: bytes)
  }

  init(_ bytes: [UInt8]) {
    memory = .allocate(byteCount: bytes.count, alignment: 64)
    memory.copyBytes(from: bytes)
  }

  deinit { memory.deallocate() }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory) }

  /// Returns a copy of the bytes. `bytes` itself is only valid while the object lives, and a temporary object may be
  /// released before the bytes are used.
  var contents: [UInt8] {
    defer { withExtendedLifetime(self) {} }
    return Array(bytes)
  }

  func open() throws(IndexError) -> ClusterTree {
    defer { withExtendedLifetime(self) {} }
    return try ClusterTree(bytes: bytes, name: "memory", keeping: self)
  }

  func problems(threads: Int = processorCount) throws(IndexError) -> [IndexProblem] {
    defer { withExtendedLifetime(self) {} }
    return try ClusterTree.problems(in: bytes, name: "memory", keeping: self, threads: threads)
  }
}
