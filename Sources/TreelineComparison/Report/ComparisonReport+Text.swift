extension ComparisonReport {
  /// The report as tables for a terminal. With the usual methods, the tables are at most 100 characters wide. `*`
  /// marks the best value.
  package var text: String {
    guard !views.isEmpty else {
      return "There is nothing to compare, because no view can be chosen for \(counted(pointCount, "point")).\n"
    }
    var tables = views.enumerated().map { index, comparison in
      let view = comparison.view
      return "View \(index + 1) of \(views.count): zoom \(zoomText(view.zoom)), \(fixed(view.width, 0)) x "
        + "\(fixed(view.height, 0)) px, \(counted(comparison.pointCount, "point"))\nbbox \(view.boxText)\n"
        + table(comparison.rows(measures()), heads: methods.map(\.name))
    }
    if let journey {
      tables.append("Journey: \(journey.words)\n" + table(journey.rows, heads: journey.results.map(\.method.name)))
    }
    return tables.joined(separator: "\n") + "\n* best in its row\n"
  }

  /// Formats a table. The first and the last column are left-aligned. All other columns are right-aligned.
  private func table(_ rows: [MeasureRow], heads: [String]) -> String {
    let body = rows.map { row in
      [row.title] + row.cells.map { $0.text + ($0.isBest ? "*" : " ") } + [row.direction?.word ?? ""]
    }
    let lines = [[""] + heads + ["better"]] + body
    let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { cells in
      var line = ""
      for (column, cell) in cells.enumerated() {
        let spaces = String(repeating: " ", count: widths[column] - cell.count)
        line += "  " + (column == 0 || column == cells.count - 1 ? cell + spaces : spaces + cell)
      }
      return line.prefix(through: line.lastIndex { $0 != " " } ?? line.startIndex) + "\n"
    }.joined()
  }
}

extension JourneyComparison {
  /// A summary such as `34 views from zoom 1.56 to 7.56, 12 pans, at most 96 badges for methods with a limit`.
  var words: String {
    let zooms = views.map(\.zoom)
    let pans = moves.count { $0 == .pan }
    return "\(views.count) views from zoom \(zoomText(zooms.min()!)) to \(zoomText(zooms.max()!)), "
      + "\(counted(pans, "pan")), at most \(counted(limit, "badge")) for methods with a limit"
  }
}

extension ComparisonView {
  /// The box in the form of `--bbox`. Plain coordinates are rounded to a thousandth of a pixel or less. Degrees that
  /// were chosen from the data are rounded already.
  fileprivate var boxText: String {
    let pixel = plane.side * unitsPerPixel / 0x1p32
    guard plane.projection == .planar,
      let decimals = (0...9).first(where: { (0..<$0).reduce(pixel) { scaled, _ in 10 * scaled } >= 1000 })
    else { return "\(box)" }
    return [box.west, box.south, box.east, box.north].map { trimmed(fixed($0, decimals)) }.joined(separator: ",")
  }
}

extension MeasureDirection {
  fileprivate var word: String {
    switch self {
    case .less: "less"
    case .more: "more"
    case .nearerToOne: "100 %"
    }
  }
}

/// A row in a table of measures, for the terminal and for HTML.
struct MeasureRow {
  let title: String
  let explanation: String
  /// Cells of the row, one per method.
  let cells: [(text: String, isBest: Bool)]
  /// Direction in which the measure gets better; nil if no value is better than another.
  let direction: MeasureDirection?

  init<Subject>(_ measure: Measure<Subject>, _ values: [Double?], isRanked: [Bool]? = nil) {
    title = measure.title
    explanation = measure.explanation
    cells = zip(values, measure.best(of: values, isRanked: isRanked)).map { value, isBest in
      let text = measure.unit.text(value)
      // All values that are too small to be shown as numbers have the text `<0.1 %`. So none of them is called the
      // best.
      return (text, isBest && !text.hasPrefix("<"))
    }
    direction = measure.direction
  }

  init(_ title: String, _ explanation: String = "", texts: [String]) {
    (self.title, self.explanation) = (title, explanation)
    cells = texts.map { ($0, false) }
    direction = nil
  }
}

extension ViewComparison {
  func rows(_ measures: [ViewMeasure]) -> [MeasureRow] {
    [MeasureRow("Badges", texts: results.map { grouped($0.clusters.count) })]
      + measures.compactMap { measure -> MeasureRow? in
        let found = values(of: measure)
        return found.allSatisfy { $0 == nil } ? nil : MeasureRow(measure, found, isRanked: isRanked)
      } + [
        MeasureRow(
          "Every point counted once",
          "Shows whether the counts are right: no point is lost, and no point is counted twice.",
          texts: results.map { $0.conservation.text })
      ]
  }
}

extension JourneyComparison {
  var rows: [MeasureRow] {
    [
      MeasureRow(
        "Badges per view", "Mean number of badges in a view. Methods with a limit have the same limit in all views.",
        texts: results.map { fixed($0.clusterCount, 1) })
    ]
      + JourneyMeasure.all.compactMap { measure -> MeasureRow? in
        let found = results.map { $0.measures[measure] }
        return found.allSatisfy { $0 == nil } ? nil : MeasureRow(measure, found)
      }
  }
}
