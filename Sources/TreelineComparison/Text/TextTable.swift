/// Rows of measures as a table for a terminal.
struct TextTable {
  let names: [String]
  let rows: [MeasureRow]

  /// The first column flush left, as the last; the others flush right.
  var text: String {
    let body = rows.map { row in
      [row.title] + row.cells.map { $0.text + ($0.isBest ? "*" : " ") } + [row.direction?.word ?? ""]
    }
    let lines = [[""] + names + ["better"]] + body
    let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { cells in
      var line = "  " + cells[0] + spaces(widths[0] - cells[0].count)
      for column in cells.indices.dropFirst().dropLast() {
        line += "  " + spaces(widths[column] - cells[column].count) + cells[column]
      }
      line += cells.last!.isEmpty ? "" : "  " + cells.last!
      return line.reversed().drop { $0 == " " }.reversed().map(String.init).joined() + "\n"
    }.joined()
  }

  private func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
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
