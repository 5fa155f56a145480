/// Escapes text for HTML and SVG. The result can be used between tags or in a quoted attribute.
func escaped(_ text: String) -> String { text.unicodeScalars.map { entities[$0] ?? String($0) }.joined() }

private let entities: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"]

/// Returns titles as an enumeration, such as `A, B and C`.
func enumeration(of titles: [String]) -> String {
  guard let last = titles.last else { return "" }
  let rest = titles.dropLast()
  return rest.isEmpty ? last : rest.joined(separator: ", ") + " and " + last
}

/// Number of colors for methods. Further methods use the same colors again.
let colourCount = 8

/// The `d` attribute of an SVG path. Numbers are relative and in tenths of a pixel, which keeps them short. They are
/// differences of rounded positions, so that rounding errors do not add up.
struct PathText {
  private(set) var text = ""
  private var last: (x: Int, y: Int)?

  mutating func move(to position: PixelPoint) { step(to: position, command: "m") }

  /// Draws a line to a position, unless the pen is already there.
  mutating func line(to position: PixelPoint) { step(to: position, command: "l") }

  /// Draws a line back to the start of the ring.
  mutating func close(at start: PixelPoint) {
    text += "z"
    last = Self.tenths(start)
  }

  /// Draws dots. Each dot is a line of length 0 with round caps.
  mutating func dots(at positions: [PixelPoint]) {
    for position in positions {
      move(to: position)
      text += "h0"
    }
  }

  private mutating func step(to position: PixelPoint, command: String) {
    let next = Self.tenths(position)
    let from = last ?? (0, 0)
    let (dx, dy) = (next.x - from.x, next.y - from.y)
    if command == "l", dx == 0, dy == 0 { return }
    text += command + String(dx) + (dy < 0 ? "" : " ") + String(dy)
    last = next
  }

  private static func tenths(_ position: PixelPoint) -> (x: Int, y: Int) {
    (Int((position.x * 10).rounded()), Int((position.y * 10).rounded()))
  }
}

/// An HTML table of measures.
struct MeasureTable {
  /// Title and color of the method in each column.
  let heads: [(title: String, colour: Int)]
  let rows: [MeasureRow]
  let caption: String

  /// The table in a frame that scrolls sideways if the table is wider than the page.
  var html: String {
    let heads = heads.map { "<th scope=\"col\" class=\"value t\($0.colour)\">\(escaped($0.title))</th>" }
    return """
      <div class="table" role="region" tabindex="0" aria-label="\(escaped(caption))" style="--methods:\(heads.count)"><table>
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
  /// Returns an HTML list that explains the measures of the given rows.
  static func glossary(_ rows: [MeasureRow]) -> String {
    let entries = rows.filter { !$0.explanation.isEmpty }.map { row in
      "<div><dt>\(row.plainTitle)</dt><dd>\(escaped(row.explanation))</dd></div>\n"
    }
    return "<dl>\n\(entries.joined())</dl>\n"
  }

  fileprivate var plainTitle: String { escaped(String(title.drop { $0 == " " })) }
}

extension MeasureDirection {
  /// The direction in which the measure gets better, as an arrow and as a word for screen readers.
  fileprivate var arrow: String {
    switch self {
    case .less: "<span aria-hidden=\"true\">↓</span> less"
    case .more: "<span aria-hidden=\"true\">↑</span> more"
    case .nearerToOne: "<span aria-hidden=\"true\">→</span> near 100 %"
    }
  }
}
