@_spi(Server) import Treeline

extension Cut {
  /// Returns the cut with its pixels multiplied by a factor. A cut with only a limit is returned unchanged.
  func scaled(by factor: Double) -> Cut {
    guard factor != 1, let pixels else { return self }
    return Cut(pixels.criterion, pixels: pixels.count * factor).atMost(limit).unclustered(unclustered)
  }
}
