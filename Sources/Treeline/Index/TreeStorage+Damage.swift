extension TreeStorage {
  /// Whether a left child's record lies within the node section with its right neighbour. Those that do have sums and a
  /// spread, for there is one of each for every two records behind the root's.
  @inline(__always)
  func hasSummary(at left: Int) -> Bool {
    // In one comparison: half of what is one less, which is huge if that is odd.
    let entry = UInt(bitPattern: left &- 1)
    return entry &>> 1 | entry &<< (UInt(UInt.bitWidth) - 1) < summaryCount
  }
}

/// What may be wrong with a record. Never inlined: the loops that check records stay small.
extension TreeStorage {
  @inline(never)
  func childOutside(_ record: UInt32) -> IndexError {
    damage(record, .childOutside, "child offset \(nodes[Int(record)].childOffset) among \(nodeCount) records")
  }

  @inline(never)
  func tooDeep(_ record: UInt32) -> IndexError {
    damage(record, .tooDeep, "stored children at level \(Self.maximumStoredLevel + 1)")
  }

  @inline(never)
  func countsDisagree(_ record: UInt32) -> IndexError {
    let left = Int(record) + Int(nodes[Int(record)].childOffset)
    return damage(
      record, .countsDisagree,
      "\(nodes[Int(record)].count) of \(nodes[left].count) and \(nodes[left + 1].count)")
  }

  @inline(never)
  func bucketOverfull(_ record: UInt32) -> IndexError {
    damage(record, .bucketOverfull, "\(nodes[Int(record)].count) points in \(nodes[Int(record)].box)")
  }

  private func damage(_ record: UInt32, _ expected: IndexError.NodeDamage, _ found: String) -> IndexError {
    .damagedNode(
      path: name, record: Int(record),
      offset: nodesOffset + UInt64(record) * UInt64(MemoryLayout<NodeRecord>.stride), expected: expected,
      found: found)
  }
}
