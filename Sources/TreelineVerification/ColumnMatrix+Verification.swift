import Treeline

extension Column {
  /// Checks ranks and links, if it has them, against its values.
  ///
  /// - Complexity: O(pointCount log pointCount)
  func checkMatrices(_ label: String, _ problems: ProblemList) {
    if ranks == nil && links == nil { return }
    let keys = OrderedKeys(of: self)
    let values = (0..<pointCount).map { keys[$0] }
    var order = (0..<UInt32(pointCount)).filter { values[Int($0)] != OrderedKeys.missing }
    order.sort { (values[Int($0)], $0) < (values[Int($1)], $1) }
    if let ranks { ranks.check(ranksOf: values, order, "\(label), ranks", problems) }
    if let links { links.check(linksOf: values, order, "\(label), links", problems) }
  }
}

extension ColumnMatrix {
  /// - Parameter order: The points that have a value, in its order.
  fileprivate func check(
    ranksOf values: [UInt64], _ order: [UInt32], _ label: String, _ problems: ProblemList
  ) {
    var (ranks, firstIndices) = ([UInt32](repeating: 0, count: values.count), [UInt32]())
    for (place, index) in order.enumerated() {
      let isNew = place == 0 || values[Int(order[place - 1])] != values[Int(index)]
      if isNew { firstIndices.append(index) }
      ranks[Int(index)] = UInt32(firstIndices.count - 1)
    }
    for index in values.indices where values[index] == OrderedKeys.missing { ranks[index] = UInt32(firstIndices.count) }
    problems.check(
      valueCount == firstIndices.count, label, expected: "\(firstIndices.count) different values",
      found: "\(valueCount)")
    problems.check(
      missingCount == values.count - order.count, label, expected: "\(values.count - order.count) missing values",
      found: "\(missingCount)")
    for rank in 0..<min(valueCount, firstIndices.count) where firstIndex(ofRank: rank) != Int(firstIndices[rank]) {
      problems.add(
        "\(label), value \(rank)", expected: "point \(firstIndices[rank]) as the first that has it",
        found: firstIndex(ofRank: rank).map { "\($0)" } ?? "none")
      break
    }
    check(ranks, label, problems)
  }

  fileprivate func check(linksOf values: [UInt64], _ order: [UInt32], _ label: String, _ problems: ProblemList) {
    var links = (0..<UInt32(values.count)).map { $0 + 1 }
    for (place, index) in order.enumerated() {
      let isSame = place > 0 && values[Int(order[place - 1])] == values[Int(index)]
      links[Int(index)] = isSame ? order[place - 1] + 1 : 0
    }
    problems.check(missingCount == 0, label, expected: "0 in the reserved bytes", found: "\(missingCount)")
    check(links, label, problems)
  }

  /// Checks the matrix against the integers that it is to be of. Of each level the first problem is told.
  private func check(_ integers: [UInt32], _ label: String, _ problems: ProblemList) {
    let levelCount = WaveletMatrix.levelCount(for: integers.max() ?? 0)
    guard matrix.levelCount == levelCount else {
      return problems.add(label, expected: "\(levelCount) levels", found: "\(matrix.levelCount)")
    }
    let zeros = Offset.zeroCounts + 4 * levelCount..<Self.blocksOffset(levelCount: levelCount)
    problems.check(
      section[zeros].allSatisfy { $0 == 0 }, label, expected: "zeros before the blocks", found: "other bytes")
    var integers = integers
    for level in 0..<levelCount where !problems.isFull {
      let bit = UInt32(levelCount - 1 - level)
      check(integers, bit, ofLevel: level, "\(label), level \(level)", problems)
      integers = integers.filter { $0 >> bit & 1 == 0 } + integers.filter { $0 >> bit & 1 == 1 }
    }
  }

  private func check(_ integers: [UInt32], _ bit: UInt32, ofLevel level: Int, _ label: String, _ problems: ProblemList)
  {
    var oneCount = 0
    for block in 0..<WaveletMatrix.blockCount(of: integers.count) {
      let found = matrix.count(beforeBlock: block, level: level)
      guard found == oneCount else {
        return problems.add("\(label), block \(block)", expected: "\(oneCount) ones before it", found: "\(found)")
      }
      let start = block * WaveletMatrix.bitsPerBlock
      for index in start..<start + WaveletMatrix.bitsPerBlock {
        let isOne = index < integers.count && integers[index] >> bit & 1 == 1
        guard matrix.isOne(index, level: level) == isOne else {
          return problems.add("\(label), bit \(index)", expected: isOne ? "1" : "0", found: isOne ? "0" : "1")
        }
        if isOne { oneCount += 1 }
      }
    }
    let zeroCount = matrix.zeroCount(ofLevel: level)
    problems.check(
      zeroCount == integers.count - oneCount, label, expected: "\(integers.count - oneCount) zeros",
      found: "\(zeroCount)")
  }
}
