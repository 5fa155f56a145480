import Treeline

/// The lines on which records start, in the order of the records.
///
/// A run of records at equal distances, such as one line each, takes the memory of a single record.
struct RecordLines: Sendable {
  private struct Run {
    let first: Int
    let line: Int
    var step: Int
  }

  private var runs: [Run] = []
  private var count = 0
  /// The line of the next record if it continues the last run.
  private var next = 0

  mutating func append(_ line: Int) {
    if line != next || runs.isEmpty { turn(to: line) }
    next = line + runs[runs.count - 1].step
    count += 1
  }

  /// Starts another run. If the last run has a single record, continues that run and sets its step instead.
  private mutating func turn(to line: Int) {
    if let last = runs.last, count - last.first == 1 {
      runs[runs.count - 1].step = line - last.line
    } else {
      runs.append(Run(first: count, line: line, step: 1))
    }
  }

  /// Returns the line of a record, counted from 1.
  ///
  /// - Complexity: O(log of the number of runs)
  func line(ofRecord index: Int) -> Int {
    precondition((0..<count).contains(index), "no record \(index) of \(count)")
    let run = runs[firstIndex(in: 0..<runs.count) { runs[$0].first > index } - 1]
    return run.line + (index - run.first) * run.step
  }
}
