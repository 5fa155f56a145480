import Dispatch
import PointSets
import Synchronization
import Testing
import Treeline

@testable import TreelineBuilder

@Suite struct SeparationProgressTests {
  static let set = PointSet.cities(60_000, seed: 101)

  @Test(arguments: [1, 3]) func progressGrowsToTheEnd(threads: Int) throws {
    let told = Mutex<[BuildProgress]>([])
    _ = try Self.set.tree().separations(threads: threads) { progress in told.withLock { $0.append(progress) } }
    let fractions = told.withLock { $0.map(\.fraction) }
    #expect(fractions == fractions.sorted() && fractions.last == 1)
    #expect(fractions.count > 50 && fractions.count <= 101)
    #expect(told.withLock { $0.allSatisfy { $0.stage == .separating } })
  }

  /// Points at the same position are never split. Checks that the progress reaches its end nevertheless.
  @Test func progressOfStacksEndsAtOne() throws {
    let told = Mutex<[Double]>([])
    let set = PointSet.coarse(5000, side: 3, seed: 102)
    _ = try set.tree().separations(threads: 1) { progress in told.withLock { $0.append(progress.fraction) } }
    #expect(told.withLock { $0.last } == 1)
  }

  @Test(arguments: [0, 1, 7, 20, 35, 50, 68, 81, 99]) func canBeCancelledAtAnyPoint(percent: Int) throws {
    let tree = try Self.set.tree()
    let cancel = Mutex<(@Sendable () -> Void)?>(nil)
    let monitor = BuildMonitor(pointCount: tree.pointCount) { progress in
      if progress.fraction * 100 >= Double(percent) { cancel.withLock { $0?() } }
    }
    cancel.withLock { $0 = { monitor.cancel() } }
    #expect(throws: BuildFailure.self) { try tree.separations(threads: 1, monitor) }
    cancel.withLock { $0 = nil }
  }

  /// Cancels from another thread, so that the work may be building a grid or sorting a queue at that moment.
  @Test(arguments: 0..<40) func canBeCancelledAtAnyTime(step: Int) throws {
    let sets = [Self.set, .lattice(columns: 250, rows: 250), .uniformWorld(60_000, seed: 103)]
    let tree = try sets[step % sets.count].tree(threads: 2)
    let monitor = BuildMonitor(pointCount: tree.pointCount)
    DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(1500 * step)) { monitor.cancel() }
    do throws(BuildFailure) {
      let codes = try tree.separations(threads: 2, monitor).codes
      // The work ended before the cancellation.
      #expect(codes == tree.separations(threads: 1).codes)
    } catch { #expect(monitor.isCancelled) }
  }
}
