import Treeline

/// The line on which each record begins, in the order of the records.
///
/// Successive records with the same number of lines form a run. The memory of a run does not depend on its length.
package struct RecordLines: Sendable {
  private struct Run {
    let first: Int
    let line: Int
    var step: Int
  }

  private var runs: [Run] = []
  private var count = 0
  /// Line on which the next record begins if the last run continues with the same number of lines per record.
  private var next = 0

  mutating func append(_ line: Int) {
    if line != next || runs.isEmpty { turn(to: line) }
    next = line + runs[runs.count - 1].step
    count += 1
  }

  /// Adds a record that begins on a line other than `next`. If the last run has only one record so far, the new record
  /// joins this run. The step of the run is then the distance between the lines of its two records. Otherwise the new
  /// record starts a new run.
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
  package func line(ofRecord index: Int) -> Int {
    precondition((0..<count).contains(index), "no record \(index) of \(count)")
    let run = runs[firstIndex(in: 0..<runs.count) { runs[$0].first > index } - 1]
    return run.line + (index - run.first) * run.step
  }
}
