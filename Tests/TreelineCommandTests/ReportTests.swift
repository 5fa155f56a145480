import Foundation
import Testing

/// The report as a file.
@Suite struct ReportTests {
  private func report() throws -> String {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).html")
    defer { try? FileManager.default.removeItem(at: file) }
    let result = try Tool.run(["compare", "Fixtures/iceland_addresses.csv.gz", "--output", file.path])
    #expect(result.code == 0)
    #expect(result.errors.isEmpty)
    return try String(contentsOf: file, encoding: .utf8)
  }

  @Test func needsNoNetwork() throws {
    let page = try report()
    for reference in ["src=", "href=\"http", "url(", "@import", "<script", "<link"] {
      #expect(!page.contains(reference), "found \(reference)")
    }
    #expect(page.components(separatedBy: "<svg").count - 1 == 10)
  }

  @Test func isTheSameEveryTime() throws {
    #expect(try report() == report())
  }

  @Test func hasLand() throws {
    #expect(try report().contains("class=\"land\""))
  }
}
