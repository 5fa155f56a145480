import Foundation
import Synchronization

/// The number of cases that random and exhaustive suites try. The environment variable `TREELINE_TRIALS` chooses it.
///
/// A test gives the number of cases for a full run. It prints once the number of cases that it actually tries, and the
/// seed.
public enum Trials: String, CaseIterable, Sendable {
  /// A tenth of the cases, for frequent runs while editing. This is the default.
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

  /// Returns the number of cases to try.
  ///
  /// - Parameters:
  ///   - full: The number of cases in a full run, at least 1.
  ///   - least: The number of cases that cover every kind of case.
  ///   - seed: Seed of the random cases, if it differs from run to run.
  public static func count(
    _ full: Int, atLeast least: Int = 1, seed: UInt64? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> Int {
    let count = chosen.scaled(full, atLeast: least)
    report("\(count) trials" + (seed.map { ", seed \($0)" } ?? ""), file, line)
    return count
  }

  /// Returns a seed for each case to try.
  public static func seeds(
    _ full: Int, from first: UInt64 = 0, atLeast least: Int = 1, file: StaticString = #fileID, line: UInt = #line
  ) -> Range<UInt64> {
    let seeds = first..<first + UInt64(chosen.scaled(full, atLeast: least))
    report("\(seeds.count) trials, seeds from \(first)", file, line)
    return seeds
  }

  /// Returns the cases of a list that are tried. A fast run tries a tenth of the list, evenly spread from the first
  /// case on. All other runs try all cases.
  ///
  /// - Parameter least: The number of cases that cover every kind of case.
  public static func some<Case>(
    of cases: [Case], atLeast least: Int = 1, file: StaticString = #fileID, line: UInt = #line
  ) -> [Case] {
    let count = min(chosen.scaled(cases.count, atLeast: least), cases.count)
    report("\(count) of \(cases.count) cases", file, line)
    return (0..<count).map { cases[$0 * cases.count / count] }
  }

  /// - Precondition: A full run has at least `least` cases.
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
