import Treeline

/// Two clusters merged in a round: the first keeps its number.
struct RoundMerge {
  var first: UInt32
  var second: UInt32
  /// Where the merged cluster lies.
  var position: PlanePoint
  /// That of the distance.
  var scale: SeparationCode
}

/// Merges the clusters of one group as far as a round goes, as if there were no others.
struct GroupMerging {
  /// What was merged, in this order.
  private(set) var merges: ContiguousArray<RoundMerge> = []
  /// No cluster's members are farther from their mean than this: the greatest mean square of all clusters that there
  /// were, of the distances of points from the mean, each point counted where its cluster lay when the round began.
  private(set) var spread = 0.0
  /// Whether some mean was moved far: a cluster across the seam became part of one too wide for that.
  private(set) var hasJumped = false

  private var parts: ContiguousArray<Part> = []
  private var queue = PairHeap<Pair>()

  private struct Part {
    var sums: MergeSums
    var position: PlanePoint
    var longitudes: Longitudes
    var member: UInt32
    /// How often it was merged; `gone` once it is part of another.
    var stamp: UInt32 = 0
    /// The sum of the squared distances of its points from their mean.
    var scatter = 0.0

    static let gone = UInt32.max
  }

  /// Two parts that are to be merged if both are still what they were.
  private struct Pair: Comparable {
    var squaredDistance: UInt64
    /// The part with the lesser least member.
    var first: UInt32
    var second: UInt32
    var firstStamp: UInt32
    var secondStamp: UInt32

    /// The closest pair first, of several the one with the least members.
    @inline(__always) static func < (a: Pair, b: Pair) -> Bool {
      if a.squaredDistance != b.squaredDistance { return a.squaredDistance < b.squaredDistance }
      return UInt64(a.first) &<< 32 | UInt64(a.second) < UInt64(b.first) &<< 32 | UInt64(b.second)
    }
  }

  /// Of so many parts each is compared with all others.
  private static let fewParts = 40

  /// A mean rounded to units is this far from what it would be, or less; twice in any distance.
  static let rounding = 0.75

  /// Merges all pairs that are close enough, the closest first.
  ///
  /// - Parameters:
  ///   - members: in rising order.
  ///   - greatest: the squared distance of the farthest pairs to be merged.
  mutating func run(
    _ members: ContiguousArray<UInt32>, of live: LiveClusters, upTo greatest: UInt64, _ monitor: BuildMonitor
  ) {
    merges.removeAll(keepingCapacity: true)
    (spread, hasJumped) = (0, false)
    if members.count == 2 && mergePair(members[0], members[1], of: live) { return }
    parts.removeAll(keepingCapacity: true)
    queue.removeAll()
    for member in members {
      let member = Int(member)
      let position = live.links[member].position
      let longitudes = live.longitudes?[member] ?? Longitudes(west: position.x, east: position.x)
      parts.append(
        Part(sums: live.sums[member], position: position, longitudes: longitudes, member: UInt32(member)))
    }
    if members.count <= Self.fewParts {
      mergeFew(crossesSeam: live.crossesSeam, upTo: greatest)
    } else {
      mergeMany(crossesSeam: live.crossesSeam, upTo: greatest, monitor)
    }
  }

  /// Most groups are a pair, which is close enough.
  ///
  /// - Returns: false if the pair may lie across the seam.
  @inline(__always) private mutating func mergePair(_ first: UInt32, _ second: UInt32, of live: LiveClusters) -> Bool {
    let (first, second) = (Int(first), Int(second))
    let (a, b) = (live.sums[first], live.sums[second])
    let (from, to) = (live.links[first].position, live.links[second].position)
    if let longitudes = live.longitudes {
      let isPlain = !longitudes[first].isAcrossSeam && !longitudes[second].isAcrossSeam
      guard isPlain, max(from.x, to.x) &- min(from.x, to.x) < Longitudes.halfWorld,
        !longitudes[first].joined(with: longitudes[second]).isAcrossSeam
      else { return false }
    }
    let squaredDistance = Plane.Projection.planar.squaredDistance(from, to)
    merges.append(
      RoundMerge(
        first: UInt32(first), second: UInt32(second), position: a.joined(with: b).mean,
        scale: SeparationCode(roundingDown: squaredDistance)))
    let count = Double(a.count) + Double(b.count)
    spread = Self.scatter(squaredDistance, a.count, b.count) / count
    return true
  }

  /// What two clusters' scatter is less than that of both together, or more.
  @inline(__always) private static func scatter(_ squaredDistance: UInt64, _ a: UInt32, _ b: UInt32) -> Double {
    let distance = Double(squaredDistance).squareRoot() + 2 * rounding
    return Double(a) * Double(b) / (Double(a) + Double(b)) * (distance * distance)
  }

  /// Across the seam only clusters are close that are less than half a world wide together.
  @inline(__always) private func squaredDistance(_ a: Int, _ b: Int, crossesSeam: Bool) -> UInt64 {
    let (a, b) = (parts[a], parts[b])
    let plain = Plane.Projection.planar.squaredDistance(a.position, b.position)
    guard crossesSeam else { return plain }
    let around = Plane.Projection.webMercator.squaredDistance(a.position, b.position)
    return around == plain || a.longitudes.joined(with: b.longitudes).isWide ? plain : around
  }

  /// - Returns: the pair's merged cluster, which is that of `first`.
  @inline(__always) private mutating func merge(
    _ first: Int, _ second: Int, _ squaredDistance: UInt64, crossesSeam: Bool
  ) {
    let (a, b) = (parts[first], parts[second])
    if crossesSeam {
      let longitudes = a.longitudes.joined(with: b.longitudes)
      if (a.longitudes.isAcrossSeam || b.longitudes.isAcrossSeam) && !longitudes.isAcrossSeam { hasJumped = true }
      parts[first].sums = a.sums.joined(with: b.sums, longitudes: (a.longitudes, b.longitudes, longitudes))
      parts[first].longitudes = longitudes
    } else {
      parts[first].sums = a.sums.joined(with: b.sums)
    }
    let position = parts[first].sums.mean
    parts[first].position = position
    parts[first].scatter = a.scatter + b.scatter + Self.scatter(squaredDistance, a.sums.count, b.sums.count)
    parts[first].stamp &+= 1
    parts[second].stamp = Part.gone
    spread = max(spread, parts[first].scatter / Double(parts[first].sums.count))
    merges.append(
      RoundMerge(
        first: a.member, second: b.member, position: position, scale: SeparationCode(roundingDown: squaredDistance)))
  }

  private mutating func mergeFew(crossesSeam: Bool, upTo greatest: UInt64) {
    for second in parts.indices.dropFirst() {
      for first in 0..<second { enqueue(first, second, crossesSeam: crossesSeam, upTo: greatest) }
    }
    while let pair = popPair() {
      merge(Int(pair.first), Int(pair.second), pair.squaredDistance, crossesSeam: crossesSeam)
      for other in parts.indices where other != Int(pair.first) && parts[other].stamp != Part.gone {
        enqueue(other, Int(pair.first), crossesSeam: crossesSeam, upTo: greatest)
      }
    }
  }

  /// The same by a grid.
  private mutating func mergeMany(crossesSeam: Bool, upTo greatest: UInt64, _ monitor: BuildMonitor) {
    let count = parts.count
    let links = UnsafeMutablePointer<MergeGrid.LinkedPosition>.allocate(capacity: count)
    let reach = Int(Double(greatest).squareRoot()) + 1
    let shift = min(max(Int.bitWidth - (reach - 1).leadingZeroBitCount, 0), 32)
    var grid = MergeGrid(links, shift: UInt32(shift), isCyclic: crossesSeam, tileCount: count / 8)
    defer {
      grid.deallocate()
      MemoryBlock(links, count: count).deallocate()
    }
    for part in 0..<count {
      if part & 0xFFF == 0 && monitor.isCancelled { return }
      (links + part).initialize(to: MergeGrid.LinkedPosition(position: parts[part].position))
      grid.forEach(near: parts[part].position, within: reach) { other, _ in
        enqueue(Int(other), part, crossesSeam: crossesSeam, upTo: greatest)
      }
      grid.insert(UInt32(part))
    }
    var mergeCount = 0
    while let pair = popPair() {
      mergeCount += 1
      if mergeCount & 0xFFF == 0 && monitor.isCancelled { return }
      let (first, second) = (Int(pair.first), Int(pair.second))
      grid.remove(pair.first)
      grid.remove(pair.second)
      merge(first, second, pair.squaredDistance, crossesSeam: crossesSeam)
      links[first].position = parts[first].position
      grid.forEach(near: parts[first].position, within: reach) { other, _ in
        enqueue(Int(other), first, crossesSeam: crossesSeam, upTo: greatest)
      }
      grid.insert(pair.first)
    }
  }
}

// MARK: - Pairs

extension GroupMerging {
  @inline(__always) private mutating func enqueue(_ a: Int, _ b: Int, crossesSeam: Bool, upTo greatest: UInt64) {
    let squaredDistance = squaredDistance(a, b, crossesSeam: crossesSeam)
    if squaredDistance > greatest { return }
    let (first, second) = (min(a, b), max(a, b))
    let pair = Pair(
      squaredDistance: squaredDistance, first: UInt32(first), second: UInt32(second), firstStamp: parts[first].stamp,
      secondStamp: parts[second].stamp)
    queue.insert(pair)
  }

  /// Takes the closest pair of parts that there still are; nil where there is none.
  @inline(__always) private mutating func popPair() -> Pair? {
    while let pair = queue.popFirst() {
      if parts[Int(pair.first)].stamp == pair.firstStamp && parts[Int(pair.second)].stamp == pair.secondStamp {
        return pair
      }
    }
    return nil
  }
}
