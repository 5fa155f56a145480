import Dispatch
import Foundation
import PointSets
import Synchronization
import Testing
import Treeline

/// Queries one open index from several threads at once, without a lock. `scripts/check/threads` does so under the
/// thread sanitizer.
@Suite struct ConcurrentQueryTests {
  @Test func threadsGiveTheSameAnswers() throws {
    let set = PointSet.cities(5_000, seed: 81)
    let tree = try IndexBytes(set.tree().indexBytes()).open()
    var boxes = BoxMaker(for: set, seed: 82)
    let questions = (0..<50).map { _ in boxes.next() }
    let expected = try questions.map { try tree.clusters(.limit(30), in: Viewport($0)) }
    let wrong = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 16) { thread in
      for turn in 0..<100 {
        let question = (turn * 7 + thread) % questions.count
        if (try? tree.clusters(.limit(30), in: Viewport(questions[question]))) != expected[question] {
          wrong.add(1, ordering: .relaxed)
        }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
  }
}
