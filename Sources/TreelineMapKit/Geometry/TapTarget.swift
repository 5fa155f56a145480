#if canImport(MapKit)
  import MapKit

  /// The area that reacts to taps.
  enum TapTarget {
    /// Least width and height in points, as in Apple's Human Interface Guidelines.
    static let least: CGFloat = 44
  }
#endif
