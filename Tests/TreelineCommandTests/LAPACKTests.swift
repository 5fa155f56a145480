import Foundation
import Testing

/// The test script runs the same tests on two builds of LAPACK, and says here which one it means to run on.
@Suite struct LAPACKTests {
  @Test(.enabled(if: ProcessInfo.processInfo.environment["TREELINE_EXPECTED_LAPACK"] != nil))
  func loadedLibraryIsTheExpectedOne() throws {
    let expected = ProcessInfo.processInfo.environment["TREELINE_EXPECTED_LAPACK"]!
    let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
    let libraries = Set(
      maps.split(separator: "\n").compactMap { $0.split(separator: " ").last }.filter {
        $0.contains("liblapack.so")
      })
    #expect(libraries.count == 1)
    #expect(libraries.allSatisfy { $0.contains(expected) }, "found \(libraries)")
  }
}
