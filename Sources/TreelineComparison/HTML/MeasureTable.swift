/// The measures of one view as an HTML table.
struct MeasureTable {
  let comparison: ViewComparison
  let methods: [ClusteringMethod]
  let caption: String
  let hasExplanations: Bool

  var html: String {
    let heads = methods.enumerated().map { index, method in
      "<th scope=\"col\" class=\"value t\(index)\">\(escaped(method.title))</th>"
    }
    return """
      <table aria-label="\(escaped(caption))">
      <thead><tr><th scope="col">Measure</th>\(heads.joined())<th scope="col" class="way">Better</th></tr></thead>
      <tbody>
      \(Measure.allCases.map(row).joined(separator: "\n"))
      \(conservation)
      </tbody>
      </table>

      """
  }

  private func row(of measure: Measure) -> String {
    let values = comparison.values(of: measure)
    let cells = zip(values, measure.best(of: values)).map { value, isBest in
      let mark = isBest ? "<span class=\"mark\">best</span>" : ""
      return "<td class=\"value\(isBest ? " best" : "")\">\(mark)\(escaped(measure.text(value)))</td>"
    }
    return row(measure.title, measure.explanation, cells, way: measure.direction.arrow)
  }

  private var conservation: String {
    let cells = comparison.results.map {
      "<td class=\"value\">\(escaped($0.measures.conservation.word))</td>"
    }
    return row(
      "Every point in exactly one badge", "Are counts true: is no point lost and none counted twice?", cells,
      way: "")
  }

  private func row(_ title: String, _ explanation: String, _ cells: [String], way: String) -> String {
    let small = hasExplanations ? "<small>\(escaped(explanation))</small>" : ""
    return
      "<tr><th scope=\"row\">\(escaped(title))\(small)</th>\(cells.joined())<td class=\"way\">\(way)</td></tr>"
  }
}

extension Measure.Direction {
  /// Which way is better, for the eye and for the ear.
  fileprivate var arrow: String {
    switch self {
    case .less: "<span aria-hidden=\"true\">↓</span> less"
    case .more: "<span aria-hidden=\"true\">↑</span> more"
    case .nearerToOne: "<span aria-hidden=\"true\">→</span> near 100 %"
    }
  }
}
