/// A cluster as any method shows it in a view. Measures and pictures know nothing else about a method.
public struct ShownCluster: Sendable {
  /// Where its badge is centred, in pixels of the view; may lie off the picture where its points reach beyond it.
  public let position: PixelPoint

  /// How many points it says it stands for, inside the view and outside; 1 or more.
  public let pointCount: Int

  /// What its points cover, if the method knows.
  public let extent: Extent?

  /// The places of its points in tree order, in any order.
  public let places: @Sendable () -> [Int]

  /// What is drawn behind a badge, in pixels of the view.
  public enum Extent: Hashable, Sendable {
    /// The one-sigma ellipse; `angle` is that of the longer axis in degrees, clockwise from the x axis.
    case ellipse(semiMajor: Double, semiMinor: Double, angle: Double)
    case box(x: Double, y: Double, width: Double, height: Double)
  }

  public init(
    at position: PixelPoint, pointCount: Int, extent: Extent? = nil, places: @escaping @Sendable () -> [Int]
  ) {
    self.position = position
    self.pointCount = pointCount
    self.extent = extent
    self.places = places
  }
}
