import ArgumentParser
import Foundation

func seconds(_ work: () throws -> Void) rethrows -> Double { try ContinuousClock().measure(work) / .seconds(1) }

func median(_ numbers: [Double]) -> Double { numbers.sorted()[numbers.count / 2] }

func fileSize(_ path: String) throws -> Int {
  try FileManager.default.attributesOfItem(atPath: path)[.size] as! Int
}

/// Prints a result as one JSON object.
func printJSON(_ fields: [String: any Encodable]) throws {
  struct Field: Encodable {
    let value: any Encodable

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
  }
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys]
  print(String(decoding: try encoder.encode(fields.mapValues(Field.init)), as: UTF8.self))
}

/// Ends the process if a result contradicts the points, because the timing of a wrong result is worthless.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  precondition(condition, "A timed answer is wrong: \(message())")
}

/// Keeps the optimizer from removing the computation of a value.
@inline(never) func blackHole<Value>(_ value: Value) { withExtendedLifetime(value) {} }

/// Options for the number of runs before the timed runs, and for the number of timed runs.
struct TimedRuns: ParsableArguments {
  @Option(help: "Number of untimed runs before the timed runs.") var warmups = 1

  @Option(help: "Number of timed runs.") var runs = 3

  /// Returns the seconds of each timed run, and the result of the last run. The result of every other run is
  /// deallocated before the next run.
  func measure<Value>(_ work: () throws -> Value) rethrows -> (seconds: [Double], last: Value) {
    var times: [Double] = []
    var last: Value?
    for _ in 0..<warmups + runs {
      last = nil
      times.append(try Benchmarks.seconds { last = try work() })
    }
    return (Array(times.dropFirst(warmups)), last!)
  }
}

/// Memory of this process in bytes, without the memory that is swapped out.
enum ResidentMemory {
  #if os(Linux)
    // Both numbers come from `/proc/self/status`. `getrusage` would report a peak that includes the peak of the
    // process that started this process.
    static var now: Int { kilobytes("VmRSS:") << 10 }
    static var peak: Int { kilobytes("VmHWM:") << 10 }

    /// Returns free memory to the system. When a thread deallocates memory, glibc keeps this memory for the thread.
    /// Without this call, the resident memory would depend on which threads have done the work.
    static func returnFreeMemory() {
      guard let trim = dlsym(nil, "malloc_trim") else { return }
      _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0)
    }

    private static func kilobytes(_ name: String) -> Int {
      let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
      return Int(line.filter(\.isNumber)) ?? 0
    }
  #else
    static var now: Int { peak }
    static var peak: Int {
      var usage = rusage()
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    }
    static func returnFreeMemory() {}
  #endif
}
