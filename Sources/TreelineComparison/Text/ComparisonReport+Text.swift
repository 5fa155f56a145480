extension ComparisonReport {
  /// The report as tables for a terminal, at most 100 columns wide for up to four methods; `*` marks the best value.
  public var text: String {
    guard !views.isEmpty else { return "\(grouped(pointCount)) points in no view: nothing to compare.\n" }
    let tables = views.enumerated().map { index, view in
      let heading = "View \(index + 1) of \(views.count): \(view.words)\nbbox \(view.view.box)\n"
      return heading + view.table(methods)
    }
    return tables.joined(separator: "\n") + "\n* best in its row\n"
  }
}

extension ViewComparison {
  /// Such as `zoom 8, 1,024 x 768 px, 12,345 points`.
  fileprivate var words: String {
    "zoom \(shortestZoom), \(fixed(view.width, 0)) x \(fixed(view.height, 0)) px, \(grouped(pointCount)) points"
  }

  private var shortestZoom: String {
    view.zoom == view.zoom.rounded() ? fixed(view.zoom, 0) : fixed(view.zoom, 2)
  }

  fileprivate func table(_ methods: [ClusteringMethod]) -> String {
    var rows = [[""] + methods.map(\.name) + ["better"]]
    rows.append(["Badges"] + results.map { grouped($0.measures.clusterCount) + " " } + [""])
    for measure in Measure.allCases {
      let values = values(of: measure)
      let cells = zip(values, measure.best(of: values)).map { measure.text($0) + ($1 ? "*" : " ") }
      rows.append([measure.title] + cells + [measure.direction.word])
    }
    rows.append(["Every point in one badge"] + results.map { $0.measures.conservation.word + " " } + [""])
    return aligned(rows)
  }

  /// The first column flush left, as the last; the others flush right.
  private func aligned(_ rows: [[String]]) -> String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = "  " + row[0] + spaces(widths[0] - row[0].count)
      for column in row.indices.dropFirst().dropLast() {
        line += "  " + spaces(widths[column] - row[column].count) + row[column]
      }
      line += row.last!.isEmpty ? "" : "  " + row.last!
      return line.reversed().drop { $0 == " " }.reversed().map(String.init).joined() + "\n"
    }.joined()
  }

  private func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}

extension Measure.Direction {
  var word: String {
    switch self {
    case .less: "less"
    case .more: "more"
    case .nearerToOne: "100 %"
    }
  }
}

extension Conservation {
  var word: String {
    guard !isExact else { return "yes" }
    let faults = [(missingCount, "missing"), (repeatedCount, "repeated"), (miscountedCount, "miscounted")]
    return faults.filter { $0.0 > 0 }.map { grouped($0.0) + " " + $0.1 }.joined(separator: ", ")
  }
}
