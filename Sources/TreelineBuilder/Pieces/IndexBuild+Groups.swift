import Treeline

#if POSIX
  extension IndexBuild {
    /// Returns the plan of several trees that are stored one after the other, like the trees of `GroupedBuild`. The
    /// returned plan consists of the plans of all trees and the nodes above the trees.
    func plan(_ groups: ScratchGroups) throws(PieceError) -> PiecePlan {
      var plan = PiecePlan(rule: options.tree.splitRule)
      let counts = groups.header.parts.map(\.count)
      if counts.isEmpty { return plan }
      let divided = try DividedPositions(of: self, groups, counts)
      var stack = [PartRange(partCount: counts.count)]
      while let node = stack.popLast() {
        if let halves = node.halves {
          plan.addNode()
          stack += [halves.right, halves.left]
        } else {
          let part = node.parts.lowerBound
          try plan.append(
            self.plan(divided.positions(of: part), knowing: divided.extents[part], level: node.level),
            level: node.level)
        }
      }
      folder.remove(.dividedPositions)
      return plan
    }
  }

  /// The groups of all points, once all points are read.
  struct ScratchGroups: BinaryCodable {
    let header: TreeGroups
    /// For each group, the number of its tree. Groups are in the order in which they were read.
    private let parts: [UInt16]

    init(_ tally: GroupTally) {
      let (names, places) = tally.numbers.sorted
      var counts = [UInt32](repeating: 0, count: names.count)
      for (number, place) in places.enumerated() { counts[Int(place)] = tally.counts[number] }
      header = TreeGroups(names: names, pointCounts: counts, neverClustered: tally.neverClustered)
      parts = places.map { UInt16($0) }
    }

    /// Replaces the number of each point's group by the number of the group's tree.
    func replace(_ numbers: UnsafeMutableBufferPointer<UInt16>) {
      let last = UInt16(parts.count)
      for index in numbers.indices {
        numbers[index] = numbers[index] == GroupTally.neverClustered ? last : parts[Int(numbers[index])]
      }
    }

    func write(to bytes: inout PlainBytes) {
      bytes.append(UInt64(header.names.count))
      for name in header.names { bytes.append(name) }
      bytes.append(header.starts)
      bytes.append(header.pointCount)
      bytes.append(parts)
    }

    init(from bytes: inout PlainBytes) throws(PieceError) {
      let unsound = PieceError.damaged(what: "groups", expected: "the groups of all points", found: "other groups")
      let count = try bytes.read(UInt64.self)
      guard count <= TreeGroups.maximumCount else { throw unsound }
      var names: [String] = []
      for _ in 0..<count { names.append(try bytes.readText()) }
      let starts: [UInt32] = try bytes.readArray()
      let pointCount = try bytes.read(UInt32.self)
      parts = try bytes.readArray()
      guard starts.count == names.count + 1, starts[0] == 0, starts == starts.sorted(), starts.last! <= pointCount,
        parts.map({ Int($0) }).sorted() == Array(names.indices)
      else { throw unsound }
      header = TreeGroups(
        names: names, pointCounts: zip(starts, starts.dropFirst()).map { $1 - $0 },
        neverClustered: pointCount - starts.last!)
    }
  }

  /// The groups of the points that have been read so far.
  struct GroupTally {
    fileprivate var numbers = GroupNumbers()
    /// Number of points of each group. The index is the group's number.
    fileprivate var counts: [UInt32] = []
    fileprivate var neverClustered: UInt32 = 0

    /// Group number of a point that is never clustered.
    static let neverClustered = UInt16.max

    /// Adds the groups of some points.
    ///
    /// - Returns: the number of each point's group.
    mutating func add(_ groups: [PointGroups.Group]) throws(PieceError) -> [UInt16] {
      var found: [UInt16] = []
      found.reserveCapacity(groups.count)
      for group in groups {
        guard case .named(let name) = group else {
          neverClustered += 1
          found.append(Self.neverClustered)
          continue
        }
        let number = numbers.number(of: name)
        if number == counts.count { counts.append(0) }
        guard counts.count <= TreeGroups.maximumCount else { throw .invalid(.tooManyGroups(found: counts.count)) }
        counts[Int(number)] += 1
        found.append(UInt16(number))
      }
      return found
    }
  }

  /// Number of each point's tree, in input order.
  struct TreeNumbers {
    private let file: ScratchFile
    private let groups: ScratchGroups

    init(of build: IndexBuild, _ groups: ScratchGroups) throws(PieceError) {
      (file, self.groups) = (try build.folder.file(.groups), groups)
    }

    /// Returns the tree numbers of some points.
    func read(_ range: Range<Int>) throws(PieceError) -> [UInt16] {
      var parts = [UInt16](repeating: 0, count: range.count)
      try parts.withUnsafeMutableBufferPointer { parts throws(PieceError) in
        try file.read(parts, at: range.lowerBound)
        groups.replace(parts)
      }
      return parts
    }
  }

  /// The positions of all points, tree by tree, and the extent of each tree: the moments and the bounding box of its
  /// points. When a tree is planned, the first question (see `PlanQuestion`) asks for this extent.
  private struct DividedPositions {
    private let file: ScratchFile
    private let header: TreeGroups
    let extents: [PlanAnswer]

    init(of build: IndexBuild, _ groups: ScratchGroups, _ counts: [Int]) throws(PieceError) {
      let file = try build.folder.file(.dividedPositions)
      try file.setLength(0)
      var extents = [PlanAnswer](repeating: .extent(Moments(), nil), count: counts.count)
      var pending = BufferedParts(partCount: counts.count, recordLength: 8, memory: build.options.memory / 8)
      let buffer = UnsafeMutablePointer<PlanePoint>.allocate(capacity: pending.slotCount)
      defer { buffer.deallocate() }
      var ends = groups.header.parts.map { Int($0.lowerBound) }
      func flush(_ part: Int) throws(PieceError) {
        let points = UnsafeBufferPointer(buffer, pending.removeAll(from: part))
        if points.isEmpty { return }
        extents[part].add(points, to: .extent)
        // A tree that fits into one piece is planned from its extent alone, so its positions are not needed.
        if counts[part] > build.pieceSize { try file.write(points, at: ends[part]) }
        ends[part] += points.count
      }
      let parts = try TreeNumbers(of: build, groups)
      let positions = try Positions(of: build)
      try positions.forEachBlock(of: 0..<positions.count) { range, points throws(PieceError) in
        try build.checkCancelled()
        for (point, part) in zip(points, try parts.read(range)) {
          let part = Int(part)
          buffer[pending.add(to: part)] = point
          if pending.isFull(part) { try flush(part) }
        }
      }
      for part in counts.indices { try flush(part) }
      (self.file, header, self.extents) = (file, groups.header, extents)
    }

    func positions(of part: Int) -> Positions { Positions(in: file, header.parts[part]) }
  }
#endif
