/// A position on the fixed-point plane: x grows eastwards from the plane's seam, y grows southwards.
///
/// One unit is 2^-32 of the plane's side: at most 0.93 cm on the Earth, one pixel at zoom 24.
public struct PlanePoint: Hashable, Sendable {
  public var x: UInt32
  public var y: UInt32

  @inlinable public init(x: UInt32, y: UInt32) { (self.x, self.y) = (x, y) }
}

/// The smallest box around some points of the plane, all four edges inclusive. It never crosses the seam.
public struct PlaneRect: Hashable, Sendable {
  public var minX: UInt32
  public var minY: UInt32
  public var maxX: UInt32
  public var maxY: UInt32

  @inlinable public init(minX: UInt32, minY: UInt32, maxX: UInt32, maxY: UInt32) {
    (self.minX, self.minY, self.maxX, self.maxY) = (minX, minY, maxX, maxY)
  }

  /// The box of one point.
  @inlinable public init(_ point: PlanePoint) { self.init(minX: point.x, minY: point.y, maxX: point.x, maxY: point.y) }

  // Modulo 2^32, so that a box which a damaged index has inside out traps nowhere.
  @inlinable public var width: UInt32 { maxX &- minX }
  @inlinable public var height: UInt32 { maxY &- minY }

  /// Whether the box holds one position only.
  @inlinable public var isPoint: Bool { minX == maxX && minY == maxY }

  @inlinable package mutating func formUnion(_ point: PlanePoint) {
    minX = min(minX, point.x)
    minY = min(minY, point.y)
    maxX = max(maxX, point.x)
    maxY = max(maxY, point.y)
  }

  /// The smallest box around both.
  @inlinable package func union(_ other: PlaneRect) -> PlaneRect {
    PlaneRect(
      minX: min(minX, other.minX), minY: min(minY, other.minY), maxX: max(maxX, other.maxX), maxY: max(maxY, other.maxY)
    )
  }

  @inlinable package func contains(_ point: PlanePoint) -> Bool {
    minX <= point.x && point.x <= maxX && minY <= point.y && point.y <= maxY
  }
}
