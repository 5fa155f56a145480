import PointSets
import Synchronization
import TestSupport
import Testing
import Treeline
@testable import TreelineBuilder

/// Checks the memory for separations that are computed in parts, as far as the build counts it.
@Suite struct SeparationMemoryTests {
  @Test(arguments: Trials.seeds(200)) func nodesAndPagesFitWhatIsAllowed(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let memory = 10_000_000 << random.index(below: 12) + random.index(below: 10_000_000)
    let threads = 1 + random.index(below: 16)
    var options = ScratchBuild.Options(rule: .mean, threads: threads, memory: memory, projection: .webMercator)
    options.computesSeparations = true
    let (capacity, used) = options.separatedNodes(of: 1 << random.index(below: 32))
    #expect((1...threads).contains(used))
    let bytes =
      capacity * (used * SeparationParts.bytesPerNode + SeparationParts.bytesPerShownNode) + options.reserve
      + options.separationPages
    // Only the minimum number of nodes, which takes 3.5 MB, may need more memory than is allowed.
    #expect(bytes <= memory || capacity == options.leastSeparatedNodes && used == 1, "seed \(seed)")
  }

  /// Threads take random amounts of room. Together they never exceed the limit, unless one part alone exceeds it. No
  /// thread waits forever.
  @Test(arguments: Trials.seeds(20)) func partsWaitForRoom(seed: UInt64) {
    let room = NodeRoom(1000)
    let held = Mutex((nodes: 0, parts: 0, isFull: false))
    concurrently(4) { thread in
      var random = SplitMix64(seed: 4 * seed + UInt64(thread))
      for _ in 0..<500 {
        let count = random.index(below: random.index(below: 10) == 0 ? 2500 : 600)
        room.take(count)
        held.withLock { held in
          held.nodes += count
          held.parts += 1
          if held.nodes > 1000 && held.parts > 1 { held.isFull = true }
        }
        held.withLock { held in
          held.nodes -= count
          held.parts -= 1
        }
        room.giveBack(count)
      }
    }
    #expect(!held.withLock { $0.isFull }, "seed \(seed)")
    #expect(room.most.nodes <= max(1000, room.most.ofPart), "seed \(seed)")
  }

  /// Checks that the nodes with the greatest distances are selected. Nodes with equal distances are selected together.
  @Test(arguments: Trials.seeds(60)) func selectsTheGreatestDistances(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let set =
      seed % 3 == 0
      ? PointSet.lattice(columns: 1 + random.index(below: 30), rows: 1 + random.index(below: 30), step: 1 << 20)
      : PointSet.random(seed: seed, upTo: 1500)
    let tree = try set.tree(.mean)
    try tree.withStorage { storage in
      var limits: [UInt64] = []
      func collect(_ node: Node, _ limit: UInt64) {
        guard let children = InternalNodeTable.children(of: node, storage) else { return }
        let node = InternalNode(node, children, at: PlanePoint(x: 0, y: 0), storage, tree.plane.projection)
        let limit = min(limit, node.squaredOwnDistance)
        limits.append(limit)
        collect(children.left, limit)
        collect(children.right, limit)
      }
      guard let root = storage.root else { return }
      collect(root, .max)
      var separated = SeparatedTree(storage, tree.plane.projection)
      for wanted in [1, 2, 1 + random.index(below: 40), 1 + random.index(below: 2000)] {
        let found = separated.select(wanted, of: ShownNodes(root, of: storage))
        let place = "\(set), seed \(seed), \(wanted) wanted"
        #expect(limits.filter { $0 >= found.floor }.count == found.count, "\(place)")
        // If there is a lesser distance, the nodes down to that distance would be more nodes than wanted.
        let next = limits.filter { $0 < found.floor }.max()
        if let next, next > 0 {
          #expect(limits.filter { $0 >= next }.count > wanted, "\(place)")
          #expect(next + 1 == found.floor, "\(place)")
        } else {
          #expect(found.floor == 1, "\(place)")
        }
        if found.count > wanted { #expect(Set(limits.filter { $0 >= found.floor }).count == 1, "\(place)") }
      }
    }
  }
}
