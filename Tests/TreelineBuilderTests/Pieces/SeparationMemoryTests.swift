import PointSets
import Synchronization
import TestSupport
import Testing
import Treeline
@testable import TreelineBuilder

/// Memory of separations in parts, as far as it is counted.
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
      capacity * (used * SeparationPieces.bytesPerNode + SeparationPieces.bytesPerShownNode) + options.reserve
      + options.separationPages
    // The minimum number of nodes takes 3.5 MB.
    #expect(bytes <= memory || capacity == options.leastSeparatedNodes && used == 1, "seed \(seed)")
  }

  /// Threads that take room at random never exceed the limit, except for a part that is alone, and none waits forever.
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

  /// The nodes with the greatest distances are selected, and nodes with equal distances together.
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
        let found = separated.select(wanted, of: ShownFront(root, of: storage))
        let place = "\(set), seed \(seed), \(wanted) wanted"
        #expect(limits.filter { $0 >= found.floor }.count == found.count, "\(place)")
        // The next lesser distance would select more nodes than wanted, or there is none.
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
