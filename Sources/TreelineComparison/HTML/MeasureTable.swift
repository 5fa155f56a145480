/// Rows of measures as an HTML table.
struct MeasureTable {
  let heads: [Head]
  let rows: [MeasureRow]
  let caption: String

  /// A method's column.
  struct Head {
    let title: String
    /// Which of the colours is the method's.
    let colour: Int
  }

  /// In a frame of its own, within which it may be pushed sideways where it is wider than the page.
  var html: String {
    let heads = heads.map {
      "<th scope=\"col\" class=\"value t\($0.colour)\">\(escaped($0.title))</th>"
    }
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
    let title = escaped(String(row.title.drop { $0 == " " }))
    return "<tr><th scope=\"row\"\(inset)>\(title)</th>\(cells.joined())"
      + "<td class=\"way\">\(row.direction?.arrow ?? "")</td></tr>"
  }
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
