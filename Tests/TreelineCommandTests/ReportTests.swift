import Foundation
import TestSupport
import Testing

/// Checks the report that is written to a file.
@Suite struct ReportTests {
  private func report() throws -> String {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let file = folder.path("report.html")
    let result = try Tool.run("compare", "Fixtures/iceland_addresses.csv.gz", "--journey", "--output", file)
    #expect(result.code == 0)
    #expect(result.errors.isEmpty)
    return try String(contentsOfFile: file, encoding: .utf8)
  }

  @Test func needsNoNetwork() throws {
    let page = try report()
    for reference in ["src=", "href=\"http", "url(", "@import", "<script", "<link"] {
      #expect(!page.contains(reference), "found \(reference)")
    }
    // Five methods are drawn in each of five views, and in each of the eight steps of the journey.
    #expect(page.components(separatedBy: "<svg").count - 1 == 65)
    #expect(page.utf8.count < 2_000_000)
  }

  @Test func aMissingJourneyIsReported() throws {
    let folder = try TemporaryFolder()
    let (file, page) = (try folder.write("lon,lat\n1,2\n", to: "points.csv"), folder.path("report.html"))
    let result = try Tool.run("compare", file, "--journey", "-o", page)
    #expect(result.errors == "treelinemap: left out the journey, which needs points at two or more positions\n")
  }

  @Test func isTheSameEveryTime() throws { #expect(try report() == report()) }

  @Test func hasLand() throws { #expect(try report().contains("class=\"land\"")) }
}
