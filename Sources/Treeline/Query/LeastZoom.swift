/// The least zoom at which so many pixels are short enough: the very number from which a query says so, to the last bit,
/// for it is found by asking what a query asks.
///
/// - Parameters:
///   - pixels: 0 or more.
///   - isShort: Whether a zoom is great enough. If one is, every greater one is.
/// - Returns: nil if no zoom is; -infinity if each is.
/// - Complexity: 64 zooms are tried.
func leastZoom<Failure: Error>(
  of pixels: Double, where isShort: (_ zoom: Double) throws(Failure) -> Bool
) throws(Failure) -> Double? {
  // Whether a length of 0 is short enough is all one at every zoom.
  if pixels == 0 { return try isShort(0) ? -.infinity : nil }
  // At the one a pixel is longer than any number tells, at the other shorter.
  let (coarsest, finest) = (-1200.0, 1200.0)
  guard try isShort(finest) else { return nil }
  var (low, high) = (rank(coarsest), rank(finest))
  while high - low > 1 {
    let middle = (low + high) / 2
    if try isShort(zoom(ofRank: middle)) { high = middle } else { low = middle }
  }
  return zoom(ofRank: high)
}

/// How many numbers lie between a zoom and 0, which orders zooms as integers.
private func rank(_ zoom: Double) -> Int128 {
  zoom.sign == .minus ? -Int128(zoom.magnitude.bitPattern) : Int128(zoom.bitPattern)
}

private func zoom(ofRank rank: Int128) -> Double {
  let zoom = Double(bitPattern: UInt64(rank.magnitude))
  return rank < 0 ? -zoom : zoom
}
