import Foundation

func seconds(_ work: () throws -> Void) rethrows -> Double {
  try ContinuousClock().measure(work) / .seconds(1)
}

func median(_ numbers: [Double]) -> Double { numbers.sorted()[numbers.count / 2] }

func printJSON(_ value: some Encodable) throws {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys]
  print(String(decoding: try encoder.encode(value), as: UTF8.self))
}

/// A result that contradicts the points makes its timing worthless.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  precondition(condition, "A timed answer is wrong: \(message())")
}
