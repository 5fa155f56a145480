/// What measures mean, in a sentence each.
struct Glossary {
  let rows: [MeasureRow]
  let journeyRows: [MeasureRow]

  var html: String {
    """
    <section class="glossary">
    <h2>What the measures mean</h2>
    \(list(rows))\(journeyRows.isEmpty ? "" : "<h3>On the journey</h3>\n" + list(journeyRows))</section>

    """
  }

  private func list(_ rows: [MeasureRow]) -> String {
    let entries = rows.filter { !$0.explanation.isEmpty }.map { row in
      "<div><dt>\(escaped(String(row.title.drop { $0 == " " })))</dt><dd>\(escaped(row.explanation))</dd></div>\n"
    }
    return "<dl>\n\(entries.joined())</dl>\n"
  }
}
