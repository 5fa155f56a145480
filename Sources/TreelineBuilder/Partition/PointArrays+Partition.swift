import Treeline

extension PointArrays {
  /// Moves the points on the left side of a split to the front of a range, and returns the number of these points.
  /// Points on each side keep their order.
  ///
  /// The function only moves points, so its loop is short and has no branch. Sums over the points on the smaller side
  /// are computed afterwards. All split rules call this one function, which is not inlined. If the loop were inlined
  /// next to other loops, the compiler would run out of registers.
  @inline(never) func partition(_ range: Range<Int>, by split: SplitLine, _ monitor: BuildMonitor) -> Int {
    let (first, count) = (range.lowerBound, range.count)
    let leftCount = divide(range, by: split, monitor)
    // If the build is cancelled, the result does not matter.
    if monitor.isCancelled { return 1 }
    move(count &- leftCount, from: (sparePoints + first, spareRows + first), to: first + leftCount, monitor)
    checkSides(leftCount, of: count, split)
    return leftCount
  }

  /// Partitions a range with several threads. Each thread partitions a part of the range.
  func partition(_ range: Range<Int>, by split: SplitLine, threads: Int, _ monitor: BuildMonitor) -> Int {
    if threads == 1 { return partition(range, by: split, monitor) }
    let parts = inChunks(of: range.count, threads: threads) { offsets in
      let part = range.chunk(offsets)
      let leftCount = divide(part, by: split, monitor)
      return (first: part.lowerBound, leftCount: leftCount, rightCount: part.count - leftCount)
    }
    // Points on the left side of the split come first, part after part. Points on the right side follow, also part
    // after part.
    var end = range.lowerBound
    for part in parts {
      move(part.leftCount, from: (points + part.first, rows + part.first), to: end, monitor)
      end += part.leftCount
    }
    if monitor.isCancelled { return 1 }
    let leftCount = end - range.lowerBound
    let targets = parts.reduce(into: [end]) { $0.append($0.last! + $1.rightCount) }
    concurrently(parts.count) { index in
      let part = parts[index]
      let spare = (points: sparePoints + part.first, rows: spareRows + part.first)
      move(part.rightCount, from: spare, to: targets[index], monitor)
    }
    checkSides(leftCount, of: range.count, split)
    return leftCount
  }

  /// Partitions the few points of a bucket.
  @inline(__always) func partitionFew(_ range: Range<Int>, by split: SplitLine) -> Int {
    let (first, count) = (range.lowerBound, range.count)
    let leftCount = partition(0..<count, first: first, leftCount: 0, by: split)
    for index in leftCount..<count {
      points[first + index] = sparePoints[first + index &- leftCount]
      rows[first + index] = spareRows[first + index &- leftCount]
    }
    checkSides(leftCount, of: count, split)
    return leftCount
  }

  /// Moves points and their rows to the places that begin at `treeIndex`. If source and target overlap, the target
  /// must begin before the source.
  @inline(__always) private func move(
    _ count: Int, from source: (points: UnsafeMutablePointer<PlanePoint>, rows: UnsafeMutablePointer<UInt32>),
    to treeIndex: Int, _ monitor: BuildMonitor
  ) {
    if source.points == points + treeIndex { return }
    monitor.pass(over: 0..<count) { block in
      let start = block.lowerBound
      (points + treeIndex + start).update(from: source.points + start, count: block.count)
      (rows + treeIndex + start).update(from: source.rows + start, count: block.count)
    }
  }

  /// Moves the points on the left side of a split to the front of a range, without changing their order. Moves the
  /// points on the right side to the spare arrays.
  @inline(__always) private func divide(_ range: Range<Int>, by split: SplitLine, _ monitor: BuildMonitor) -> Int {
    var leftCount = 0
    for block in (0..<range.count).blocks(of: BuildMonitor.blockSize) where !monitor.isCancelled {
      leftCount = partition(block, first: range.lowerBound, leftCount: leftCount, by: split)
    }
    return leftCount
  }

  /// Continues a partition with another block. Moves the points on the left side of the split to the front, and the
  /// points on the right side to the spare arrays.
  @inline(__always) private func partition(_ block: Range<Int>, first: Int, leftCount: Int, by split: SplitLine) -> Int
  {
    let (points, rows) = (points + first, rows + first)
    let (sparePoints, spareRows) = (sparePoints + first, spareRows + first)
    var leftCount = leftCount
    for index in block {
      let point = points[index]
      let row = rows[index]
      // Writes the point to both arrays, but increases the count only for the array where the point belongs. The count
      // of points at the front is never greater than the count of points that were read. So no unread point is
      // overwritten.
      points[leftCount] = point
      rows[leftCount] = row
      sparePoints[index &- leftCount] = point
      spareRows[index &- leftCount] = row
      leftCount &+= split.leftCount(point)
    }
    return leftCount
  }

  @inline(__always) private func checkSides(_ leftCount: Int, of count: Int, _ split: SplitLine) {
    precondition(leftCount > 0 && leftCount < count, "A split left one side empty: \(split), \(count) points")
  }
}
