import Treeline

/// Brings places onto the plane, which it chooses: cut open along the widest empty gap of longitude, or the bounding
/// square of plain coordinates.
struct PointProjection {
  let plane: Plane
  let clippedPointCount: Int

  /// Writes the position of every place to `points`.
  ///
  /// - Throws: `BuildError.invalidCoordinate` for the first place that is none.
  init(
    _ places: UnsafeBufferPointer<Coordinate>, as projection: Plane.Projection,
    to points: UnsafeMutablePointer<PlanePoint>, threads: Int, _ monitor: BuildMonitor
  ) throws(BuildFailure) {
    if let row = Self.firstInvalid(places, projection, threads, monitor) {
      throw .invalid(.invalidCoordinate(row: row, found: places[row], projection: projection))
    }
    nonisolated(unsafe) let (places, points) = (places, points)
    switch projection {
    case .webMercator:
      let uncut = Plane.webMercator()
      let chunks = inChunks(of: places.count, threads: threads) { range in
        var gaps = LongitudeGaps()
        var clipped = 0
        for block in range.blocks(of: BuildMonitor.blockSize / 8) where !monitor.isCancelled {
          for row in block {
            let point = uncut.point(at: places[row])
            gaps.add(point.x)
            clipped += abs(places[row].latitude) > Plane.maximumLatitude ? 1 : 0
            points[row] = point
          }
          monitor.advance(.projecting, by: block.count)
        }
        return (gaps: gaps, clipped: clipped)
      }
      let seam = chunks.dropFirst().reduce(chunks[0].gaps) { $0.merged(with: $1.gaps) }.seam
      _ = inChunks(of: places.count, threads: threads) { range in
        monitor.pass(over: range) { for row in $0 { points[row].x &-= seam } }
      }
      plane = .webMercator(seam: seam)
      clippedPointCount = chunks.reduce(0) { $0 + $1.clipped }
    case .planar:
      let plane = Self.square(around: places, monitor)
      _ = inChunks(of: places.count, threads: threads) { range in
        monitor.pass(over: range) { block in
          for row in block { points[row] = plane.point(at: places[row]) }
          monitor.advance(.projecting, by: block.count)
        }
      }
      self.plane = plane
      clippedPointCount = 0
    }
  }

  private static func firstInvalid(
    _ places: UnsafeBufferPointer<Coordinate>, _ projection: Plane.Projection, _ threads: Int,
    _ monitor: BuildMonitor
  ) -> Int? {
    let (width, height) =
      projection == .webMercator ? (180, 90) : (BuildError.maximumMagnitude, BuildError.maximumMagnitude)
    nonisolated(unsafe) let places = places
    // NaN fails every comparison.
    return inChunks(of: places.count, threads: threads) { range in
      var first: Int?
      monitor.pass(over: range) { block in
        if first != nil { return }
        first = block.first { !(abs(places[$0].longitude) <= width && abs(places[$0].latitude) <= height) }
      }
      return first
    }.lazy.compactMap { $0 }.first
  }

  private static func square(
    around places: UnsafeBufferPointer<Coordinate>, _ monitor: BuildMonitor
  ) -> Plane {
    guard let first = places.first else { return .planar(left: 0, top: 0, side: 0) }
    var (left, right, bottom, top) = (first.x, first.x, first.y, first.y)
    monitor.pass(over: places.indices) { block in
      for place in places[block] {
        left = min(left, place.x)
        right = max(right, place.x)
        bottom = min(bottom, place.y)
        top = max(top, place.y)
      }
    }
    // Which zero comes first must not matter: adding 0 makes -0 the other.
    return .planar(left: left + 0, top: top + 0, side: max(right - left, top - bottom))
  }
}
