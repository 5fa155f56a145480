/// Sums, sums of products, and boxes of the points that pass a filter, for each word of 64 points. These values yield
/// the summary of any range of points. The sums of the range are the difference of two prefix sums, corrected for the
/// points at both ends of the range. The box of the range is the union of stored boxes. There are boxes for 1 word,
/// for 8 neighboring words, for 64 neighboring words, and so on.
///
/// Sums are exact.
final class PassingSummaries: Sendable {
  /// Sums over all passing points that come before a word of 64 points. Coordinates are measured from the corner of
  /// the plane where x and y are 0. Sums are kept modulo powers of two. These powers are greater than the sums of any
  /// node, so differences of sums are exact.
  private struct Sums {
    var x: UInt64 = 0
    var y: UInt64 = 0
    var xx: UInt128 = 0
    var xy: UInt128 = 0
    var yy: UInt128 = 0
  }

  private nonisolated(unsafe) let sums: UnsafeMutablePointer<Sums>

  /// Boxes around passing points, level by level. A word stands for 64 points. On the first level, each box covers one
  /// word. On the next level, each box covers eight neighboring words, and so on. On the last level, one box covers
  /// all words.
  private nonisolated(unsafe) let boxes: UnsafeMutablePointer<PlaneRect>
  private let levels: OctalLevels

  /// Number that is added, modulo 2^32, to the x of each point before sums are computed. The number is half the world
  /// for nodes across the seam, where the plane begins and ends, and 0 for other nodes.
  private let turn: UInt32

  static let bytesPerWord = MemoryLayout<Sums>.stride + MemoryLayout<PlaneRect>.stride * 8 / 7

  /// The neutral element of unions. The union of `nowhere` and another box is the other box.
  private static let nowhere = PlaneRect(minX: .max, minY: .max, maxX: 0, maxY: 0)

  /// - Parameter look: Called about every millisecond; throws to stop the work.
  /// - Complexity: O(pointCount)
  init<Failure: Error>(of selection: Selection, turnedBy turn: UInt32, looking look: () throws(Failure) -> Void)
    throws(Failure)
  {
    self.turn = turn
    let wordCount = selection.wordCount
    sums = .allocate(capacity: wordCount + 1)
    levels = OctalLevels(over: wordCount)
    boxes = .allocate(capacity: levels.entryCount)
    boxes.initialize(repeating: Self.nowhere, count: levels.entryCount)
    var total = Sums()
    for index in 0..<wordCount {
      // If `look` throws, `deinit` runs. By then, all memory that `deinit` deallocates has been allocated.
      if index & (Cancellation.wordsPerLook &- 1) == 0 { try look() }
      sums[index] = total
      let bits = selection.words[index].bits
      if bits != 0 {
        boxes[index] = Self.add(selection.storage.points + index << 6, bits, turn, to: &total)
      }
    }
    sums[wordCount] = total
    levels.forEachParent { index, above in boxes[above] = boxes[above].union(boxes[index]) }
  }

  deinit {
    sums.deallocate()
    boxes.deallocate()
  }

  /// Adds the points whose bits are set in a word, and returns the box of these points. At least one bit must be set.
  @inline(__always) private static func add(
    _ points: UnsafePointer<PlanePoint>, _ bits: UInt64, _ turn: UInt32, to total: inout Sums
  ) -> PlaneRect {
    var box = nowhere
    var (x, y) = (UInt64(0), UInt64(0))
    CountedRows.forEach(bits, from: 0) { index in
      let point = PlanePoint(x: points[index].x &+ turn, y: points[index].y)
      box.formUnion(point)
      x &+= UInt64(point.x)
      y &+= UInt64(point.y)
    }
    let count = UInt64(bits.nonzeroBitCount)
    total.x &+= x
    total.y &+= y
    let (left, top) = (UInt64(box.minX), UInt64(box.minY))
    if (box.width | box.height) < 1 << 29 {
      // Coordinates are measured from the corner of the points' box, so that the sums of products of 64 points fit
      // into 64 bits.
      var (xx, xy, yy) = (UInt64(0), UInt64(0), UInt64(0))
      CountedRows.forEach(bits, from: 0) { index in
        let (dx, dy) = (UInt64(points[index].x &+ turn &- box.minX), UInt64(points[index].y &- box.minY))
        xx &+= dx &* dx
        xy &+= dx &* dy
        yy &+= dy &* dy
      }
      // With x = left + dx, the sum of x^2 is the sum of dx^2, plus left times the sum of (2x - left).
      total.xx &+= UInt128(xx) &+ UInt128(left) &* UInt128(2 &* x &- count &* left)
      total.yy &+= UInt128(yy) &+ UInt128(top) &* UInt128(2 &* y &- count &* top)
      total.xy &+=
        UInt128(xy) &+ UInt128(left) &* UInt128(y) &+ UInt128(top) &* UInt128(x &- count &* left)
    } else {
      CountedRows.forEach(bits, from: 0) { index in
        let (x, y) = (UInt64(points[index].x &+ turn), UInt64(points[index].y))
        total.xx &+= UInt128(x &* x)
        total.xy &+= UInt128(x &* y)
        total.yy &+= UInt128(y &* y)
      }
    }
    return box
  }

  /// Returns the summary of the passing points in a range. At least one point of the range must pass.
  ///
  /// - Complexity: O(log pointCount)
  func summary(of range: Range<Int>, count: Int, of points: PassingPoints, in storage: TreeStorage) -> NodeSummary {
    var sums = Sums()
    var box = Self.nowhere
    func add(_ bits: UInt64, ofWord word: Int) {
      if bits != 0 { box = box.union(Self.add(storage.points + word << 6, bits, turn, to: &sums)) }
    }
    let (first, last) = (range.lowerBound >> 6, range.upperBound >> 6)
    let behindFirst = UInt64.max &<< UInt64(range.lowerBound & 63)
    let beforeLast = 1 &<< UInt64(range.upperBound & 63) &- 1
    if first == last {
      add(points.words[first].bits & behindFirst & beforeLast, ofWord: first)
    } else {
      add(points.words[first].bits & behindFirst, ofWord: first)
      add(points.words[last].bits & beforeLast, ofWord: last)
      addWords(first + 1..<last, to: &sums, &box)
    }
    let (count, left, top) = (UInt64(count), UInt64(box.minX), UInt64(box.minY))
    let (x, y) = (sums.x &- count &* left, sums.y &- count &* top)
    // Until here, the coordinates in the sums are measured from the corner of the plane. The next three formulas give
    // the sums for coordinates that are measured from the corner of the box. The formulas come from `add`, solved for
    // the sum of dx^2 and so on.
    let xx = sums.xx &- UInt128(left) &* UInt128(2 &* sums.x &- count &* left)
    let yy = sums.yy &- UInt128(top) &* UInt128(2 &* sums.y &- count &* top)
    let xy = sums.xy &- UInt128(left) &* UInt128(sums.y) &- UInt128(top) &* UInt128(x)
    let n = Double(count)
    // For up to 2^31 points, both `count * product` and `a * b` are below 2^126, so their difference fits 128 bits.
    func covariance(_ product: UInt128, _ a: UInt64, _ b: UInt64) -> Float {
      Float(Double(Int128(truncatingIfNeeded: UInt128(count) &* product &- UInt128(a) &* UInt128(b))) / n / n)
    }
    return NodeSummary(
      count: Int(count),
      box: PlaneRect(minX: box.minX &- turn, minY: box.minY, maxX: box.maxX &- turn, maxY: box.maxY),
      sums: NodeSums(x: x, y: y),
      spread: NodeSpread(xx: covariance(xx, x, x), xy: covariance(xy, x, y), yy: covariance(yy, y, y)))
  }

  private func addWords(_ range: Range<Int>, to sums: inout Sums, _ box: inout PlaneRect) {
    let (first, last) = (self.sums[range.lowerBound], self.sums[range.upperBound])
    sums.x &+= last.x &- first.x
    sums.y &+= last.y &- first.y
    sums.xx &+= last.xx &- first.xx
    sums.xy &+= last.xy &- first.xy
    sums.yy &+= last.yy &- first.yy
    levels.forEach(covering: range) { box = box.union(boxes[$0]) }
  }
}
