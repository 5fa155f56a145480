import Treeline

/// A summary of all points: their number and their extent. A build needs the survey before it can project the points.
/// The same set of points always gives the same survey. Different machines may survey different parts of the points,
/// and the surveys can be added up in any order.
public struct PointSurvey: Sendable {
  /// Projection of the coordinates.
  public let projection: Plane.Projection
  /// Number of points, at most 2^31.
  public private(set) var pointCount = 0
  /// Number of points whose latitude is beyond the limit of Web Mercator. These points are moved to the edge of the
  /// map.
  public private(set) var clippedPointCount = 0
  private var gaps: LongitudeGaps
  private var extent: CoordinateExtent?

  /// Makes a survey without points.
  public init(projection: Plane.Projection) {
    self.projection = projection
    gaps = LongitudeGaps()
  }

  /// Adds some points.
  ///
  /// - Parameters:
  ///   - coordinates: Coordinates that have not been projected.
  ///   - firstRow: Row number of the first point, for errors.
  /// - Throws: `PieceError.invalid` for coordinates outside the map, and for more than 2^31 points. If the error is
  ///   thrown, none of the points is added.
  public mutating func add(_ coordinates: [Coordinate], firstRow: Int = 0) throws {
    try coordinates.withUnsafeBufferPointer { coordinates throws(PieceError) in
      try add(coordinates, firstRow: firstRow)
    }
  }

  /// Returns whether the surveyed points may include a point with this coordinate. If not, the coordinate has no
  /// position on the plane.
  package func mayHold(_ coordinate: Coordinate) -> Bool {
    switch projection {
    case .webMercator: true
    case .planar: extent?.contains(coordinate) ?? false
    }
  }

  mutating func add(_ coordinates: UnsafeBufferPointer<Coordinate>, firstRow: Int = 0) throws(PieceError) {
    try check(coordinates, firstRow: firstRow, after: pointCount)
    switch projection {
    case .webMercator:
      let uncut = Plane.webMercator()
      for coordinate in coordinates { add(coordinate, at: uncut.point(at: coordinate)) }
    case .planar: extent = CoordinateExtent(coordinates).map { extent?.union($0) ?? $0 } ?? extent
    }
    pointCount += coordinates.count
  }

  /// Adds points on Web Mercator, and writes their positions to `points`. All threads project points at the same time.
  /// The projection cuts the world open at longitude -180.
  mutating func add(
    _ coordinates: UnsafeBufferPointer<Coordinate>, firstRow: Int, threads: Int,
    projectedTo points: UnsafeMutableBufferPointer<PlanePoint>
  ) throws(PieceError) {
    try check(coordinates, firstRow: firstRow, after: pointCount)
    nonisolated(unsafe) let (shared, target) = (coordinates, points)
    let uncut = Plane.webMercator()
    _ = inChunks(of: coordinates.count, threads: threads) { chunk in
      for index in chunk { target[index] = uncut.point(at: shared[index]) }
    }
    for index in coordinates.indices { add(coordinates[index], at: points[index]) }
    pointCount += coordinates.count
  }

  /// Checks that coordinates are valid, and that there are not too many points.
  ///
  /// - Parameter earlierCount: Number of points before these points.
  func check(_ coordinates: [Coordinate], after earlierCount: Int) throws(PieceError) {
    try coordinates.withUnsafeBufferPointer { coordinates throws(PieceError) in
      try check(coordinates, firstRow: earlierCount, after: earlierCount)
    }
  }

  private func check(
    _ coordinates: UnsafeBufferPointer<Coordinate>, firstRow: Int, after earlierCount: Int
  ) throws(PieceError) {
    for (offset, coordinate) in coordinates.enumerated() where !projection.holds(coordinate) {
      throw .invalid(.invalidCoordinate(row: firstRow + offset, found: coordinate, projection: projection))
    }
    let count = earlierCount + coordinates.count
    guard count <= IndexHeader.maximumPointCount else { throw .invalid(.tooManyPoints(found: count)) }
  }

  private mutating func add(_ coordinate: Coordinate, at point: PlanePoint) {
    gaps.add(point.x)
    clippedPointCount += Plane.isClipped(coordinate) ? 1 : 0
  }

  /// Adds the points of another survey.
  ///
  /// - Complexity: about 65,000 steps, independent of the number of points.
  public mutating func add(_ other: PointSurvey) {
    precondition(projection == other.projection, "The two surveys have different projections")
    pointCount += other.pointCount
    clippedPointCount += other.clippedPointCount
    gaps = gaps.merged(with: other.gaps)
    extent = other.extent.map { extent?.union($0) ?? $0 } ?? extent
  }

  /// The plane on which all surveyed points lie. The method `point(at:)` of the plane projects coordinates.
  public var plane: Plane {
    switch projection {
    case .webMercator: .webMercator(seam: gaps.seam)
    case .planar: extent?.square ?? .planar(left: 0, top: 0, side: 0)
    }
  }
}

extension PointSurvey: BinaryCodable {
  package func write(to bytes: inout PlainBytes) {
    bytes.append(projection.rawValue)
    bytes.append(UInt64(pointCount))
    bytes.append(UInt64(clippedPointCount))
    switch projection {
    case .webMercator: bytes.append(gaps)
    case .planar: bytes.append(extent.map { [$0] } ?? [])
    }
  }

  package init(from bytes: inout PlainBytes) throws(PieceError) {
    let raw = try bytes.read(UInt32.self)
    guard let projection = Plane.Projection(rawValue: raw) else {
      throw .damaged(what: "a survey", expected: "a projection", found: "number \(raw)")
    }
    self.init(projection: projection)
    let (count, clipped) = (try bytes.read(UInt64.self), try bytes.read(UInt64.self))
    guard count <= IndexHeader.maximumPointCount, clipped <= count else {
      throw .damaged(what: "a survey", expected: "at most 2^31 points", found: "\(count), \(clipped) of them clipped")
    }
    (pointCount, clippedPointCount) = (Int(count), Int(clipped))
    switch projection {
    case .webMercator: gaps = try LongitudeGaps(from: &bytes)
    case .planar:
      extent = try bytes.readArray(of: CoordinateExtent.self).first
      guard extent?.isSound ?? true else {
        throw .damaged(what: "a survey", expected: "an extent of finite numbers", found: "an invalid extent")
      }
    }
    let isEmpty = projection == .planar ? extent == nil : gaps.isEmpty
    guard isEmpty == (pointCount == 0) else {
      throw .damaged(
        what: "a survey", expected: "an extent of \(pointCount) points", found: isEmpty ? "no extent" : "an extent")
    }
  }
}

/// The extent of plain x and y coordinates.
struct CoordinateExtent: BitwiseCopyable, Sendable {
  private var left: Double
  private var right: Double
  private var bottom: Double
  private var top: Double

  /// Computes the extent; nil if there are no coordinates.
  init?(_ coordinates: UnsafeBufferPointer<Coordinate>) {
    guard let first = coordinates.first else { return nil }
    (left, right, bottom, top) = (first.x, first.x, first.y, first.y)
    for coordinate in coordinates {
      left = min(left, coordinate.x)
      right = max(right, coordinate.x)
      bottom = min(bottom, coordinate.y)
      top = max(top, coordinate.y)
    }
  }

  func contains(_ coordinate: Coordinate) -> Bool {
    left <= coordinate.x && coordinate.x <= right && bottom <= coordinate.y && coordinate.y <= top
  }

  /// Whether a coordinate lies on an edge of the extent. The coordinate must be within the extent.
  func isOnEdge(_ coordinate: Coordinate) -> Bool {
    coordinate.x == left || coordinate.x == right || coordinate.y == bottom || coordinate.y == top
  }

  var isSound: Bool {
    let most = BuildError.maximumMagnitude
    return -most <= left && left <= right && right <= most && -most <= bottom && bottom <= top && top <= most
  }

  func union(_ other: CoordinateExtent) -> CoordinateExtent {
    var union = self
    union.left = min(left, other.left)
    union.right = max(right, other.right)
    union.bottom = min(bottom, other.bottom)
    union.top = max(top, other.top)
    return union
  }

  /// The square plane that contains the extent.
  var square: Plane {
    // Adding 0 turns -0 into 0. So the result does not depend on which of the two zeros the points contain.
    .planar(left: left + 0, top: top + 0, side: max(right - left, top - bottom))
  }
}
