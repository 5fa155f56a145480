import Foundation
import Synchronization

/// The number of cases that random and exhaustive suites try, from the environment variable `TREELINE_TRIALS`.
///
/// Tests give the number for a full run. Each prints the number and the seed that it then uses, once.
public enum Trials: String, CaseIterable, Sendable {
  /// A tenth of the cases, for the loop of edit and test. The default.
  case fast
  case full
  /// Ten times as many cases, before a release.
  case thorough

  public static let chosen: Trials = {
    let name = ProcessInfo.processInfo.environment["TREELINE_TRIALS"] ?? "fast"
    guard let trials = Trials(rawValue: name) else {
      let names = allCases.map(\.rawValue).joined(separator: ", ")
      fatalError("TREELINE_TRIALS: expected one of \(names), found '\(name)'")
    }
    return trials
  }()

  /// Returns how many cases to try.
  ///
  /// - Parameters:
  ///   - full: The number in a full run, 1 or more.
  ///   - least: The number that covers every kind of case.
  ///   - seed: Seed of the random cases, if it differs from run to run.
  public static func count(
    _ full: Int, atLeast least: Int = 1, seed: UInt64? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> Int {
    let count = chosen.scaled(full, atLeast: least)
    report("\(count) trials" + (seed.map { ", seed \($0)" } ?? ""), file, line)
    return count
  }

  /// Returns a seed for each of the cases to try.
  public static func seeds(
    _ full: Int, from first: UInt64 = 0, atLeast least: Int = 1, file: StaticString = #fileID, line: UInt = #line
  ) -> Range<UInt64> {
    let seeds = first..<first + UInt64(chosen.scaled(full, atLeast: least))
    report("\(seeds.count) trials, seeds from \(first)", file, line)
    return seeds
  }

  /// Returns the cases of a list to try: in a fast run a tenth of them, evenly spread from the first on, otherwise all.
  ///
  /// - Parameter least: The number that covers every kind of case.
  public static func some<Case>(
    of cases: [Case], atLeast least: Int = 1, file: StaticString = #fileID, line: UInt = #line
  ) -> [Case] {
    let count = min(chosen.scaled(cases.count, atLeast: least), cases.count)
    report("\(count) of \(cases.count) cases", file, line)
    return (0..<count).map { cases[$0 * cases.count / count] }
  }

  /// - Precondition: A full run has `least` cases or more.
  func scaled(_ full: Int, atLeast least: Int) -> Int {
    precondition(1...full ~= least, "Expected 1 to \(full) cases at least, found \(least)")
    return switch self {
    case .fast: max(least, full / 10)
    case .full: full
    case .thorough: full * 10
    }
  }

  private static let reported = Mutex<Set<String>>([])

  private static func report(_ text: String, _ file: StaticString, _ line: UInt) {
    let text = "\(file):\(line): \(text)"
    if reported.withLock({ $0.insert(text).inserted }) { print(text) }
  }
}
