import Treeline

/// A binary tree of merges, each of two leaves or earlier merges.
///
/// Leaves are numbered from 0, the merges behind them in the order in which they were made.
struct Merges {
  let leafCount: Int
  private(set) var lefts: ContiguousArray<UInt32> = []
  private(set) var rights: ContiguousArray<UInt32> = []
  /// How many points there are in each merge.
  private(set) var counts: ContiguousArray<UInt32> = []
  /// Never below that of a part.
  private(set) var scales: ContiguousArray<SeparationCode> = []
  /// Whether clusters stand at members.
  let standsAtMembers: Bool
  /// If so, whether each merge stands where its right part does.
  private(set) var standsRight: ContiguousArray<Bool> = []

  init(leafCount: Int, standsAtMembers: Bool = false) {
    (self.leafCount, self.standsAtMembers) = (leafCount, standsAtMembers)
    if standsAtMembers { standsRight.reserveCapacity(max(leafCount - 1, 0)) }
    let count = max(leafCount - 1, 0)
    lefts.reserveCapacity(count)
    rights.reserveCapacity(count)
    counts.reserveCapacity(count)
    scales.reserveCapacity(count)
  }

  var count: Int { lefts.count }

  /// - Returns: the number of the merge.
  @inline(__always) mutating func add(
    _ left: UInt32, _ right: UInt32, count pointCount: UInt32, _ scale: SeparationCode
  )
    -> UInt32
  {
    let node = leafCount + count
    lefts.append(left)
    rights.append(right)
    counts.append(pointCount)
    scales.append(scale)
    return UInt32(node)
  }

  /// Says of the last merge where it stands, if clusters stand at members.
  @inline(__always) mutating func stand(right: Bool) { standsRight.append(right) }

  /// The level of the deepest leaf.
  func depth(_ monitor: BuildMonitor) -> Int {
    var heights = ContiguousArray<UInt32>(repeating: 0, count: count)
    func height(_ node: UInt32) -> UInt32 { Int(node) < leafCount ? 0 : heights[Int(node) - leafCount] }
    monitor.pass(over: 0..<count) { block in
      for merge in block { heights[merge] = max(height(lefts[merge]), height(rights[merge])) + 1 }
    }
    return Int(heights.last ?? 0)
  }
}

// MARK: - Depth

extension Merges {
  /// No tree is deeper than this: chains of merges at ever greater scales may be as long as there are points.
  static let maximumDepth = 511

  /// The same tree with its scales rounded down to two steps for each doubling of the squared distance, four an octave.
  ///
  /// What is merged at one step is merged balanced by weight: of neighbours in the order of leaves, those go left that
  /// come nearest to half of the points. A part of w points among n is then at most log2(n / w) + 2 levels below, so
  /// that 128 steps make 31 + 256 levels at most.
  ///
  /// At any distance there are the clusters that there were at some distance no less. So the promise holds.
  func withCoarseScales(count pointCounts: (Int) -> UInt32, _ monitor: BuildMonitor) -> Merges {
    var coarse = Merges(leafCount: leafCount, standsAtMembers: standsAtMembers)
    /// Of merges whose parent has another scale, their numbers in the new tree.
    var numbers = ContiguousArray<UInt32>(repeating: 0, count: count)
    func weight(_ node: UInt32) -> UInt32 {
      Int(node) < leafCount ? pointCounts(Int(node)) : counts[Int(node) - leafCount]
    }
    var isTop = ContiguousArray<Bool>(repeating: true, count: count)
    for merge in 0..<count {
      for part in [lefts[merge], rights[merge]] where Int(part) >= leafCount {
        isTop[Int(part) - leafCount] = scales[Int(part) - leafCount].coarse != scales[merge].coarse
      }
    }
    for merge in 0..<count where isTop[merge] && !monitor.isCancelled {
      // All that is merged at this step, in the order of leaves, and the points in front of each.
      var (parts, starts) = ([UInt32](), [UInt64(0)])
      // The part where all of it stands.
      var (stand, standIndex) = (UInt32(leafCount + merge), 0)
      while standsAtMembers, case let index = Int(stand) - leafCount, index == merge || index >= 0 && !isTop[index] {
        stand = standsRight[index] ? rights[index] : lefts[index]
      }
      var stack = [UInt32(leafCount + merge)]
      while let node = stack.popLast() {
        let index = Int(node) - leafCount
        if index >= 0 && (index == merge || !isTop[index]) {
          stack += [rights[index], lefts[index]]
        } else {
          if node == stand { standIndex = parts.count }
          parts.append(index >= 0 ? numbers[index] : node)
          starts.append(starts.last! + UInt64(weight(node)))
        }
      }
      numbers[merge] = coarse.addBalanced(parts[...], starts, scales[merge].coarse, stand: standIndex)
    }
    return coarse
  }

  /// Merges some neighbours at one scale. Calls nest as deep as the tree that they make.
  ///
  /// - Parameters:
  ///   - starts: how many points lie in front of each part, and in front of and in all.
  ///   - stand: the part where all of them stand, if it is one of these.
  private mutating func addBalanced(
    _ parts: ArraySlice<UInt32>, _ starts: [UInt64], _ scale: SeparationCode, stand: Int
  ) -> UInt32 {
    if parts.count == 1 { return parts.first! }
    let middle = (starts[parts.startIndex] + starts[parts.endIndex]) / 2
    var (low, high) = (parts.startIndex + 1, parts.endIndex - 1)
    // The first part that begins in the middle or behind it, or the one before if that is nearer.
    while low < high {
      let index = (low + high) / 2
      if starts[index] < middle { low = index + 1 } else { high = index }
    }
    if low > parts.startIndex + 1, starts[low] > middle, middle - starts[low - 1] <= starts[low] - middle { low -= 1 }
    let left = addBalanced(parts[..<low], starts, scale, stand: stand)
    let right = addBalanced(parts[low...], starts, scale, stand: stand)
    let number = add(left, right, count: UInt32(starts[parts.endIndex] - starts[parts.startIndex]), scale)
    if standsAtMembers { self.stand(right: low..<parts.endIndex ~= stand) }
    return number
  }
}
