@_spi(Server) import Treeline

extension Cut {
  /// Returns a cut whose number of pixels is multiplied by a factor. A cut without a number of pixels, such as
  /// `Cut.limit(100)`, is returned unchanged.
  func scaled(by factor: Double) -> Cut {
    guard factor != 1, let pixels else { return self }
    return Cut(pixels.criterion, pixels: pixels.count * factor).atMost(limit).unclustered(unclustered)
  }
}
