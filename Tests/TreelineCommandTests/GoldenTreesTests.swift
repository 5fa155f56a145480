import Foundation
import TestSupport
import Testing
import Treeline
import TreelineBuilder
import TreelineFormats

/// Checks the content hashes of the fixtures' trees against Fixtures/golden/trees.txt. The hashes are equal on every
/// machine, for any number of threads, and with any LAPACK or none. `scripts/bless` rewrites the file.
@Suite struct GoldenTreesTests {
  static let file = Repository.root.appendingPathComponent("Fixtures/golden/trees.txt")

  static let fixtures =
    ["airports.csv.gz", "cities.csv.gz", "iceland_addresses.csv.gz", "formats/planar.csv"]
    + (try! FileManager.default.contentsOfDirectory(
      atPath: Repository.root.appendingPathComponent("Fixtures/nasty").path
    ).sorted().map { "nasty/" + $0 })

  @Test func hashesAreThoseOfOld() throws {
    let lines = try [SplitRule.mean, .leastScatter].flatMap { rule in
      try Self.fixtures.map { fixture in
        let path = Repository.root.appendingPathComponent("Fixtures").appendingPathComponent(fixture).path
        let table = try PointReader.read(path: path)
        let hashes = try PrincipalAxis.Solver.allCases.flatMap { solver in
          try [1, 2, 5].map { threads in
            var options = BuildOptions(splitRule: rule, threads: threads)
            options.solver = solver
            return try ClusterTree(
              table.coordinates, as: table.isPlanar ? .planar : .webMercator, options: options
            ).contentHash
          }
        }
        #expect(Set(hashes).count == 1, "\(fixture) depends on the number of threads or the solver")
        return "\(String(hashes[0], radix: 16)) \(rule) \(fixture)"
      }
    }
    let found = lines.joined(separator: "\n") + "\n"
    if GoldenTests.isBlessing {
      try found.write(to: Self.file, atomically: true, encoding: .utf8)
    } else {
      #expect(try found == String(contentsOf: Self.file, encoding: .utf8))
    }
  }
}
