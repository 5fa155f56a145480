import Testing
@_spi(Server) import Treeline
import TreelineBuilder

/// Checks the options of a build in the form of texts, with the names that the tool uses.
@Suite struct BuildParameterTests {
  private func options(_ values: KeyValuePairs<String, String>) -> (options: BuildOptions, faults: [String]) {
    var parameters = QueryParameters(values.map { (name: $0.key, value: $0.value) })
    let options = BuildOptions(&parameters)
    parameters.refuseUnread()
    return (options, parameters.faults.map { $0.message { $0 } })
  }

  @Test func namesAreThoseOfTheTool() {
    #expect(options([:]).options == BuildOptions())
    #expect(options(["split": "gamma:1.5", "threads": "3"]).options.growth == .splitting(.gamma(1.5)))
    #expect(options(["grow": "merge", "anchor": "member"]).options.anchor == .member)
    #expect(options(["grow": "scatter"]).options == BuildOptions(growth: .merging(by: .scatter)))
    #expect(options(["separations": "true"]).faults.count == 1)
    let badges = options(["badge-gap": "4"])
    #expect(badges.options.growth == .merging(by: .badges) && badges.options.badgeCurve == .standard.gap(4))
    #expect(badges.faults.isEmpty)
  }

  /// Checks that the parameters and the type of a purpose lead to the same tree.
  @Test func aPurposeDecidesHowTheTreeGrows() {
    let cases: [(String, BuildPurpose, Growth)] = [
      ("limit", .limit, .splitting(.leastScatter)), ("spacing", .spacing, .merging(by: .distance)),
      ("badges", .badges(), .merging(by: .badges)),
    ]
    for (name, purpose, growth) in cases {
      let found = options(["for": name])
      #expect(found.faults.isEmpty && found.options == BuildOptions(supporting: purpose), "\(name)")
      #expect(found.options.growth == growth, "\(name)")
    }
    let wide = options(["for": "badges", "badge-gap": "4"]).options
    #expect(wide == BuildOptions(supporting: .badges(.standard.gap(4))))
  }

  @Test func whatExcludesEachOtherIsRefused() {
    let cases: [KeyValuePairs<String, String>] = [
      ["grow": "merge", "split": "mean"], ["grow": "merge", "badge-gap": "4"], ["anchor": "member"],
      ["grow": "scatter", "anchor": "mean"], ["for": "limit", "anchor": "member"], ["for": "speed"],
      ["for": "spacing", "split": "mean"], ["for": "spacing", "grow": "badges"], ["for": "badges", "grow": "merge"],
      ["for": "badges", "split": "mean"], ["for": "spacing", "grow": "scatter"], ["for": "spacing", "badge-gap": "4"],
      ["grow": "sideways"], ["split": "even"], ["badge-gap": "129"], ["threads": "0"], ["speed": "high"],
    ]
    for values in cases { #expect(options(values).faults.count == 1, "\(values)") }
  }

  @Test func whatAgreesWithAPurposeIsAccepted() {
    let cases: [KeyValuePairs<String, String>] = [
      ["for": "limit", "grow": "merge"], ["for": "limit", "split": "mean"], ["for": "spacing", "grow": "merge"],
      ["for": "badges", "grow": "badges"],
      ["for": "spacing", "anchor": "member"],
    ]
    for values in cases { #expect(options(values).faults == [], "\(values)") }
  }
}
