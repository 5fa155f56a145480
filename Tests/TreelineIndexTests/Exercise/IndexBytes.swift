import Treeline

/// The bytes of an index in memory of exactly their size, so that a sanitizer sees every read beyond them.
final class IndexBytes: @unchecked Sendable {
  private let memory: UnsafeMutableRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    memory = .allocate(byteCount: bytes.count, alignment: 64)
    memory.copyMemory(from: bytes)
  }

  convenience init(_ bytes: [UInt8]) {
    self.init(bytes.withUnsafeBytes { $0 })
  }

  deinit { memory.deallocate() }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory) }

  func open() throws(IndexError) -> ClusterTree {
    defer { withExtendedLifetime(self) {} }
    return try ClusterTree(bytes: bytes, name: "memory", keeping: self)
  }

  func problems() throws(IndexError) -> [IndexProblem] {
    defer { withExtendedLifetime(self) {} }
    return try ClusterTree.problems(in: bytes, name: "memory", keeping: self)
  }
}
