import Foundation
import TestSupport
import Testing
@_spi(Server) import Treeline
@testable import TreelineBuilder
@testable import TreelineCommand

/// Checks the forecast that a build in pieces prints before it starts.
@Suite struct BuildForecastTests {
  /// Checks the lines of the forecast. No two lines say the same thing.
  @Test func tellsWhatItTakes() throws {
    let folder = try TemporaryFolder()
    let result = try Tool.run([
      "build", Repository.path("Fixtures/cities.csv.gz"), "-o", folder.path("index"), "--columns",
      "name:text", "--memory", "100kB",
    ])
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 3, "\(result.errors)")
    #expect(lines[0].contains("need more than 100.0 kB of memory, so the index is built in pieces in "), "\(lines[0])")
    #expect(lines[1].hasPrefix("treelinemap: 69.5 k points take up to "), "\(lines[1])")
    #expect(lines[1].hasSuffix(" for the index; time left: less than a minute"), "\(lines[1])")
    #expect(lines[2].contains("columns: name text"), "\(lines[2])")
  }

  /// The input has some megabytes. Checks that its first points give an estimate of the number of all points, and so of
  /// the disk space.
  @Test(arguments: [false, true]) func firstPointsTellOfAll(_ hasColumns: Bool) throws {
    let folder = try TemporaryFolder()
    let rows = (0..<1_000_000).map {
      "\($0 % 179).\(100_000 + $0 % 7919),\($0 % 83).\(100_000 + $0 % 6007),name \($0 % 5000)"
    }
    let input = try folder.write("lon,lat,name\n" + rows.joined(separator: "\n"), to: "input")
    let columns = hasColumns ? ["--columns", "name:category"] : []
    let result = try Tool.run(
      [
        "build", input, "-o", folder.path("index"), "--x", "lon", "--y", "lat", "--memory", "60MB",
      ] + columns)
    #expect(result.code == 0, "\(result.errors)")
    let first = try #require(result.errors.split(separator: "\n").first)
    let pattern =
      /from the first .* points: about (\d+\.\d) (k|M) points, (\d+\.\d) MB of scratch space, (\d+\.\d) MB for the index and/
    let found = try #require(try pattern.firstMatch(in: String(first)), "\(result.errors)").output
    let points = try #require(Double(found.1)) * (found.2 == "k" ? 1e3 : 1e6)
    #expect((0.9e6...1.1e6).contains(points), "\(first)")
    let size = try #require(FileManager.default.attributesOfItem(atPath: folder.path("index"))[.size] as? Int)
    let (scratch, index) = (try #require(Double(found.3)) * 1e6, try #require(Double(found.4)) * 1e6)
    #expect(Double(size)...3 * Double(size) ~= index, "\(first)")
    let told = try #require(try /take up to (\d+\.\d) MB in/.firstMatch(in: result.errors)).output.1
    #expect(scratch >= 0.9e6 * (try #require(Double(told))), "\(result.errors)")
  }

  /// Checks that the forecast counts only the columns that are kept.
  @Test func longRowsOfWhichLittleIsKept() throws {
    let folder = try TemporaryFolder()
    let rest = String(repeating: "not kept ", count: 30)
    let rows = (0..<100_000).map { "\($0 % 179),\($0 % 83),kind \($0 % 7),\(rest)\($0)" }
    let input = try folder.write("lon,lat,kind,text\n" + rows.joined(separator: "\n"), to: "input")
    let result = try Tool.run([
      "build", input, "-o", folder.path("index"), "--memory", "5MB", "--columns", "kind",
    ])
    func megabytes(_ pattern: Regex<(Substring, Substring)>) throws -> Double {
      let found = try #require(try pattern.firstMatch(in: result.errors), "\(result.errors)")
      return try #require(Double(found.output.1))
    }
    let told = try megabytes(/take up to (\d+\.\d) MB in/)
    let forecast = try megabytes(/points, (\d+\.\d) MB of scratch space/)
    // The scratch space also contains the state of the build, which takes 0.6 MB.
    #expect(told * 0.7...told * 2 ~= forecast, "\(result.errors)")
  }

  @Test func timeGrowsWithPointsAndPasses() {
    func seconds(_ count: Int, _ rule: SplitRule, _ memory: Int, threads: Int = 2) -> Double {
      let options = IndexBuild.Options(
        BuildOptions(splitRule: rule, threads: threads), memory: memory, projection: .webMercator)
      return BuildForecast(
        pointCount: count, readingSeconds: 0, options, recordLength: 0, busyThreads: 0
      ).seconds
    }
    #expect(seconds(2_000_000, .mean, 1 << 30) > 1.9 * seconds(1_000_000, .mean, 1 << 30))
    #expect(seconds(1_000_000, .mean, 1 << 30, threads: 1) > 1.9 * seconds(1_000_000, .mean, 1 << 30))
    let merged = IndexBuild.Options(
      BuildOptions(supporting: .spacing, threads: 2), memory: 1 << 30, projection: .webMercator)
    #expect(
      BuildForecast.buildingSeconds(ofPoints: 1_000_000, merged, busyThreads: 0) > 2
        * seconds(1_000_000, .mean, 1 << 30))
    #expect(seconds(100_000_000, .leastScatter, 1 << 30) > 1.5 * seconds(100_000_000, .mean, 1 << 30))
    // In a measurement, a billion points took 5 minutes with the rule `mean` and 2 GB of memory.
    #expect(150...600 ~= seconds(1_000_000_000, .mean, 2_000_000_000) + 60)
  }

  @Test(arguments: [
    (0, "less than a minute"), (59.9, "less than a minute"), (60, "a minute"), (61, "2 minutes"),
    (7140, "119 minutes"), (7141, "2 hours"), (7201, "3 hours"), (1e6, "278 hours"),
  ])
  func timesAreToldInWords(_ seconds: Double, _ words: String) { #expect(BuildForecast.time(seconds) == words) }

  @Test func memoryOfControlGroupsIsKnown() {
    #expect(
      ByteCount.memoryLimitFiles(ofGroups: "0::/user.slice/app.scope\n") == [
        "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/user.slice/memory.max",
        "/sys/fs/cgroup/user.slice/app.scope/memory.max",
      ])
    #expect(
      ByteCount.memoryLimitFiles(ofGroups: "5:devices:/\n4:cpu,memory:/box\n0::/\n") == [
        "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/box/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory.max",
      ])
    #expect(ByteCount.memoryLimitFiles(ofGroups: "nothing\n") == [])
  }
}
