import Synchronization
import Treeline

/// Reports the progress of a build, and whether the build is cancelled.
///
/// Threads check `isCancelled` every few milliseconds and return at once if the build is cancelled. The incomplete
/// results of the threads are then discarded.
final class BuildMonitor: Sendable {
  private let cancellation = Atomic<Bool>(false)
  private let state: Mutex<State>
  let pointCount: Int
  private let report: (@Sendable (BuildProgress) -> Void)?

  private struct State {
    var stage = BuildProgress.Stage.projecting
    var done = 0
    var reportedPercent = -1
  }

  /// Number of points that a thread may work on between two checks of `isCancelled`. This work takes about 5 ms.
  static let blockSize = 1 << 20

  /// The monitor of the whole build, if this monitor is for a part of a build. Cancelling the whole build also cancels
  /// the part. Nil in the monitor of a whole build.
  private let whole: BuildMonitor?
  private let followsTask: Bool
  /// Memory for the large arrays of the build; nil if these arrays are in main memory.
  let mapped: MappedMemory?

  /// - Parameters:
  ///   - whole: The monitor of the whole build, if this monitor is for a part of a build. Cancelling the whole build
  ///     also cancels the part.
  ///   - followsTask: Whether the build is cancelled together with the task that runs the build. In this case the build
  ///     must do all its work on the thread of the task, because other threads do not notice that the task is
  ///     cancelled.
  init(
    partOf whole: BuildMonitor? = nil, pointCount: Int, followsTask: Bool = false, mapped: MappedMemory? = nil,
    report: (@Sendable (BuildProgress) -> Void)? = nil
  ) {
    self.pointCount = max(pointCount, 1)
    state = Mutex(State())
    (self.whole, self.followsTask, self.mapped, self.report) = (whole, followsTask, mapped, report)
  }

  /// Makes the monitor of work that `cancellation` can cancel. If `cancellation` is nil, the work is cancelled together
  /// with the task that does the work.
  convenience init(
    pointCount: Int, stoppingWith cancellation: BuildCancellation?, report: (@Sendable (BuildProgress) -> Void)?
  ) {
    self.init(
      partOf: cancellation?.monitor, pointCount: pointCount, followsTask: cancellation == nil, report: report)
  }

  var isCancelled: Bool {
    cancellation.load(ordering: .relaxed) || whole?.isCancelled ?? false || followsTask && Task.isCancelled
  }

  func cancel() { cancellation.store(true, ordering: .relaxed) }

  /// Does a pass over many points, one block at a time, and stops early if the build is cancelled.
  @inline(__always) func pass(over range: Range<Int>, _ work: (Range<Int>) -> Void) {
    for block in range.blocks(of: passBlockSize) where !isCancelled {
      work(block)
      noteWork(onPoints: block.count)
    }
  }

  /// Does a pass over many points, one block at a time. Works on the first block even if the build is cancelled, so
  /// that the result describes at least one point.
  @inline(__always) func passOverSome(_ range: Range<Int>, _ work: (Range<Int>) -> Void) {
    for block in range.blocks(of: Self.blockSize) where block.lowerBound == range.lowerBound || !isCancelled {
      work(block)
    }
  }

  /// Number of values of a column that a thread may work on between two checks of `isCancelled`.
  static let valueBlockSize = 1 << 14

  /// Does a pass over many values, one block at a time, and stops early if the build is cancelled.
  @inline(__always) func valuePass(over range: Range<Int>, _ work: (Range<Int>) -> Void) {
    for block in range.blocks(of: Self.valueBlockSize) where !isCancelled { work(block) }
  }

  /// Returns the checksum of some bytes. If the build is cancelled, the result may be any number.
  func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = XXHash64()
    pass(over: bytes.indices) { hasher.update(UnsafeRawBufferPointer(rebasing: bytes[$0])) }
    return hasher.finalize()
  }

  /// Reports that `count` more points are done in a stage. Calls of `report` never overlap.
  func advance(_ stage: BuildProgress.Stage, by count: Int) {
    guard let report, !isCancelled else { return }
    state.withLock { state in
      if state.stage != stage { state = State(stage: stage) }
      state.done += count
      let percent = state.done * 100 / pointCount
      guard percent > state.reportedPercent else { return }
      state.reportedPercent = percent
      report(BuildProgress(stage: stage, fraction: min(Double(state.done) / Double(pointCount), 1)))
    }
  }
}

/// Reason why a build returned no tree.
enum BuildFailure: Error {
  case invalid(BuildError)
  case cancelled
}

extension Array {
  /// Sorts the elements. If the build is cancelled meanwhile, their order is arbitrary.
  mutating func sort(_ monitor: BuildMonitor, by areInOrder: (Element, Element) -> Bool) {
    var comparisonCount = 0
    try? sort { a, b in
      comparisonCount &+= 1
      if comparisonCount & 0xFFFF == 0, monitor.isCancelled { throw CancellationError() }
      return areInOrder(a, b)
    }
  }
}

extension Range<Int> {
  /// Returns the range divided into blocks of a given size. The last block may be shorter.
  func blocks(of size: Int) -> some Sequence<Range<Int>> {
    stride(from: lowerBound, to: upperBound, by: size).lazy.map { $0..<Swift.min($0 + size, self.upperBound) }
  }
}
