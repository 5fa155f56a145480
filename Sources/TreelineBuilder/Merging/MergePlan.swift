import Synchronization
import Treeline

/// The parts into which the plane is divided, and the scale up to which each part is merged alone.
///
/// Parts are rectangles. The leaves in each part are adjacent in Z-order. The plane is divided into halves, and every
/// half with too many leaves is divided again.
struct MergePlan: Sendable {
  struct Part: Sendable {
    let leaves: Range<Int>
    /// Rectangle that contains the leaves of this part and no other leaves.
    let rect: PlaneRect
    /// Border between the part's halves; nil if the part is not divided.
    var border: MergeBorder?
    /// Indices of the part's halves in `parts`.
    var halves = (first: 0, second: 0)
    /// Index in `parts` of the larger part that this part is a half of. The whole plane is not a half of any part. For
    /// the whole plane, this is its own index.
    let whole: Int
    /// Estimated number of clusters that are merged again along `border`; 0 if the part is not divided. In a plan
    /// without levels, a rough measure of the work along the border.
    var expectedAgain = 0.0
  }

  /// The parts. The whole plane comes first, and each half comes after the part that contains it.
  private(set) var parts: [Part] = []
  /// Levels are consecutive ranges of bands. In the bands of these levels, each part is merged alone. Along the
  /// borders, clusters are merged again level by level.
  private(set) var levels: [ClosedRange<UInt8>] = []

  /// Divides the plane into parts, without levels.
  ///
  /// - Parameter leavesInPart: Parts with more leaves are divided.
  init(_ leaves: Leaves, leavesInPart: Int) {
    let plane = PlaneRect(minX: 0, minY: 0, maxX: .max, maxY: .max)
    divide(0..<leaves.leafCount, plane, of: 0, leaves, most: leavesInPart)
  }

  /// - Parameters:
  ///   - counts: At index i, the number of squares that contain leaves, if squares are 2^i units wide.
  ///   - leavesForEach: Parts are merged alone until about one cluster is left for every `leavesForEach` leaves.
  private init(
    _ leaves: Leaves, leavesInPart: Int, _ curve: BadgeCurve, squareCounts counts: [Int], leavesForEach: Int = 32
  ) {
    self.init(leaves, leavesInPart: leavesInPart)
    let first = counts.lastIndex { $0 >= leaves.leafCount * 3 / 4 } ?? 0
    let last = counts.firstIndex { $0 <= max(leaves.leafCount / leavesForEach, 16) } ?? counts.count
    // Returns the distance in plane units between two clusters whose scaled distance is 1, if the badges of both
    // clusters have the given diameter. The function is called twice: with the badge diameter of a cluster of two
    // points, and with the largest badge diameter.
    func reach(_ diameter: UInt16) -> Double { Double(curve.width(diameter, diameter)) / 1024 }
    let (typical, greatest) = (reach(curve.units(of: 2)), reach(curve.steps.last!.diameter))
    var (start, isLast) = (UInt8(0), false)
    for width in first...max(first, last) where !isLast {
      let scale = min(Double(1 << width) / typical, Self.greatestReach / greatest)
      isLast = scale < Double(1 << width) / typical
      let end = max(DistanceBands.band(of: UInt64(scale * scale)), start)
      levels.append(start...end)
      start = end + 1
    }
    let margin = min(Double(1 << first) * Self.marginInSquares * greatest / typical, 0x1p33)
    for number in parts.indices {
      parts[number].expectedAgain = expectedAgain(
        parts[number], leaves, margin: max(Int(margin), 1), firstWidth: first)
    }
  }

  /// Divides the plane into parts of a given size.
  init(_ leaves: Leaves, leavesInPart: Int, _ curve: BadgeCurve, threads: Int, _ monitor: BuildMonitor) {
    let counts = Self.squareCounts(leaves, threads: threads, monitor)
    self.init(leaves, leavesInPart: leavesInPart, curve, squareCounts: counts)
  }

  /// Divides the plane into parts of the size that probably takes the least time.
  ///
  /// Small parts fit the caches of a core, even if two threads share the core. Also, many small parts keep all threads
  /// busy. But the borders of small parts are longer in total, and clusters along borders are merged again.
  ///
  /// - Returns: nil if merging all leaves without parts is probably faster, and if main memory is enough for it.
  static func fastest(
    _ leaves: Leaves, _ curve: BadgeCurve, threads: Int, _ monitor: BuildMonitor
  ) -> MergePlan? {
    var leavesInPart = Self.leavesInPart(threads: threads)
    guard leaves.leafCount > leavesInPart else { return nil }
    let counts = squareCounts(leaves, threads: threads, monitor)
    var (best, least) = (nil as MergePlan?, monitor.mapped == nil ? greatestTime : .infinity)
    let most = monitor.mostLeavesInPart(threads: threads)
    leavesInPart = min(leavesInPart, max(most, 1 << 12))
    while leaves.leafCount > leavesInPart && (best == nil || leavesInPart <= most) && !monitor.isCancelled {
      // The clusters that are left in the end are merged in main memory.
      let plan = MergePlan(
        leaves, leavesInPart: leavesInPart, curve, squareCounts: counts,
        leavesForEach: monitor.mapped == nil ? 32 : 256)
      // If long borders make a few large parts look best, the borders are longer than estimated.
      if monitor.mapped == nil, leavesInPart > Self.leavesInPart(threads: threads), plan.partCount < 2 * threads {
        break
      }
      let time = plan.expectedTime(leafCount: leaves.leafCount, threads: threads)
      if time < least { (best, least) = (plan, time) }
      leavesInPart *= 2
    }
    return best
  }

  /// Returns the estimated time of merging in parts, divided by the time of merging without parts.
  private func expectedTime(leafCount: Int, threads: Int) -> Double {
    var paths = parts.map { _ in 0.0 }
    var all = 0.0
    for (number, part) in parts.enumerated().reversed() {
      let own = expectedTime(of: part)
      all += own
      paths[number] += own
      if number > 0 { paths[part.whole] = max(paths[part.whole], paths[number]) }
    }
    return max(all / Double(threads), paths[0]) / (Double(leafCount) * Self.expectedTime(ofLeafIn: leafCount))
  }

  /// Returns the estimated time of the work on a part, without the work on its halves. The unit is the time of merging
  /// one leaf in a small part.
  private func expectedTime(of part: Part) -> Double {
    part.border == nil
      ? Double(part.leaves.count) * Self.expectedTime(ofLeafIn: part.leaves.count) : 2.2 * part.expectedAgain
  }

  /// Returns the estimated time of merging one leaf in a part that is not divided. Small parts fit into the caches.
  ///
  /// The constants here were measured on uniform and clustered points and on real places.
  private static func expectedTime(ofLeafIn leafCount: Int) -> Double {
    let ratio = Double(leafCount) / 65_536
    // `doublings` is the approximate base-2 logarithm of `ratio`.
    let doublings = Double(ratio.exponent) + ratio.significand - 1
    return 1 + 0.2 * max(doublings, 0)
  }

  /// A plan is used only if its `expectedTime` is less than this limit. Estimates are rough, so the limit is well
  /// below 1.
  private static let greatestTime = 0.85

  /// Estimates how many clusters are merged again along the border of a part. At the end of a level, there is about one
  /// cluster in each square that contains leaves.
  ///
  /// - Parameters:
  ///   - margin: Clusters within this distance of the border, in plane units, are merged again in the first of the
  ///     `levels`. This distance doubles from level to level.
  ///   - firstWidth: Base-2 logarithm of the width of squares in the first level. The width doubles from level to level.
  private func expectedAgain(_ part: Part, _ leaves: Leaves, margin: Int, firstWidth: Int) -> Double {
    guard let border = part.border else { return 0 }
    // Some 11,000 to 33,000 leaves serve as a sample of all leaves. The step is odd. If the leaves form a lattice, an
    // even step could find only leaves that come first in their squares.
    let step = leaves.leafCount >> 14 | 1
    // For each level, the number of leaves that come first in a square near the border, minus this number in the level
    // before.
    var changes = [Int](repeating: 0, count: levels.count + 1)
    let start = (part.leaves.lowerBound + step - 1) / step * step
    for leaf in stride(from: start, to: part.leaves.upperBound, by: step) {
      let position = leaves.position(of: leaf)
      let first = Int.bitWidth - (border.distance(position) / margin).leadingZeroBitCount
      let code = ZOrder.code(of: position)
      let last = leaf == 0 ? 32 : Self.separatingWidth(code, ZOrder.code(of: leaves.position(of: leaf - 1)))
      let end = min(last - firstWidth + 1, levels.count)
      if first < end {
        changes[first] += step
        changes[end] -= step
      }
    }
    var (near, again) = (0, 0)
    for change in changes {
      near += change
      again += near
    }
    return Double(again)
  }

  /// On each side of a border, the clusters in a strip are merged again. This is the estimated width of the strip. The
  /// unit is the distance at which clusters with the largest badges are merged at the end of the level. If all badges
  /// have one size, this unit is the width of the level's squares. The value was measured.
  private static let marginInSquares = 8.0

  /// Number of parts that are not divided.
  var partCount: Int { parts.count { $0.border == nil } }

  /// Returns the usual limit for the number of leaves in a part.
  static func leavesInPart(threads: Int) -> Int { threads == 1 ? 128_000 : 48_000 }

  /// Greatest distance, in plane units, at which two clusters with the largest badges are merged while each part is
  /// merged alone. This distance is a 32nd of the world.
  private static let greatestReach = 0x1p27

  private mutating func divide(_ range: Range<Int>, _ rect: PlaneRect, of whole: Int, _ leaves: Leaves, most: Int) {
    let part = parts.count
    parts.append(Part(leaves: range, rect: rect, whole: whole))
    guard range.count > most else { return }
    let (first, last) = (leaves.position(of: range.lowerBound), leaves.position(of: range.upperBound - 1))
    // The highest bit in which the Z-order codes of the part's leaves differ.
    let bit = 63 - (ZOrder.code(of: first) ^ ZOrder.code(of: last)).leadingZeroBitCount
    let isVertical = bit.isMultiple(of: 2)
    let place = (isVertical ? last.x : last.y) & UInt32.max << UInt32(bit / 2)
    let middle = firstIndex(in: range) {
      let position = leaves.position(of: $0)
      return (isVertical ? position.x : position.y) >= place
    }
    var (before, behind) = (rect, rect)
    if isVertical {
      (before.maxX, behind.minX) = (place - 1, place)
    } else {
      (before.maxY, behind.minY) = (place - 1, place)
    }
    parts[part].border = MergeBorder(kind: isVertical ? .column : .row, place: place)
    // If the points are spread evenly, the number of clusters along a border grows like this.
    parts[part].expectedAgain = 8 * Double(range.count).squareRoot()
    parts[part].halves.first = parts.count
    divide(range.lowerBound..<middle, before, of: part, leaves, most: most)
    parts[part].halves.second = parts.count
    divide(middle..<range.upperBound, behind, of: part, leaves, most: most)
  }

  /// Calls `work` with each part, on several threads. Each part comes after its halves. Stops early if the build is
  /// cancelled.
  ///
  /// First come the smallest part that is divided, and its halves. The border of this part shows whether merging in
  /// parts saves time (see `PartMerging`). After that, of the parts whose halves are done, the part with the longest
  /// path to the whole plane comes first. Otherwise most borders would be left for the end, and one thread would work on
  /// them while the other threads wait. But if the arrays are in files, a part comes directly after its halves, because
  /// their pages are still in memory.
  func forEachPart(threads: Int, _ monitor: BuildMonitor, _ work: @Sendable (_ number: Int, _ part: Part) -> Void) {
    let undone = parts.map { _ in UndoneHalves() }
    // For each part, the estimated work on the part and on all parts that contain it.
    var paths = parts.map { expectedTime(of: $0) }
    for number in parts.indices.dropFirst() { paths[number] += paths[parts[number].whole] }
    let leaves = parts.indices.filter { parts[$0].border == nil }
    // The divided part with the fewest leaves. Its halves are not divided.
    let first = parts.indices.filter { parts[$0].border != nil }.min {
      parts[$0].leaves.count < parts[$1].leaves.count
    }
    if let first {
      for part in [first, parts[first].halves.first, parts[first].halves.second] { paths[part] = .infinity }
    }
    let queue =
      monitor.mapped == nil
      ? WorkQueue(leaves) { [paths] in paths[$0] < paths[$1] } : WorkQueue(leaves.reversed())
    queue.run(threads: threads) { number in
      if monitor.isCancelled { return [] }
      work(number, parts[number])
      let whole = parts[number].whole
      return number > 0 && !monitor.isCancelled && undone[whole].isLast() ? [whole] : []
    }
  }

  /// For one part, the number of its halves that are not done yet.
  private final class UndoneHalves: Sendable {
    private let count = Atomic<Int>(2)

    /// Counts one half of the part as done. Returns whether both halves of the part are done now.
    func isLast() -> Bool { count.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
  }

  /// Returns the base-2 logarithm of the width of the largest squares that separate two Z-order codes.
  private static func separatingWidth(_ a: UInt64, _ b: UInt64) -> Int {
    (UInt64.bitWidth - (a ^ b).leadingZeroBitCount - 1) / 2
  }

  /// Returns, at index i, the number of squares that contain leaves, if squares are 2^i units wide. The leaves of a
  /// square are adjacent in Z-order.
  private static func squareCounts(_ leaves: Leaves, threads: Int, _ monitor: BuildMonitor) -> [Int] {
    // Element i is the number of leaves that come first in a square with a width of 2^i units, but not in any wider
    // square. The first of all leaves is not counted.
    let ends = inChunks(of: leaves.leafCount, threads: threads) { chunk in
      var ends = [Int](repeating: 0, count: 33)
      monitor.pass(over: max(chunk.lowerBound, 1)..<chunk.upperBound) { block in
        var last = ZOrder.code(of: leaves.position(of: block.lowerBound - 1))
        for leaf in block {
          let code = ZOrder.code(of: leaves.position(of: leaf))
          ends[separatingWidth(code, last)] += 1
          last = code
        }
      }
      return ends
    }
    return (0..<33).map { width in ends.reduce(1) { $0 + $1[width...].reduce(0, +) } }
  }

  /// Returns the index in `levels` of the level that contains a band. For a band after the last level, returns
  /// `levels.count`.
  func level(_ band: UInt8) -> Int { levels.firstIndex { band <= $0.upperBound } ?? levels.count }
}

/// A line between two parts of the plane. Each part was merged as if there were no leaves in the other part.
struct MergeBorder: Sendable {
  enum Kind { case column, row, seam }

  let kind: Kind
  /// The column or row just after the line.
  var place: UInt32 = 0

  /// Returns the offset of a position from the line: zero or positive after the line, negative before it.
  @inline(__always) func across(_ position: PlanePoint) -> Int {
    switch kind {
    case .column: Int(position.x) &- Int(place)
    case .row: Int(position.y) &- Int(place)
    case .seam: Int(Int32(bitPattern: position.x))
    }
  }

  /// Returns the distance of a position from the line, in units.
  @inline(__always) func distance(_ position: PlanePoint) -> Int {
    let across = across(position)
    return across < 0 ? -1 &- across : across
  }

  /// Returns the distance of a box from the line, in units.
  func distance(_ box: PlaneRect) -> Int {
    let corners = (PlanePoint(x: box.minX, y: box.minY), PlanePoint(x: box.maxX, y: box.maxY))
    let isDivided = kind != .seam && across(corners.0) < 0 && across(corners.1) >= 0
    return isDivided ? 0 : min(distance(corners.0), distance(corners.1))
  }
}
