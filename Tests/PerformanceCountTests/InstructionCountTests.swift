import Foundation
import TestSupport
import Testing

@testable import Benchmarks

/// Tests speed as far as tests can: compares numbers of instructions with the numbers in
/// `Fixtures/golden/instructions.json`. These numbers depend only on the code and the compiler. `scripts/bless`
/// rewrites the file. `scripts/bench` measures time.
@Suite(.enabled(if: Valgrind.executable != nil, "valgrind is not installed")) struct InstructionCountTests {
  /// Numbers of instructions. The outer key is the environment that they depend on, and the inner key is the name of
  /// the work.
  typealias Recorded = [String: [String: Int]]

  static let file = Repository.root.appendingPathComponent("Fixtures/golden/instructions.json")
  static let isBlessing = ProcessInfo.processInfo.environment["TREELINE_BLESS"] != nil
  /// Tolerated relative difference between two numbers of instructions.
  static let tolerance = 0.03

  /// The architecture and the compiler, such as `x86_64, optimized by Swift 6.3.1`; nil if they are unknown.
  static let environment: String? = {
    #if DEBUG
      return nil
    #else
      #if arch(x86_64)
        let architecture = "x86_64"
      #elseif arch(arm64)
        let architecture = "arm64"
      #else
        let architecture = "another"
      #endif
      guard let text = try? Tool.run(URL(fileURLWithPath: "/usr/bin/env"), ["swift", "--version"]).output,
        let version = text.firstMatch(of: /Swift version ([0-9.]+)/)
      else { return nil }
      return "\(architecture), optimized by Swift \(version.1)"
    #endif
  }()

  static let recorded = try! JSONDecoder().decode(Recorded.self, from: Data(contentsOf: file))

  static let isComparable = environment.map { isBlessing || recorded[$0] != nil } ?? false

  /// Groups of cases. Each group runs in a separate process: earlier work changes the layout of memory, and some
  /// numbers would differ by a hundredth.
  static let cases = [false, true].map { isLong in CountedCase.allCases.filter { $0.isLong == isLong } }

  @Test(
    .enabled(
      if: isComparable,
      "no counts are recorded for \(environment ?? "this build"), only for \(recorded.keys.sorted())"))
  func workTakesTheInstructionsRecorded() throws {
    var found: [String: Int] = [:]
    for cases in Self.cases { try found.merge(Valgrind.instructions(of: cases)) { $1 } }
    let environment = try #require(Self.environment)
    if Self.isBlessing {
      var recorded = Self.recorded
      recorded[environment] = found
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      try (encoder.encode(recorded) + Data("\n".utf8)).write(to: Self.file)
      return
    }
    for (name, count) in found.sorted(by: { $0.key < $1.key }) {
      let expected = Self.recorded[environment]?[name] ?? 0
      let change = Double(count) / Double(expected) - 1
      print("\(name): \(count) instructions, \((change * 10_000).rounded() / 100) % more than recorded")
      #expect(
        abs(change) <= Self.tolerance,
        """
        \(name) takes \(count) instructions, \(expected) are recorded: \((change * 1000).rounded() / 10) % more. \
        If that is meant, have scripts/bless record it
        """)
    }
  }

  @Test func everyKindOfWorkIsRecorded() {
    for (environment, counts) in Self.recorded {
      #expect(counts.keys.sorted() == CountedCase.allCases.map(\.rawValue).sorted(), "\(environment)")
    }
  }
}
