/// The head of the report: what it found, in words and numbers made from the data.
struct Summary {
  let report: ComparisonReport
  let title: String

  private var findings: [Finding] {
    [Measure.gridLook, .dataDistance, .distortionToGrid, .overlap].compactMap {
      Finding($0, in: report.views)
    }
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
      look.best.contains(true), !look.best[0]
    else { return "Clusters of a map, side by side" }
    let distance = findings.first { $0.measure == .dataDistance }
    let isOnData = distance.map { $0.best.contains(true) && !$0.best[0] } ?? false
    return isOnData ? "Badges that follow the data, not a grid" : "Badges without the look of a grid"
  }

  private func lede(_ findings: [Finding]) -> String {
    guard report.methods.count > 1, !findings.isEmpty else {
      return "Where many points share a map, each badge stands for several and says how many."
    }
    let isEven = report.views.allSatisfy { Set($0.results.map(\.clusters.count)).count == 1 }
    let words = ["", "", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"]
    let count = report.methods.count < words.count ? words[report.methods.count] : "\(report.methods.count)"
    return
      "\(count) ways to cluster the same points on the same screen\(isEven ? ", in the same number of badges" : "")."
      + report.methods.indices.map { sentence(findings, of: $0) }.joined()
  }

  /// What one method does better than the first, or the first than the next best.
  private func sentence(_ findings: [Finding], of one: Int) -> String {
    let clauses = findings.filter { $0.best[one] }.compactMap { clause($0, of: one, than: $0.rival(of: one)) }
    return clauses.isEmpty
      ? "" : " \(escaped(report.methods[one].title)) has \(enumeration(of: clauses))."
  }

  /// - Returns: nil where the difference is not worth a word.
  private func clause(_ finding: Finding, of one: Int, than other: Int) -> String? {
    let (a, b) = (finding.means[one], finding.means[other])
    let texts = (finding.measure.text(a), finding.measure.text(b))
    let percent = b > 0 ? ((1 - a / b) * 100).rounded() : 0
    let less = "<b>\(fixed(percent, 0)) %</b>"
    let rival = escaped(report.methods[other].title)
    return switch finding.measure {
    case .gridLook: "<b>\(texts.0)</b> of its badges in line with their neighbour (\(rival): \(texts.1))"
    case .dataDistance: percent < 2 ? nil : "badges \(less) nearer to the data than \(rival)"
    case .distortionToGrid:
      percent < 2 ? nil : "points \(less) nearer to their badge than \(rival) in as many badges"
    case .overlap: "<b>\(texts.0)</b> of its badges touching another (\(rival): \(texts.1))"
    case .neighbourSpread, .distortion, .distortionToKMeans, .closestPair, .fill: nil
    }
  }

  private func tile(_ finding: Finding) -> String {
    let best = finding.best
    let longest = max(finding.means.max() ?? 0, .leastNormalMagnitude)
    let values = report.methods.enumerated().map { index, method in
      let mean = finding.means[index]
      return
        "<div\(best[index] ? " class=\"best\"" : "")><dt class=\"t\(index % colourCount)\">\(escaped(method.title))</dt>"
        + "<dd class=\"t\(index % colourCount)\"><i style=\"width:\(fixed(mean / longest * 100, 0))%\"></i>"
        + "<span>\(escaped(finding.measure.text(mean)))</span></dd></div>"
    }
    return "<li><h3>\(escaped(title(of: finding.measure)))</h3><dl>\(values.joined())</dl>"
      + "<p>\(escaped(verdict(finding)))</p></li>\n"
  }

  private func title(of measure: Measure) -> String {
    measure == .distortionToGrid ? "Point to its badge, against a grid" : measure.title
  }

  private func verdict(_ finding: Finding) -> String {
    let most = finding.wins.max() ?? 0
    guard finding.viewCount > 1 else { return "Less is better." }
    guard let winner = finding.wins.firstIndex(of: most), finding.wins.count(where: { $0 == most }) == 1
    else {
      return "Less is better."
    }
    return "Less is better. \(report.methods[winner].title) in \(most) of \(finding.viewCount) views."
  }
}
