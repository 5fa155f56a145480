#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Plane {
  /// The greatest zoom at which a box of the plane fits on a screen, which may be fractional.
  ///
  /// - Parameters:
  ///   - width: The screen's, in pixels.
  ///   - padding: The pixels that are to stay free at each edge.
  ///   - maximumZoom: What a single position is shown at.
  public static func zoom(
    fitting rect: PlaneRect, width: Double, height: Double, padding: Double = 0, maximumZoom: Double = 20
  ) -> Double {
    precondition(
      width > 2 * padding && height > 2 * padding,
      "Expected a screen larger than twice the padding of \(padding), found \(width) x \(height)")
    let units = max(Double(rect.width) / (width - 2 * padding), Double(rect.height) / (height - 2 * padding))
    return units > 0 ? min(24 - log2(units), maximumZoom) : maximumZoom
  }

  /// The greatest zoom at which a part of the plane fits into a screen, up to that of a unit a pixel.
  package static func zoom(fittingWidth width: Double, height: Double, into size: Viewport.Size) -> Double {
    24 - log2(max(width / size.width, height / size.height, 1))
  }
}
