/// The head of the report. It describes the results of the comparison in words and numbers.
struct Summary {
  let report: ComparisonReport
  let title: String

  private var findings: [Finding] {
    ViewMeasure.all.filter { $0.praise != nil }.compactMap { Finding($0, in: report.views) }
  }

  /// The title and the findings, in at most three sentences.
  var head: String {
    let findings = findings
    return """
      <header>
      <p class="brand">Treeline · \(escaped(title)) · \(counted(report.pointCount, "point"))</p>
      <h1>\(headline(findings))</h1>
      <p class="lede">\(lede(findings))</p>
      </header>

      """
  }

  /// The findings as numbers, in a section that readers can unfold.
  var tiles: String {
    let findings = findings
    return findings.isEmpty
      ? ""
      : """
      <details class="means"><summary>Measures, as means over all views</summary>
      <ul class="tiles" aria-label="Means over all views">
      \(findings.map(tile).joined())</ul></details>

      """
  }

  /// Returns a headline that the numbers justify.
  private func headline(_ findings: [Finding]) -> String {
    guard report.methods.count > 1, let inLine = findings.first(where: { $0.measure == .axisShare }),
      inLine.best.contains(true), !inLine.best[0]
    else { return "Map clusters, side by side" }
    let isOnData = findings.contains { $0.measure == .dataDistance && $0.best.contains(true) && !$0.best[0] }
    return isOnData ? "Badges that follow the data, not a grid" : "Badges without the look of a grid"
  }

  private func lede(_ findings: [Finding]) -> String {
    guard report.methods.count > 1, !findings.isEmpty else {
      return "On a map with many points, a badge represents several points and shows how many."
    }
    let isEven = report.views.allSatisfy { Set($0.results.map(\.clusters.count)).count == 1 }
    let (count, viewCount) = (Self.word(report.methods.count), report.views.count)
    let what = "ways to cluster the same points on the same screen"
    let number = isEven ? ", with the same number of badges" : ""
    // Without this clause, readers would think that the numbers are about the first view only.
    let meaning = viewCount > 1 ? "; every number here is an average over \(Self.word(viewCount)) views" : ""
    return "\(count.prefix(1).uppercased())\(count.dropFirst()) \(what)\(number)\(meaning)."
      + sentences(findings).joined()
  }

  /// Returns a number up to ten as a word, and other numbers as digits.
  private static func word(_ number: Int) -> String {
    let words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    return words.indices.contains(number) ? words[number] : "\(number)"
  }

  /// Returns at most two sentences about the two methods that win the most measures. A method wins a measure if its
  /// mean is the best. If something can be said about only one of the two methods, all sentences are about this
  /// method.
  private func sentences(_ findings: [Finding]) -> [String] {
    let wins = report.methods.indices.map { method in findings.count { $0.best[method] } }
    let told = report.methods.indices.sorted { (-wins[$0], $0) < (-wins[$1], $1) }.prefix(2).sorted()
    let clauses = told.map { one in
      findings.filter { $0.best[one] }.compactMap { clause($0, of: one, than: $0.rival(of: one)) }
    }
    let named = zip(told, clauses).filter { !$1.isEmpty }
    let opening = { (one: Int) in " The \(escaped(report.methods[one].title)) method " }
    guard named.count == 1, let (one, all) = named.first, all.count > 2 else {
      return named.map { "\(opening($0))\(enumeration(of: Array($1.prefix(3))))." }
    }
    return [
      "\(opening(one))\(enumeration(of: Array(all.prefix(2)))).",
      "\(opening(one))\(enumeration(of: Array(all.dropFirst(2)))).",
    ]
  }

  /// Returns a clause about a measure in which the method `one` is better than the method `other`.
  ///
  /// - Returns: nil if the difference is too small to mention, or if `one` is the best method in at most half of the
  ///   views.
  private func clause(_ finding: Finding, of one: Int, than other: Int) -> String? {
    let (a, b) = (finding.means[one], finding.means[other])
    let rival = escaped(report.methods[other].title)
    switch finding.measure.praise?.clause {
    case .value(let what)?:
      let unit = finding.measure.unit
      return "has <b>\(unit.text(a))</b> \(what) (\(rival): \(unit.text(b)))"
    case .gain(let what, let target, let ending)?:
      // One view with an extreme value may decide which mean is the best. So the method must also be the best in more
      // than half of the views.
      let isUsual = 2 * finding.wins[one] > finding.viewCount
      let percent = b > 0 && isUsual ? ((1 - a / b) * 100).rounded() : 0
      return percent < 2
        ? nil : "puts \(what) <b>\(fixed(percent, 0)) %</b> closer to \(target) than \(rival)\(ending)"
    case nil: return nil
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
        + "<span>\(escaped(finding.measure.unit.text(mean)))</span></dd></div>"
    }
    return "<li><h3>\(escaped(finding.measure.praise?.title ?? finding.measure.title))</h3><dl>\(values.joined())</dl>"
      + "<p>\(escaped(verdict(finding)))</p></li>\n"
  }

  private func verdict(_ finding: Finding) -> String {
    let most = finding.wins.max() ?? 0
    guard finding.viewCount > 1, finding.wins.count(where: { $0 == most }) == 1,
      let winner = finding.wins.firstIndex(of: most)
    else { return "Less is better." }
    return "Less is better. "
      + "The \(report.methods[winner].title) method is best in \(most) of \(finding.viewCount) views."
  }
}

/// The result of a measure over all views: the means, and how often each method is the best.
struct Finding {
  let measure: ViewMeasure
  /// Mean of each method, over the views in which all methods have a value.
  let means: [Double]
  /// For each method, the number of views in which only this method has the best rounded value.
  let wins: [Int]

  private let isRanked: [Bool]
  /// Number of views in which all methods have a value.
  let viewCount: Int

  /// - Returns: nil if no view has a value for every method.
  init?(_ measure: ViewMeasure, in views: [ViewComparison]) {
    let values = views.map { $0.values(of: measure) }.filter { !$0.contains(nil) }.map { $0.map { $0! } }
    guard let first = values.first else { return nil }
    let isRanked = views[0].isRanked
    (self.measure, self.isRanked) = (measure, isRanked)
    viewCount = values.count
    means = first.indices.map { method in values.reduce(0) { $0 + $1[method] } / Double(values.count) }
    wins = first.indices.map { method in
      values.count { row in
        let best = measure.best(of: row, isRanked: isRanked)
        return best[method] && best.count { $0 } == 1
      }
    }
  }

  /// Returns the method with which the given method is compared. This is the first method or, if the given method is
  /// the first, the best of the other methods.
  func rival(of method: Int) -> Int {
    guard method == 0 else { return 0 }
    return means.indices.dropFirst().filter { isRanked[$0] }.min { measure.rank(means[$0]) < measure.rank(means[$1]) }
      ?? 0
  }

  /// For each method, whether it has the best mean. If all means are written as the same text, no method has the best
  /// mean.
  var best: [Bool] { measure.best(of: means, isRanked: isRanked) }
}
