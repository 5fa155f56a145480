import Foundation
import TestSupport
import Treeline

@testable import Benchmarks

/// Counts the work of the tool `Benchmarks` from outside, with valgrind. The counts depend on the code and the C
/// libraries, but not on the machine or its load.
enum Valgrind {
  struct Failure: Error { var output: String }

  static let executable = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map {
    URL(fileURLWithPath: String($0)).appendingPathComponent("valgrind")
  }.first { FileManager.default.isExecutableFile(atPath: $0.path) }

  static let benchmarks = built("Benchmarks")

  /// Returns the path of a program of the package. It is built next to the test bundle.
  static func built(_ program: String) -> URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent(program)
  }

  /// Runs `Benchmarks` under a tool of valgrind, and returns the output of both programs.
  ///
  /// Usually the C library chooses functions for memory and strings by the type of the processor. Here it uses only
  /// functions that all processors support.
  static func run(_ tool: String, _ options: [String], benchmarks arguments: [String]) throws
    -> (output: String, messages: String)
  {
    let process = Process()
    process.executableURL = executable!
    process.arguments = ["--tool=\(tool)"] + options + [benchmarks.path] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging([
      // Otherwise the load of hash tables would vary at random.
      "SWIFT_DETERMINISTIC_HASHING": "1",
      "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX_Fast_Unaligned_Load,-AVX512VL,-ERMS,-FSRM,-FMA,-BMI2",
    ]) { $1 }
    // The program prints so little that its output fits in the pipe until it is read.
    let (printed, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (printed, errors)
    try process.run()
    let messages = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    let output = String(decoding: try printed.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(output: output + messages) }
    return (output, messages)
  }

  /// Returns the number of allocations of a run of `Benchmarks`.
  static func allocations(
    split: SplitRule = .standard, builds: Int = 1, asks: Int = 1, limit: Int = 100
  ) throws -> Int {
    let messages = try run(
      "memcheck", ["--leak-check=no", "--undef-value-errors=no"],
      benchmarks: ["work", Work.points] + [
        "--split", "\(split)", "--builds", "\(builds)", "--asks", "\(asks)", "--limit", "\(limit)",
      ]
    ).messages
    guard let label = messages.range(of: "total heap usage: "),
      let count = Int(messages[label.upperBound...].prefix { $0.isNumber || $0 == "," }.filter(\.isNumber))
    else { throw Failure(output: messages) }
    return count
  }

  /// Returns the number of instructions of each of some cases of `Benchmarks`.
  static func instructions(of cases: [CountedCase]) throws -> [String: Int] {
    let folder = try TemporaryFolder()
    let counts = folder.path("counts")
    // Counts only inside `countedCall`, and writes a file after each call. The full name of the function is needed,
    // because valgrind would only use the first of two patterns with wildcards.
    let function = "$s10Benchmarks11countedCallyS2iyKXEKF"
    let (output, messages) = try run(
      "callgrind",
      ["--callgrind-out-file=\(counts)", "--toggle-collect=\(function)", "--dump-after=\(function)"],
      benchmarks: ["cases", "clustered:100000"] + cases.map(\.rawValue))
    guard output.split(separator: "\n").map(String.init) == cases.map(\.rawValue) else {
      throw Failure(output: output + messages)
    }
    var found: [String: Int] = [:]
    for (number, name) in cases.enumerated() {
      let lines = try String(contentsOfFile: "\(counts).\(number + 1)", encoding: .utf8).split(separator: "\n")
      let total = lines.last { $0.hasPrefix("totals: ") }.flatMap { Int($0.dropFirst("totals: ".count)) }
      guard let total, total > 0 else { throw Failure(output: messages) }
      found[name.rawValue] = total - layoutDependentInstructions(lines)
    }
    return found
  }

  /// Returns the instructions that Swift's runtime spends on the search of its cache of generic types. The cache hashes
  /// addresses, so the number depends on the layout of the whole program: other code made it vary by a
  /// twenty-fifth of a case.
  ///
  /// - Parameter lines: A file of callgrind. `fn=` begins the costs of a function and `cfn=` announces a function that
  ///   it calls; the name stands beside the number only the first time. The line after `calls=` has the cost of the
  ///   call.
  private static func layoutDependentInstructions(_ lines: [Substring]) -> Int {
    var (numbers, isCounted, isOfCallee, sum): (Set<Substring>, Bool, Bool, Int) = ([], false, false, 0)
    for line in lines {
      if line.hasPrefix("fn=") || line.hasPrefix("cfn=") {
        let number = line.drop { $0 != "(" }.prefix { $0 != " " }
        if line.contains("GenericCacheEntry") || line.contains("MetadataCacheKey") { numbers.insert(number) }
        if line.hasPrefix("fn=") { isCounted = numbers.contains(number) }
      } else if line.hasPrefix("calls=") {
        isOfCallee = true
      } else if let first = line.first, first.isNumber || first == "+" || first == "-" || first == "*" {
        if isCounted, !isOfCallee { sum += line.split(separator: " ").last.flatMap { Int($0) } ?? 0 }
        isOfCallee = false
      }
    }
    return sum
  }
}

/// The work whose allocations are counted. It is small, because a program runs about fifty times slower under
/// valgrind.
enum Work {
  static let points = "clustered:20000"
  /// Number of views that `Benchmarks` queries in each ask.
  static let viewCount = 13

  /// Returns the number of allocations that one more build adds.
  static func allocationsOfBuild(_ split: SplitRule) throws -> Int {
    try Valgrind.allocations(split: split, builds: 2) - Valgrind.allocations(split: split)
  }

  /// Returns the number of allocations that one more query adds, on average over the views.
  static func allocationsOfQuery(limit: Int) throws -> Double {
    let asks = 100
    let difference = try Valgrind.allocations(asks: 1 + asks, limit: limit) - Valgrind.allocations(limit: limit)
    return Double(difference) / Double(asks * viewCount)
  }
}
