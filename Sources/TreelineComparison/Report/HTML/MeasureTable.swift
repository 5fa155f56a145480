/// Rows of measures as an HTML table.
struct MeasureTable {
  /// A method's title and which of the colours is its own, column by column.
  let heads: [(title: String, colour: Int)]
  let rows: [MeasureRow]
  let caption: String

  /// In a frame of its own, within which it may be pushed sideways where it is wider than the page.
  var html: String {
    let heads = heads.map { "<th scope=\"col\" class=\"value t\($0.colour)\">\(escaped($0.title))</th>" }
    return """
      <div class="table" role="region" tabindex="0" aria-label="\(escaped(caption))"><table>
      <thead><tr><th scope="col">Measure</th>\(heads.joined())<th scope="col" class="way">Better</th></tr></thead>
      <tbody>
      \(rows.map(row).joined(separator: "\n"))
      </tbody>
      </table></div>

      """
  }

  private func row(_ row: MeasureRow) -> String {
    let cells = row.cells.map { text, isBest in
      let mark = isBest ? "<span class=\"mark\" role=\"img\" aria-label=\"best\">★</span>" : ""
      return "<td class=\"value\(isBest ? " best" : "")\">\(mark)\(escaped(text))</td>"
    }
    let inset = row.title.hasPrefix(" ") ? " class=\"inset\"" : ""
    return "<tr><th scope=\"row\"\(inset)>\(row.plainTitle)</th>\(cells.joined())"
      + "<td class=\"way\">\(row.direction?.arrow ?? "")</td></tr>"
  }
}

extension MeasureRow {
  /// What the measures of some rows mean, in a sentence each.
  static func glossary(_ rows: [MeasureRow]) -> String {
    let entries = rows.filter { !$0.explanation.isEmpty }.map { row in
      "<div><dt>\(row.plainTitle)</dt><dd>\(escaped(row.explanation))</dd></div>\n"
    }
    return "<dl>\n\(entries.joined())</dl>\n"
  }

  fileprivate var plainTitle: String { escaped(String(title.drop { $0 == " " })) }
}

extension MeasureDirection {
  /// Which way is better, for the eye and for the ear.
  fileprivate var arrow: String {
    switch self {
    case .less: "<span aria-hidden=\"true\">↓</span> less"
    case .more: "<span aria-hidden=\"true\">↑</span> more"
    case .nearerToOne: "<span aria-hidden=\"true\">→</span> near 100 %"
    }
  }
}
