/// An entry of the queue of a `SplitSequence`: a node that waits to be split, and a distance. The sequence splits
/// nodes while a distance r falls. The node of an entry may be split once r has fallen to the distance of the entry.
struct QueuedSplit: Comparable {
  /// Square of the entry's distance.
  var squaredDistance: UInt64
  var node: UInt32
  /// The stamp (`InternalNode.stamp`) that the node had when this entry was queued. If the stamp of the node has
  /// changed since then, this entry is no longer valid: the node was queued again, was split, or became *undecided*
  /// (see `SplitSequence`).
  var stamp: UInt32

  /// Returns whether split `a` is taken before split `b`: the split with the greater distance comes first. Splits at
  /// one distance are taken in tree order.
  @inline(__always) static func < (a: QueuedSplit, b: QueuedSplit) -> Bool {
    a.squaredDistance != b.squaredDistance ? a.squaredDistance > b.squaredDistance : a.node < b.node
  }

  /// Number by which splits are sorted: a split that is taken earlier has a smaller rank.
  @inline(__always) var rank: UInt128 { UInt128(~squaredDistance) << 32 | UInt128(node) }
}

/// Sorts queued splits in place by eight bits of their ranks, beginning at the highest bit in which any two splits
/// differ. Splits that are equal in these bits are then sorted by lower bits, in the same way (P. McIlroy, K. Bostic,
/// M. D. McIlroy, Engineering radix sort, 1993, American flag sort).
///
/// Millions of splits may have the same distance, for example if the points form a lattice. Even then, the sort must
/// stop within milliseconds if the build is cancelled. A cancelled sort leaves the splits in an arbitrary order.
struct QueuedSplitSort {
  let monitor: BuildMonitor

  private static let digitBits = 8
  private static let radix = 1 << digitBits
  /// Greatest number of splits that are sorted by insertion.
  private static let fewSplits = 24

  /// Sorts splits. Recursion is at most 12 levels deep, because a rank has 96 bits.
  func sort(_ splits: UnsafeMutableBufferPointer<QueuedSplit>) {
    guard splits.count > Self.fewSplits else { return sortFew(splits) }
    let differing = differingBits(of: splits)
    guard differing != 0, !monitor.isCancelled else { return }
    let shift = UInt128(max(UInt128.bitWidth - differing.leadingZeroBitCount - Self.digitBits, 0))
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 2 * Self.radix + 1) { bounds in
      bounds.initialize(repeating: 0)
      // For each digit, `starts` has the index at which the splits with this digit begin. For each digit, `next` has
      // the index at which the next split with this digit is placed.
      let starts = UnsafeMutableBufferPointer(rebasing: bounds[...Self.radix])
      let next = UnsafeMutableBufferPointer(rebasing: bounds[(Self.radix + 1)...])
      count(splits, by: shift, into: starts)
      for digit in 0..<Self.radix { next[digit] = starts[digit] }
      distribute(splits, by: shift, starts, next)
      for digit in 0..<Self.radix where starts[digit + 1] - starts[digit] > 1 && !monitor.isCancelled {
        sort(UnsafeMutableBufferPointer(rebasing: splits[starts[digit]..<starts[digit + 1]]))
      }
    }
  }

  @inline(__always) private func digit(_ split: QueuedSplit, _ shift: UInt128) -> Int {
    Int(truncatingIfNeeded: split.rank >> shift) & (Self.radix - 1)
  }

  private func differingBits(of splits: UnsafeMutableBufferPointer<QueuedSplit>) -> UInt128 {
    let first = splits[0].rank
    var differing: UInt128 = 0
    for block in splits.indices.blocks(of: BuildMonitor.blockSize) where !monitor.isCancelled {
      for index in block { differing |= splits[index].rank ^ first }
    }
    return differing
  }

  private func count(
    _ splits: UnsafeMutableBufferPointer<QueuedSplit>, by shift: UInt128, into starts: UnsafeMutableBufferPointer<Int>
  ) {
    for block in splits.indices.blocks(of: BuildMonitor.blockSize) where !monitor.isCancelled {
      for index in block { starts[digit(splits[index], shift) + 1] += 1 }
    }
    for digit in 0..<Self.radix { starts[digit + 1] += starts[digit] }
  }

  private func distribute(
    _ splits: UnsafeMutableBufferPointer<QueuedSplit>, by shift: UInt128, _ starts: UnsafeMutableBufferPointer<Int>,
    _ next: UnsafeMutableBufferPointer<Int>
  ) {
    var untilLook = BuildMonitor.blockSize
    for home in 0..<Self.radix {
      while next[home] < starts[home + 1] {
        let there = digit(splits[next[home]], shift)
        if there != home { splits.swapAt(next[home], next[there]) }
        next[there] += 1
        untilLook -= 1
        if untilLook == 0 {
          if monitor.isCancelled { return }
          untilLook = BuildMonitor.blockSize
        }
      }
    }
  }

  private func sortFew(_ splits: UnsafeMutableBufferPointer<QueuedSplit>) {
    for end in splits.indices.dropFirst() {
      let split = splits[end]
      var slot = end
      while slot > 0, split < splits[slot - 1] {
        splits[slot] = splits[slot - 1]
        slot -= 1
      }
      splits[slot] = split
    }
  }
}
