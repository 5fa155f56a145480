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
    #expect(options([:]).options == BuildOptions(computesSeparations: true))
    #expect(options(["split": "gamma:1.5", "threads": "3"]).options.growth == .splitting(.gamma(1.5)))
    #expect(options(["grow": "merge", "anchor": "member"]).options.anchor == .member)
    #expect(options(["grow": "scatter", "no-separation": "true"]).options.growth == .merging(by: .scatter))
    let badges = options(["badge-gap": "4"])
    #expect(badges.options.growth == .merging(by: .badges) && badges.options.badgeCurve == .standard.gap(4))
    #expect(badges.faults.isEmpty)
  }

  @Test func whatExcludesEachOtherIsRefused() {
    let cases: [KeyValuePairs<String, String>] = [
      ["grow": "merge", "split": "mean"], ["grow": "merge", "badge-gap": "4"], ["anchor": "member"],
      ["grow": "scatter", "anchor": "mean"], ["grow": "merge", "anchor": "member", "no-separation": "true"],
      ["grow": "sideways"], ["split": "even"], ["badge-gap": "129"], ["threads": "0"], ["speed": "high"],
    ]
    for values in cases { #expect(options(values).faults.count == 1, "\(values)") }
  }
}
