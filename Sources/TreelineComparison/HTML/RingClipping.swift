/// A box in a picture, all edges inclusive.
struct PixelBox {
  var minX: Double
  var minY: Double
  var maxX: Double
  var maxY: Double
}

/// The part of a closed ring inside a box, by Sutherland and Hodgman (1974), https://doi.org/10.1145/360767.360802.
///
/// A ring that falls apart stays one: its parts are joined along the edges of the box, where a picture smaller than
/// the box does not show them.
func clipped(_ ring: [PixelPoint], to box: PixelBox) -> [PixelPoint] {
  var ring = clipped(ring, isInside: { $0.x >= box.minX }, cut: { crossing($0, $1, x: box.minX) })
  ring = clipped(ring, isInside: { $0.x <= box.maxX }, cut: { crossing($0, $1, x: box.maxX) })
  ring = clipped(ring, isInside: { $0.y >= box.minY }, cut: { crossing($0, $1, y: box.minY) })
  return clipped(ring, isInside: { $0.y <= box.maxY }, cut: { crossing($0, $1, y: box.maxY) })
}

private func clipped(
  _ ring: [PixelPoint], isInside: (PixelPoint) -> Bool, cut: (PixelPoint, PixelPoint) -> PixelPoint
) -> [PixelPoint] {
  guard var from = ring.last else { return [] }
  var result: [PixelPoint] = []
  for place in ring {
    if isInside(place) != isInside(from) { result.append(cut(from, place)) }
    if isInside(place) { result.append(place) }
    from = place
  }
  return result
}

private func crossing(_ a: PixelPoint, _ b: PixelPoint, x: Double) -> PixelPoint {
  PixelPoint(x: x, y: a.y + (b.y - a.y) * ((x - a.x) / (b.x - a.x)))
}

private func crossing(_ a: PixelPoint, _ b: PixelPoint, y: Double) -> PixelPoint {
  PixelPoint(x: a.x + (b.x - a.x) * ((y - a.y) / (b.y - a.y)), y: y)
}
