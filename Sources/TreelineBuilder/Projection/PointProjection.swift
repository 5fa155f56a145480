import Treeline

/// Chooses the plane, and projects coordinates onto the plane. For longitudes and latitudes, the plane is the world,
/// cut open in the widest range of longitudes without points. For plain x and y, the plane is the square around the
/// points.
struct PointProjection {
  let plane: Plane
  let clippedPointCount: Int

  /// Writes the position of every coordinate to `points`.
  ///
  /// - Throws: `BuildError.invalidCoordinate` for the first coordinate that is out of range.
  init(
    _ coordinates: UnsafeBufferPointer<Coordinate>, as projection: Plane.Projection,
    to points: UnsafeMutablePointer<PlanePoint>, threads: Int, _ monitor: BuildMonitor
  ) throws(BuildFailure) {
    if let row = Self.firstInvalid(coordinates, projection, threads, monitor) {
      throw .invalid(.invalidCoordinate(row: row, found: coordinates[row], projection: projection))
    }
    nonisolated(unsafe) let (coordinates, points) = (coordinates, points)
    switch projection {
    case .webMercator:
      let uncut = Plane.webMercator()
      let chunks = inChunks(of: coordinates.count, threads: threads) { range in
        var gaps = LongitudeGaps()
        var clipped = 0
        for block in range.blocks(of: BuildMonitor.blockSize / 8) where !monitor.isCancelled {
          for row in block {
            let point = uncut.point(at: coordinates[row])
            gaps.add(point.x)
            clipped += Plane.isClipped(coordinates[row]) ? 1 : 0
            points[row] = point
          }
          monitor.advance(.projecting, by: block.count)
        }
        return (gaps: gaps, clipped: clipped)
      }
      let seam = chunks.dropFirst().reduce(chunks[0].gaps) { $0.merged(with: $1.gaps) }.seam
      _ = inChunks(of: coordinates.count, threads: threads) { range in
        monitor.pass(over: range) { for row in $0 { points[row].x &-= seam } }
      }
      plane = .webMercator(seam: seam)
      clippedPointCount = chunks.reduce(0) { $0 + $1.clipped }
    case .planar:
      let plane = Self.square(around: coordinates, monitor)
      _ = inChunks(of: coordinates.count, threads: threads) { range in
        monitor.pass(over: range) { block in
          for row in block { points[row] = plane.point(at: coordinates[row]) }
          monitor.advance(.projecting, by: block.count)
        }
      }
      self.plane = plane
      clippedPointCount = 0
    }
  }

  private static func firstInvalid(
    _ coordinates: UnsafeBufferPointer<Coordinate>, _ projection: Plane.Projection, _ threads: Int,
    _ monitor: BuildMonitor
  ) -> Int? {
    nonisolated(unsafe) let coordinates = coordinates
    return inChunks(of: coordinates.count, threads: threads) { range in
      var first: Int?
      monitor.pass(over: range) { block in
        if first != nil { return }
        first = block.first { !projection.holds(coordinates[$0]) }
      }
      return first
    }.lazy.compactMap { $0 }.first
  }

  private static func square(around coordinates: UnsafeBufferPointer<Coordinate>, _ monitor: BuildMonitor) -> Plane {
    var extent: CoordinateExtent?
    monitor.pass(over: coordinates.indices) { block in
      let part = CoordinateExtent(UnsafeBufferPointer(rebasing: coordinates[block]))
      extent = part.map { extent?.union($0) ?? $0 }
    }
    return extent?.square ?? .planar(left: 0, top: 0, side: 0)
  }
}

extension Plane.Projection {
  /// Whether a coordinate is valid in this projection.
  @inline(__always) package func holds(_ coordinate: Coordinate) -> Bool {
    let (width, height) =
      self == .webMercator ? (180, 90) : (BuildError.maximumMagnitude, BuildError.maximumMagnitude)
    // NaN fails every comparison.
    return abs(coordinate.longitude) <= width && abs(coordinate.latitude) <= height
  }
}

extension Plane {
  /// Whether the latitude of a point is beyond the limit of Web Mercator. Such a point is moved to the edge of the
  /// map.
  @inline(__always) static func isClipped(_ coordinate: Coordinate) -> Bool {
    abs(coordinate.latitude) > maximumLatitude
  }
}

/// Finds the widest range of longitudes without a point, in one pass and with little memory.
///
/// The circle is cut into 65,536 bins of 0.0055 degrees. Each bin stores the least and the greatest position of its
/// points. So a gap across the edge of a bin is measured exactly, but a gap inside a bin is not found. The same set of
/// points always gives the same result.
struct LongitudeGaps: Sendable {
  private static let binBits: UInt32 = 16

  private var least = ContiguousArray<UInt32>(repeating: .max, count: 1 << binBits)
  private var greatest = ContiguousArray<UInt32>(repeating: 0, count: 1 << binBits)

  @inline(__always) mutating func add(_ x: UInt32) {
    let bin = Int(x >> (32 - Self.binBits))
    least[bin] = min(least[bin], x)
    greatest[bin] = max(greatest[bin], x)
  }

  func merged(with other: LongitudeGaps) -> LongitudeGaps {
    var merged = self
    for bin in merged.least.indices {
      merged.least[bin] = min(least[bin], other.least[bin])
      merged.greatest[bin] = max(greatest[bin], other.greatest[bin])
    }
    return merged
  }

  /// Returns the least and the greatest position of the points in the bin that contains `x`. If the bin is empty, the
  /// first number is greater than the second.
  func range(inBinOf x: UInt32) -> (least: UInt32, greatest: UInt32) {
    let bin = Int(x >> (32 - Self.binBits))
    return (least[bin], greatest[bin])
  }

  /// Empties the bin that contains `x`. Returns the first position of the bin, and the offset from the first to the
  /// last position of the bin.
  mutating func removeBin(of x: UInt32) -> (start: UInt32, width: UInt32) {
    let bin = x >> (32 - Self.binBits)
    (least[Int(bin)], greatest[Int(bin)]) = (.max, 0)
    return (bin << (32 - Self.binBits), 1 << (32 - Self.binBits) - 1)
  }

  /// Whether no bin contains a point.
  var isEmpty: Bool { !least.indices.contains { least[$0] <= greatest[$0] } }

  /// The position of the first point after the widest gap. A gap is a range of longitudes without points. If several
  /// gaps are equally wide, the first gap is used. The position is 0 if there are no points.
  var seam: UInt32 {
    let occupied = least.indices.filter { least[$0] <= greatest[$0] }
    guard let last = occupied.last else { return 0 }
    var end = greatest[last]
    var widest: UInt32 = 0
    var seam = least[occupied[0]]
    for bin in occupied {
      // The gap before the first point begins at the last point and extends across longitude 180. So the length of a
      // gap is computed modulo 2^32.
      let gap = least[bin] &- end
      if gap > widest {
        widest = gap
        seam = least[bin]
      }
      end = greatest[bin]
    }
    return seam
  }
}

extension LongitudeGaps: BinaryCodable {
  func write(to bytes: inout PlainBytes) {
    let occupied = least.indices.filter { least[$0] <= greatest[$0] }
    bytes.append(occupied.map { Occupied(least: least[$0], greatest: greatest[$0]) })
  }

  init(from bytes: inout PlainBytes) throws(PieceError) {
    for bin in try bytes.readArray(of: Occupied.self) {
      add(bin.least)
      add(bin.greatest)
    }
  }

  /// The least and the greatest position of the points in a bin.
  private struct Occupied: BitwiseCopyable {
    let least: UInt32
    let greatest: UInt32
  }
}
