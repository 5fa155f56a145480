import Treeline

/// The Z-order code of a position, and the number of the point or leaf that lies there.
struct CodedNumber {
  var code: UInt64
  var number: UInt32
}

extension UnsafeMutableBufferPointer<CodedNumber> {
  /// Allocates an array of all positions, sorted by Z-order code. The number of a position is its index. Equal
  /// positions keep their order. If the build is cancelled, the result is unusable.
  ///
  /// First divides the positions into buckets by the highest bits in which codes differ. Then sorts each bucket. A
  /// bucket usually fits into the caches of a core.
  static func inZOrder(
    _ positions: UnsafePointer<PlanePoint>, count: Int, threads: Int, _ monitor: BuildMonitor
  ) -> UnsafeMutableBufferPointer {
    nonisolated(unsafe) let (positions, start): (_, UnsafeMutablePointer<CodedNumber>) = (
      positions, monitor.allocate(count: count)
    )
    let all = UnsafeMutableBufferPointer(start: start, count: count)
    if count == 0 { return all }
    let first = ZOrder.code(of: positions[0])
    let differing = inChunks(of: count, threads: threads) { chunk in
      var differing: UInt64 = 0
      monitor.pass(over: chunk) { for index in $0 { differing |= ZOrder.code(of: positions[index]) ^ first } }
      return differing
    }.reduce(0, |)
    let digitBits = Swift.min(Swift.max(Int.bitWidth - count.leadingZeroBitCount - bitsInBucket, 0), 16)
    let (shift, mask) = (
      UInt64(Swift.max(64 - differing.leadingZeroBitCount - digitBits, 0)), UInt64(1) << UInt64(digitBits) - 1
    )
    let sizes = inChunks(of: count, threads: threads) { chunk in
      var sizes = [Int](repeating: 0, count: 1 << digitBits)
      monitor.pass(over: chunk) { block in
        for index in block { sizes[Int(ZOrder.code(of: positions[index]) >> shift & mask)] &+= 1 }
      }
      return (chunk: chunk, sizes: sizes)
    }
    if monitor.isCancelled { return all }
    var (ends, end) = ([[Int]](repeating: [], count: sizes.count), 0)
    var buckets: [Range<Int>] = []
    for bucket in 0...Int(mask) {
      let begin = end
      for number in sizes.indices {
        ends[number].append(end)
        end += sizes[number].sizes[bucket]
      }
      if end - begin > 1 { buckets.append(begin..<end) }
    }
    _ = inChunks(of: count, threads: threads) { [ends] chunk in
      var ends = ends[sizes.firstIndex { $0.chunk == chunk }!]
      monitor.pass(over: chunk) { block in
        for index in block {
          let code = ZOrder.code(of: positions[index])
          let bucket = Int(code >> shift & mask)
          (start + ends[bucket]).initialize(to: CodedNumber(code: code, number: UInt32(index)))
          ends[bucket] &+= 1
        }
      }
    }
    // The largest bucket comes first, so that no thread is left with it at the end.
    buckets.sort { $0.count < $1.count }
    WorkQueue(buckets).run(threads: threads) { bucket in
      if !monitor.isCancelled {
        UnsafeMutableBufferPointer(start: start + bucket.lowerBound, count: bucket.count).sortByCode(monitor)
      }
      return []
    }
    return all
  }

  /// Base-2 logarithm of the usual number of positions in a bucket.
  private static var bitsInBucket: Int { 14 }

  /// Sorts by code. Elements with equal codes keep their order. If the build is cancelled, the result is unusable.
  ///
  /// - Complexity: O(count), with one pass for every eleven bits in which codes differ. Sorting also needs a second
  ///   buffer of the same size.
  func sortByCode(_ monitor: BuildMonitor) {
    guard count > 1 else { return }
    let first = self[0].code
    var differing: UInt64 = 0
    monitor.pass(over: indices) { for index in $0 { differing |= self[index].code ^ first } }
    if differing == 0 || monitor.isCancelled { return }
    let isLarge = count > Self.mostAtOnce
    let spare = UnsafeMutableBufferPointer(
      start: isLarge ? monitor.allocate(count: count) : .allocate(capacity: count), count: count)
    defer { MemoryBlock(spare.baseAddress!, count: count).deallocate() }
    if isLarge {
      let shift = UInt64(Swift.max(64 - differing.leadingZeroBitCount - Self.digitBits, 0))
      sort(into: spare, byDigitAt: shift, monitor)
      var start = 0
      while start < count && !monitor.isCancelled {
        var end = start + 1
        while end < count && spare[end].code >> shift == spare[start].code >> shift { end += 1 }
        UnsafeMutableBufferPointer(rebasing: spare[start..<end]).sortByCode(monitor)
        start = end
      }
      copy(from: spare, monitor)
      return
    }
    var (source, target) = (self, spare)
    for shift in stride(from: UInt64(0), to: 64, by: Self.digitBits) {
      guard differing >> shift & Self.digitMask != 0, !monitor.isCancelled else { continue }
      source.sort(into: target, byDigitAt: shift, monitor)
      swap(&source, &target)
    }
    if source.baseAddress != baseAddress { copy(from: source, monitor) }
  }

  private func copy(from source: UnsafeMutableBufferPointer, _ monitor: BuildMonitor) {
    monitor.pass(over: indices) { block in
      (baseAddress! + block.lowerBound).update(from: source.baseAddress! + block.lowerBound, count: block.count)
    }
  }

  /// More elements than this number are first divided by the highest bits in which codes differ.
  private static var mostAtOnce: Int { 1 << 18 }

  private static var digitBits: Int { 11 }
  private static var digitMask: UInt64 { 1 << 11 - 1 }

  private func sort(into target: UnsafeMutableBufferPointer, byDigitAt shift: UInt64, _ monitor: BuildMonitor) {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 1 << Self.digitBits) { starts in
      starts.initialize(repeating: 0)
      monitor.pass(over: indices) { for index in $0 { starts[Int(self[index].code >> shift & Self.digitMask)] &+= 1 } }
      var start = 0
      for digit in starts.indices {
        let size = starts[digit]
        starts[digit] = start
        start += size
      }
      monitor.pass(over: indices) { block in
        for index in block {
          let digit = Int(self[index].code >> shift & Self.digitMask)
          target[starts[digit]] = self[index]
          starts[digit] &+= 1
        }
      }
    }
  }
}
