import Treeline

extension Column {
  /// Checks three sections of a column against the column's values: the ranks, the links, and the lists for text
  /// search. Sections that the column lacks are skipped.
  ///
  /// - Complexity: O(pointCount) time for each level of the ranks and of the links, and O(bytes) for the lists. Takes
  ///   at most 3 bits of memory per point, plus some megabytes.
  func checkMatrices(_ label: String, _ problems: ProblemList, _ pages: PageUse) {
    if ranks == nil && links == nil && search == nil { return }
    let values = CheckedValues(keys: OrderedKeys(of: self), count: pointCount, width: width, pages: pages)
    if let ranks { ranks.check(ranksOf: values, "\(label), ranks", problems) }
    if let links { links.check(linksOf: values, "\(label), links", problems) }
    if let search, case .entries(let entries) = self.values {
      search.check(values.keys, pointCount: pointCount, "\(label), search", problems, pages)
      search.check(entries.dictionary, "\(label), search", problems, pages)
    }
  }

  private var width: Int {
    switch values {
    case .integers(let integers): integers.codes.width
    case .reals: 8
    case .entries(let entries): entries.codes.width
    }
  }
}

/// The values of a column, converted to numbers that sort like the values.
private struct CheckedValues {
  let keys: OrderedKeys
  let count: Int
  /// The number of bytes of each value.
  let width: Int
  let pages: PageUse

  func forEachBlock(_ body: (Range<Int>) -> Void) {
    (0..<count).forEachBlock(noting: pages, bytesPerElement: width, body)
  }

  /// Notes that the value of a single point is about to be read.
  func note() { pages.note(byteCount: 1 << 7) }
}

extension ColumnMatrix {
  /// Checks ranks. Each integer must be the rank of its point's value. A greater rank must stand for a greater value.
  /// The section also stores, for each value, the first point with this value. This point must have the value, and no
  /// earlier point may have the value.
  fileprivate func check(ranksOf values: CheckedValues, _ label: String, _ problems: ProblemList) {
    guard checkBits(label, problems, values.pages) else { return }
    var (missing, previous) = (0, UInt64?.none)
    values.forEachBlock { block in
      for index in block where values.keys[index] == OrderedKeys.missing { missing += 1 }
    }
    problems.check(missingCount == missing, label, expected: "\(missing) missing values", found: "\(missingCount)")
    for rank in 0..<valueCount where !problems.isFull {
      values.note()
      let key = firstIndex(ofRank: rank).map { values.keys[$0] }
      guard let key, key != OrderedKeys.missing, previous.map({ $0 < key }) ?? true else {
        let found = firstIndex(ofRank: rank).map { "\($0)" } ?? "none"
        problems.add(
          "\(label), value \(rank)", expected: "a point with a greater value than the point of the previous rank",
          found: found)
        return
      }
      previous = key
    }
    var (isWrong, greatest) = (false, 0)
    var isFound = BitSet(count: valueCount)
    var foundCount = 0
    forEachInteger(values.pages) { index, rank in
      greatest = max(greatest, rank)
      if isWrong { return }
      let key = values.keys[index]
      values.note()
      guard let first = firstIndex(ofRank: rank) else {
        isWrong = rank != valueCount || key != OrderedKeys.missing
        if isWrong { addRank(rank, ofPoint: index, label, problems) }
        return
      }
      if first == index && isFound.insert(rank) { foundCount += 1 }
      isWrong = first > index || values.keys[first] != key
      if isWrong { addRank(rank, ofPoint: index, label, problems) }
    }
    problems.check(
      isWrong || foundCount == valueCount, label, expected: "\(foundCount) distinct values", found: "\(valueCount)")
    checkLevelCount(for: greatest, label, problems)
  }

  private func addRank(_ rank: Int, ofPoint index: Int, _ label: String, _ problems: ProblemList) {
    problems.add(
      "\(label), point \(index)",
      expected: "a rank whose first point is this point or an earlier point with the same value",
      found: "rank \(rank)")
  }

  /// Checks links. Each link must lead to an earlier point with the same value. No two links may lead to the same
  /// point. For each value, exactly one point must have no link. Together these rules mean that each link leads to the
  /// previous point with the same value.
  fileprivate func check(linksOf values: CheckedValues, _ label: String, _ problems: ProblemList) {
    problems.check(missingCount == 0, label, expected: "0 in the reserved bytes", found: "\(missingCount)")
    guard checkBits(label, problems, values.pages) else { return }
    var (isWrong, greatest, firstCount) = (false, 0, 0)
    var (isLinked, isFirst) = (BitSet(count: values.count), BitSet(count: values.count))
    forEachInteger(values.pages) { index, link in
      greatest = max(greatest, link)
      if isWrong { return }
      let key = values.keys[index]
      values.note()
      if key == OrderedKeys.missing {
        isWrong = link != index + 1
      } else if link == 0 {
        _ = isFirst.insert(index)
        firstCount += 1
      } else {
        isWrong = link > index || values.keys[link - 1] != key || !isLinked.insert(link - 1)
      }
      if isWrong {
        problems.add(
          "\(label), point \(index)", expected: "a link to the previous point with the same value", found: "\(link)")
      }
    }
    checkLevelCount(for: greatest, label, problems)
    if isWrong { return }
    let twice = Duplicates.find(count: firstCount, greatest: .max) { body in
      values.forEachBlock { block in for index in block where isFirst[index] { body(values.keys[index]) } }
    }
    problems.check(twice.isEmpty, label, expected: "for each value, only one point without a link", found: "several")
  }

  private func checkLevelCount(for greatest: Int, _ label: String, _ problems: ProblemList) {
    let levelCount = WaveletMatrix.levelCount(for: UInt32(greatest))
    problems.check(
      matrix.levelCount == levelCount, label, expected: "\(levelCount) levels", found: "\(matrix.levelCount)")
  }

  /// Checks the stored number of 1 bits before each block, the stored number of 0 bits of each level, and the unused
  /// bits after the last integer.
  private func checkBits(_ label: String, _ problems: ProblemList, _ pages: PageUse) -> Bool {
    let known = problems.count
    let zeros = Offset.zeroCounts + 4 * matrix.levelCount..<Self.blocksOffset(levelCount: matrix.levelCount)
    problems.check(
      section[zeros].allSatisfy { $0 == 0 }, label, expected: "zeros before the blocks", found: "other bytes")
    for level in 0..<matrix.levelCount where !problems.isFull {
      checkBits(ofLevel: level, "\(label), level \(level)", problems, pages)
    }
    return problems.count == known
  }

  private func checkBits(ofLevel level: Int, _ label: String, _ problems: ProblemList, _ pages: PageUse) {
    var (oneCount, isWrong) = (0, false)
    (0..<WaveletMatrix.blockCount(of: matrix.count)).forEachBlock(
      noting: pages, bytesPerElement: WaveletMatrix.bytesPerBlock
    ) { blocks in
      for block in blocks where !isWrong {
        let found = matrix.count(beforeBlock: block, level: level)
        isWrong = found != oneCount
        if isWrong {
          problems.add(
            "\(label), block \(block)", expected: "\(oneCount) ones before the block",
            found: "\(found)")
        }
        let start = block * WaveletMatrix.bitsPerBlock
        for index in start..<start + WaveletMatrix.bitsPerBlock where matrix.isOne(index, level: level) && !isWrong {
          oneCount += 1
          isWrong = index >= matrix.count
          if isWrong { problems.add("\(label), bit \(index)", expected: "0", found: "1") }
        }
      }
    }
    let zeroCount = matrix.zeroCount(ofLevel: level)
    problems.check(
      isWrong || zeroCount == matrix.count - oneCount, label, expected: "\(matrix.count - oneCount) zeros",
      found: "\(zeroCount)")
  }

  /// Calls `body` with each integer of the matrix and with the index of its point. Call this function only after
  /// `checkBits` has found no problem. Reads one block of points at a time.
  private func forEachInteger(_ pages: PageUse, _ body: (_ index: Int, _ integer: Int) -> Void) {
    (0..<matrix.count).forEachBlock(noting: pages, bytesPerElement: matrix.levelCount) { block in
      var integers = [UInt32](repeating: 0, count: block.count)
      // The points of the block, in the order of the current level.
      var order = integers.indices.map { UInt32($0) }
      var ones = order
      // Runs of points whose bits are consecutive at the current level. `start` is the index of a run's first bit, and
      // `places` is the range of `order` that contains the points of the run.
      var runs = [(start: block.lowerBound, places: order.indices)]
      for level in 0..<matrix.levelCount {
        var next: [(start: Int, places: Range<Int>)] = []
        for (start, places) in runs {
          let onesBefore = matrix.ones(before: start, level: level)
          var (zeroEnd, oneCount) = (places.lowerBound, 0)
          for place in places {
            let point = order[place]
            let isOne = matrix.isOne(start + place - places.lowerBound, level: level)
            integers[Int(point)] = integers[Int(point)] << 1 | (isOne ? 1 : 0)
            if isOne {
              ones[oneCount] = point
              oneCount += 1
            } else {
              order[zeroEnd] = point
              zeroEnd += 1
            }
          }
          for one in 0..<oneCount { order[zeroEnd + one] = ones[one] }
          if zeroEnd > places.lowerBound { next.append((start - onesBefore, places.lowerBound..<zeroEnd)) }
          if oneCount > 0 {
            next.append((matrix.zeroCount(ofLevel: level) + onesBefore, zeroEnd..<places.upperBound))
          }
        }
        runs = next
      }
      for index in block { body(index, Int(integers[index - block.lowerBound])) }
    }
  }
}
