import Foundation
import Testing

/// Checks which build of LAPACK is loaded. The test script runs the tests with two builds, and names the expected
/// build in an environment variable.
@Suite struct LAPACKTests {
  static let expected = ProcessInfo.processInfo.environment["TREELINE_EXPECTED_LAPACK"]

  @Test(.enabled(if: expected != nil)) func loadedLibraryIsTheExpectedOne() throws {
    // Files that the kernel provides have no size, so they must be read through a handle.
    let maps = try #require(try FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd())
    let paths = String(decoding: maps, as: UTF8.self).split(separator: "\n").compactMap {
      $0.split(separator: " ").last
    }
    let libraries = Set(paths.filter { $0.contains("/liblapack.so") })
    #expect(libraries.count == 1)
    #expect(libraries.allSatisfy { $0.contains(Self.expected!) }, "found \(libraries)")
  }
}
