/// The `d` attribute of an SVG path in tenths of a pixel, so that no decimal point is needed, and relative, so that
/// numbers stay short. Steps are differences of rounded places: errors do not add up.
struct PathText {
  private(set) var text = ""
  private var last: (x: Int, y: Int)?

  /// Lifts the pen and puts it down at a place.
  mutating func move(to place: PixelPoint) { step(to: place, command: "m") }

  /// Draws to a place, unless it is where the pen stands.
  mutating func line(to place: PixelPoint) { step(to: place, command: "l") }

  /// Draws back to where the pen was put down last. The next move starts from here on.
  mutating func close(at start: PixelPoint) {
    text += "z"
    last = Self.tenths(start)
  }

  /// A line of no length, which round caps make a dot.
  mutating func dot() { text += "h0" }

  private mutating func step(to place: PixelPoint, command: String) {
    let next = Self.tenths(place)
    let from = last ?? (0, 0)
    let (dx, dy) = (next.x - from.x, next.y - from.y)
    if command == "l", dx == 0, dy == 0 { return }
    text += command + String(dx) + (dy < 0 ? "" : " ") + String(dy)
    last = next
  }

  static func tenths(_ place: PixelPoint) -> (x: Int, y: Int) {
    (Int((place.x * 10).rounded()), Int((place.y * 10).rounded()))
  }
}
