import Foundation

/// What several timings of one thing were, in seconds.
struct Measurement: Encodable {
  var median: Double
  var least: Double
  var greatest: Double
  var runs: Int

  init(_ seconds: [Double]) {
    let sorted = seconds.sorted()
    median = sorted[sorted.count / 2]
    least = sorted[0]
    greatest = sorted[sorted.count - 1]
    runs = sorted.count
  }
}

func seconds(_ work: () throws -> Void) rethrows -> Double {
  try ContinuousClock().measure(work) / .seconds(1)
}

/// The value below which a fraction of sorted numbers lies.
func percentile(_ fraction: Double, ofSorted numbers: [Double]) -> Double {
  numbers[min(Int(Double(numbers.count) * fraction), numbers.count - 1)]
}

func printJSON(_ value: some Encodable) throws {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys]
  print(String(decoding: try encoder.encode(value), as: UTF8.self))
}

/// A result that contradicts the points makes its timing worthless.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  precondition(condition, "A timed answer is wrong: \(message())")
}
