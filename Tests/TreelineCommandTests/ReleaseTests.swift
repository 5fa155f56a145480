import Foundation
import TestSupport
import Testing

@_spi(Server) import Treeline

/// Checks that the changelog, the tool and the tags name the same release.
@Suite struct ReleaseTests {
  @Test func changelogBeginsWithTheRelease() throws {
    let text = try String(contentsOf: Repository.root.appending(path: "CHANGELOG.md"), encoding: .utf8)
    let headings = text.matches(of: /(?m)^## (\S+) - \d{4}-\d{2}-\d{2}$/).map { String($0.1) }
    #expect(headings.first == Release.version)
    #expect(text.contains("\n## Unreleased\n"))
  }
}
