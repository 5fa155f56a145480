import Treeline

extension ClusterTree {
  /// Builds the tree over some places; row numbers count them from 0.
  ///
  /// A function of the set of places: the order of the input, the number of threads and the build of LAPACK change
  /// nothing but row numbers.
  ///
  /// ```swift
  /// let tree = try ClusterTree([Coordinate(longitude: 2.35, latitude: 48.86)])
  /// ```
  ///
  /// - Parameters:
  ///   - places: Longitudes from -180 to 180 and latitudes from -90 to 90, in degrees; or plain x and y.
  ///   - projection: Which of the two.
  ///   - options: How to build.
  /// - Throws: `BuildError`
  /// - Complexity: O(n log n) time for all but adversarial data, about 45 bytes a point of memory while building.
  public init(
    _ places: [Coordinate], as projection: Plane.Projection = .webMercator,
    options: BuildOptions = BuildOptions()
  ) throws(BuildError) {
    try self.init(places, as: projection, options: options, principalLevels: TreeStorage.principalLevels)
  }

  /// - Parameter principalLevels: at most 900.
  package init(
    _ places: [Coordinate], as projection: Plane.Projection, options: BuildOptions, principalLevels: Int
  ) throws(BuildError) {
    guard places.count <= BuildError.maximumPointCount else { throw .tooManyPoints(found: places.count) }
    let memory = BuildMemory(pointCount: places.count)
    let projected: PointProjection
    do throws(BuildError) {
      projected = try places.withUnsafeBufferPointer { places throws(BuildError) in
        try PointProjection(places, as: projection, to: memory.arrays.points, threads: options.threads)
      }
    } catch {
      memory.free()
      throw error
    }
    for row in places.indices { memory.arrays.rows[row] = UInt32(row) }
    let splitter = Splitter(arrays: memory.arrays, principalLevels: principalLevels)
    let nodes =
      places.isEmpty
      ? NodeArrays() : TreeBuilder(splitter, threads: options.threads).build(pointCount: places.count)
    self.init(
      storage: memory.finish(nodes), plane: projected.plane, clippedPointCount: projected.clippedPointCount,
      splitRule: .mean)
  }
}
