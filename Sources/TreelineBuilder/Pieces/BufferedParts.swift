/// The slots of a buffer that collects records by part, so that many records of a part are written to a file at once.
/// Each part has an equal share of the buffer. The user of the slots owns the memory of the buffer.
///
/// ```swift
/// let slot = parts.add(to: part)
/// buffer[slot] = record
/// if parts.isFull(part) { write(buffer[parts.removeAll(from: part)]) }
/// ```
struct BufferedParts {
  /// Number of slots of a part.
  let capacity: Int
  /// For each part, the number of its records in the buffer.
  private var counts: [Int]

  init(partCount: Int, capacity: Int) {
    self.capacity = capacity
    counts = Array(repeating: 0, count: partCount)
  }

  /// - Parameters:
  ///   - recordLength: Length of a record in bytes.
  ///   - memory: Memory for the buffer in bytes. If there are very many parts, the buffer takes more.
  init(partCount: Int, recordLength: Int, memory: Int) {
    self.init(
      partCount: partCount, capacity: max(16, min(memory / (recordLength * max(partCount, 1)), 1 << 16)))
  }

  /// Number of slots of all parts.
  var slotCount: Int { capacity * counts.count }

  /// The numbers of the parts.
  var indices: Range<Int> { counts.indices }

  /// Returns the slot of the next record of a part. The part must not be full.
  @inline(__always) mutating func add(to part: Int) -> Int {
    defer { counts[part] &+= 1 }
    return part &* capacity &+ counts[part]
  }

  @inline(__always) func isFull(_ part: Int) -> Bool { counts[part] == capacity }

  /// Frees all slots of a part, and returns the slots that had records.
  mutating func removeAll(from part: Int) -> Range<Int> {
    defer { counts[part] = 0 }
    return part * capacity..<part * capacity + counts[part]
  }
}

extension UnsafeBufferPointer {
  /// Makes a buffer of some elements of an array.
  init(_ array: UnsafeMutablePointer<Element>, _ range: Range<Int>) {
    self.init(start: array + range.lowerBound, count: range.count)
  }
}
