import Treeline

extension Cut {
  /// The same cut with so many times the pixels; the same of a limit.
  func scaled(by factor: Double) -> Cut {
    guard factor != 1, let pixels else { return self }
    return Cut(pixels.criterion, pixels: pixels.count * factor).atMost(limit).unclustered(unclustered)
  }
}
