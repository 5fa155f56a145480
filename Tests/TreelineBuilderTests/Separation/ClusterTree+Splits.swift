import Treeline

@testable import TreelineBuilder

extension ClusterTree {
  /// All splits in the order in which the builder finds them, and what comes of them.
  ///
  /// - Parameters:
  ///   - turn: by how much the world is turned before, in plane units.
  ///   - projection: the tree's own, unless it is told otherwise.
  func splits(
    turnedBy turn: UInt32 = 0, as projection: Plane.Projection? = nil
  ) -> (splits: [SeparationByDefinition.Split], codes: ContiguousArray<UInt16>) {
    defer { withExtendedLifetime(storage) {} }
    var codes = ContiguousArray<UInt16>(repeating: 0, count: pointCount)
    var splits: [SeparationByDefinition.Split] = []
    let monitor = BuildMonitor(pointCount: pointCount)
    let metric = PlaneMetric(projection ?? plane.projection)
    let table = ForkTable(of: storage, metric, threads: 1, monitor)
    defer { table.deallocate() }
    table.turn(by: turn)
    codes.withUnsafeMutableBufferPointer { codes in
      guard let start = codes.baseAddress else { return }
      var sequence = SplitSequence(table, pointCount: codes.count, metric, start, monitor) {
        splits.append(SeparationByDefinition.Split(fork: Int($0), squaredDistance: $1))
      }
      sequence.run()
    }
    return (splits, codes)
  }
}

extension ForkTable {
  fileprivate func turn(by turn: UInt32) {
    var stack = root == Fork.none ? [] : [root]
    while let number = stack.popLast() {
      forks[Int(number)].position.x &+= turn
      forks[Int(number)].left.x &+= turn
      forks[Int(number)].right.x &+= turn
      stack += [forks[Int(number)].leftFork, forks[Int(number)].rightFork].filter { $0 != Fork.none }
    }
  }
}
