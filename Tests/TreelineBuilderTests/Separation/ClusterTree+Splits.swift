import Treeline

@testable import TreelineBuilder

extension ClusterTree {
  /// Returns all splits, in the order in which the builder finds them, and the resulting codes.
  ///
  /// - Parameters:
  ///   - turn: Angle by which the world is rotated first, in units of the plane.
  ///   - projection: The projection; by default the tree's own projection.
  func splits(turnedBy turn: UInt32 = 0, as projection: Plane.Projection? = nil) -> (
    splits: [SeparationByDefinition.Split], codes: ContiguousArray<UInt16>
  ) { withStorage { splits(of: $0, turnedBy: turn, as: projection ?? plane.projection) } }

  private func splits(of storage: TreeStorage, turnedBy turn: UInt32, as projection: Plane.Projection) -> (
    splits: [SeparationByDefinition.Split], codes: ContiguousArray<UInt16>
  ) {
    var codes = ContiguousArray<UInt16>(repeating: 0, count: pointCount)
    var splits: [SeparationByDefinition.Split] = []
    let monitor = BuildMonitor(pointCount: pointCount)
    let table = InternalNodeTable(of: storage, projection, threads: 1, monitor)
    defer { table.deallocate() }
    table.turn(by: turn)
    codes.withUnsafeMutableBufferPointer { codes in
      guard let start = codes.baseAddress else { return }
      var sequence = SplitSequence(table, pointCount: codes.count, projection, start, monitor) {
        splits.append(SeparationByDefinition.Split(node: Int($0), squaredDistance: $1))
      }
      sequence.run()
    }
    return (splits, codes)
  }
}

extension InternalNodeTable {
  fileprivate func turn(by turn: UInt32) {
    var stack = root == InternalNode.none ? [] : [root]
    while let number = stack.popLast() {
      nodes[Int(number)].position.x &+= turn
      nodes[Int(number)].left.x &+= turn
      nodes[Int(number)].right.x &+= turn
      stack += [nodes[Int(number)].leftNode, nodes[Int(number)].rightNode].filter { $0 != InternalNode.none }
    }
  }
}
