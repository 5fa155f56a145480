/// Text as it stands in HTML and SVG, between tags or in a quoted attribute.
func escaped(_ text: String) -> String { text.unicodeScalars.map { entities[$0] ?? String($0) }.joined() }

private let entities: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"]

/// Titles one after the other, as they are read: `A, B and C`.
func enumeration(of titles: [String]) -> String {
  guard let last = titles.last else { return "" }
  let rest = titles.dropLast()
  return rest.isEmpty ? last : rest.joined(separator: ", ") + " and " + last
}

/// How many colours there are for methods; more methods begin anew.
let colourCount = 8

/// The `d` attribute of an SVG path, in tenths of a pixel and relative, so that numbers stay short. Steps are
/// differences of rounded positions: errors do not add up.
struct PathText {
  private(set) var text = ""
  private var last: (x: Int, y: Int)?

  mutating func move(to position: PixelPoint) { step(to: position, command: "m") }

  /// Draws to a position, unless it is where the pen stands.
  mutating func line(to position: PixelPoint) { step(to: position, command: "l") }

  /// Draws back to where the pen was put down last.
  mutating func close(at start: PixelPoint) {
    text += "z"
    last = Self.tenths(start)
  }

  /// Dots, each a line of no length, which round caps make one.
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
