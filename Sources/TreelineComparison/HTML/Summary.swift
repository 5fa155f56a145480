/// The head of the report: what it found, in words and numbers made from the data.
struct Summary {
  let report: ComparisonReport
  let title: String

  private var findings: [Finding] {
    [Measure.gridLook, .dataDistance, .distortion, .overlap].compactMap { Finding($0, in: report.views) }
  }

  var html: String {
    let findings = findings
    return """
      <header>
      <p class="brand">Treeline · \(escaped(title)) · \(grouped(report.pointCount)) points</p>
      <h1>\(headline(findings))</h1>
      <p class="lede">\(lede(findings))</p>
      </header>
      \(findings.isEmpty ? "" : "<ul class=\"tiles\" aria-label=\"Means over all views\">\n\(findings.map(tile).joined())</ul>")

      """
  }

  /// Only what the numbers bear out.
  private func headline(_ findings: [Finding]) -> String {
    guard report.methods.count > 1, let look = findings.first(where: { $0.measure == .gridLook }),
      look.best[1]
    else { return "Clusters of a map, side by side" }
    let distance = findings.first { $0.measure == .dataDistance }
    let isOnData = distance.map { !$0.best[0] } ?? false
    return isOnData ? "Badges that follow the data, not a grid" : "Badges without the look of a grid"
  }

  private func lede(_ findings: [Finding]) -> String {
    guard report.methods.count > 1, !findings.isEmpty else {
      return "Where many points share a map, each badge stands for several and says how many."
    }
    let counts = report.views.map { $0.results.map(\.clusters.count) }
    let isEven = counts.allSatisfy { $0[0] == $0[1] }
    let ways = report.methods.count == 2 ? "Two ways" : "\(report.methods.count) ways"
    return
      "\(ways) to cluster the same points on the same screen\(isEven ? ", in the same number of badges" : "")."
      + sentence(findings, of: 1, than: 0) + sentence(findings, of: 0, than: 1)
  }

  /// What one method does better than another.
  private func sentence(_ findings: [Finding], of one: Int, than other: Int) -> String {
    let clauses = findings.filter { $0.best[one] }.compactMap { clause($0, of: one, than: other) }
    guard let last = clauses.last else { return "" }
    let rest = clauses.dropLast().joined(separator: ", ")
    return " \(escaped(report.methods[one].title)) has \(rest.isEmpty ? "" : rest + " and ")\(last)."
  }

  /// - Returns: nil where the difference is not worth a word.
  private func clause(_ finding: Finding, of one: Int, than other: Int) -> String? {
    let (a, b) = (finding.means[one], finding.means[other])
    let texts = (finding.measure.text(a), finding.measure.text(b))
    let percent = b > 0 ? ((1 - a / b) * 100).rounded() : 0
    let less = "<b>\(fixed(percent, 0)) %</b>"
    return switch finding.measure {
    case .gridLook: "<b>\(texts.0)</b> of its badges in line with their neighbour instead of \(texts.1)"
    case .dataDistance: percent < 2 ? nil : "badges \(less) nearer to the data"
    case .distortion: percent < 2 ? nil : "points \(less) nearer to their badge"
    case .overlap: "<b>\(texts.0)</b> of its badges touching another instead of \(texts.1)"
    case .neighbourSpread, .fill: nil
    }
  }

  private func tile(_ finding: Finding) -> String {
    let best = finding.best
    let values = report.methods.enumerated().map { index, method in
      "<div\(best[index] ? "" : " class=\"other\"")><dt class=\"t\(index)\">\(escaped(method.title))</dt>"
        + "<dd>\(escaped(finding.measure.text(finding.means[index])))</dd></div>"
    }
    return "<li><h3>\(escaped(finding.measure.title))</h3><dl>\(values.joined())</dl>"
      + "<p>\(escaped(verdict(finding)))</p></li>\n"
  }

  private func verdict(_ finding: Finding) -> String {
    let most = finding.wins.max() ?? 0
    guard finding.viewCount > 1 else { return "less is better" }
    guard let winner = finding.wins.firstIndex(of: most), finding.wins.count(where: { $0 == most }) == 1
    else {
      return "less is better; even over \(finding.viewCount) views"
    }
    return "less is better; \(report.methods[winner].title) in \(most) of \(finding.viewCount) views"
  }
}
