import Treeline

extension Cut {
  /// Returns the cut with its number of pixels multiplied by a factor. A cut with only a limit stays as it is.
  func scaled(by factor: Double) -> Cut {
    guard factor != 1, let pixels else { return self }
    return Cut(pixels.criterion, pixels: pixels.count * factor).atMost(limit).unclustered(unclustered)
  }
}
