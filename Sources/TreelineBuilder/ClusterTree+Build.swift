import Treeline

extension ClusterTree {
  /// Builds the tree over some coordinates; their row numbers count from 0.
  ///
  /// The tree is a function of the set of coordinates: their order, the number of threads and the build of LAPACK
  /// change nothing but row numbers.
  ///
  /// ```swift
  /// let tree = try ClusterTree([Coordinate(longitude: 2.35, latitude: 48.86)])
  /// ```
  ///
  /// - Parameters:
  ///   - coordinates: Longitudes from -180 to 180 and latitudes from -90 to 90, in degrees; or plain x and y.
  ///   - projection: Which of the two.
  ///   - options: How to build.
  ///   - progress: Called on the threads that build, never by two at once, at most once for each percent.
  /// - Throws: `BuildError`
  /// - Complexity: O(n log n) time for all but adversarial data, about 45 bytes a point of memory while building;
  ///   with separations some 100 more than the tree itself takes.
  public init(
    _ coordinates: [Coordinate], as projection: Plane.Projection = .webMercator, options: BuildOptions = BuildOptions(),
    progress: (@Sendable (BuildProgress) -> Void)? = nil
  ) throws(BuildError) {
    try self.init(
      TreeBuild(
        coordinates: coordinates, projection: projection, options: options,
        monitor: BuildMonitor(pointCount: coordinates.count, report: progress)))
  }

  /// Builds a tree in which points share a cluster only with others of their group: one hierarchy for each, on one
  /// plane. See `ClusterTree.groups`.
  ///
  /// ```swift
  /// let kinds = try PointGroups(hotels.map { .named($0.kind) })
  /// let tree = try ClusterTree(hotels.map(\.coordinate), groupedBy: kinds)
  /// ```
  ///
  /// - Parameters:
  ///   - coordinates: As of the other `init`.
  ///   - groups: The group of each, in their order.
  ///   - projection: As of the other `init`.
  ///   - options: How to build each.
  ///   - progress: Called once a group is built; separations are part of a group's building.
  /// - Throws: `BuildError`
  /// - Precondition: There are as many groups as coordinates.
  public init(
    _ coordinates: [Coordinate], groupedBy groups: PointGroups, as projection: Plane.Projection = .webMercator,
    options: BuildOptions = BuildOptions(), progress: (@Sendable (BuildProgress) -> Void)? = nil
  ) throws(BuildError) {
    try self.init(
      TreeBuild(
        coordinates: coordinates, projection: projection, options: options, groups: groups,
        monitor: BuildMonitor(pointCount: coordinates.count, report: progress)))
  }

  /// For tests of the levels below which boxes are halved.
  ///
  /// - Parameter principalLevels: at most 900.
  package init(
    _ coordinates: [Coordinate], as projection: Plane.Projection, options: BuildOptions, principalLevels: Int
  ) throws(BuildError) {
    try self.init(
      TreeBuild(
        coordinates: coordinates, projection: projection, options: options, principalLevels: principalLevels,
        monitor: BuildMonitor(pointCount: coordinates.count)))
  }

  private init(_ build: TreeBuild) throws(BuildError) {
    do throws(BuildFailure) { self = try build.run() } catch .invalid(let error) { throw error } catch {
      preconditionFailure("A build that nobody can cancel was cancelled")
    }
  }

  /// Builds the same tree as `init` without blocking the task that asks for it.
  ///
  /// ```swift
  /// let tree = try await ClusterTree.build(coordinates) { print($0.stage, $0.fraction) }
  /// ```
  ///
  /// Any number of builds and queries may run side by side. A build whose task is cancelled stops within 50 ms and
  /// leaves nothing behind: another thread deallocates its memory.
  ///
  /// - Parameters:
  ///   - coordinates: Longitudes from -180 to 180 and latitudes from -90 to 90, in degrees; or plain x and y.
  ///   - groups: The group of each, in their order, of groups that never mix; nil if all may share a cluster.
  ///   - projection: Which of the two.
  ///   - options: How to build.
  ///   - progress: Called on the threads that build, never by two at once, at most once for each percent.
  /// - Throws: `BuildError`, or `CancellationError` if the task was cancelled.
  /// - Precondition: There are as many groups as coordinates.
  public static func build(
    _ coordinates: [Coordinate], groupedBy groups: PointGroups? = nil, as projection: Plane.Projection = .webMercator,
    options: BuildOptions = BuildOptions(), progress: (@Sendable (BuildProgress) -> Void)? = nil
  ) async throws -> ClusterTree {
    let monitor = BuildMonitor(pointCount: coordinates.count, report: progress)
    let build = TreeBuild(
      coordinates: coordinates, projection: projection, options: options, groups: groups, monitor: monitor)
    return try await withTaskCancellationHandler {
      try Task.checkCancellation()
      return try await withCheckedThrowingContinuation { continuation in
        asynchronously {
          do throws(BuildFailure) { continuation.resume(returning: try build.run()) } catch .invalid(let error) {
            continuation.resume(throwing: error)
          } catch { continuation.resume(throwing: CancellationError()) }
        }
      }
    } onCancel: {
      monitor.cancel()
    }
  }
}

extension ClusterMap {
  /// Builds the tree over your own values, given in any order.
  ///
  /// ```swift
  /// let hotels = try ClusterMap(allHotels, at: \.coordinate)
  /// let stops = try ClusterMap(allStops) { Coordinate(longitude: $0.lng, latitude: $0.lat) }
  /// let byKind = try ClusterMap(
  ///   allHotels, at: \.coordinate, groupedBy: PointGroups(allHotels.map { .named($0.kind) }))
  /// ```
  ///
  /// - Parameters:
  ///   - values: Your own, of any type.
  ///   - projection: Whether coordinates are longitudes and latitudes or plain x and y.
  ///   - options: By default whatever can be asked for is computed, as `treeline build` does: separations too, which
  ///     take several times as long as the rest.
  ///   - coordinate: Where a value is; a key path will do.
  ///   - groups: The group of each value, of groups that never mix; nil if all may share a cluster.
  ///   - columns: Properties that can be filtered and summed; see ``MapColumn``.
  /// - Throws: `BuildError`, `ColumnError`, or what `coordinate` throws.
  /// - Precondition: There are as many groups as values.
  public init(
    _ values: [Value], as projection: Plane.Projection = .webMercator,
    options: BuildOptions = BuildOptions(computesSeparations: true),
    at coordinate: (Value) throws -> Coordinate, groupedBy groups: PointGroups? = nil,
    columns: MapColumn<Value>...
  ) throws {
    let coordinates = try values.map(coordinate)
    let tree =
      if let groups {
        try ClusterTree(coordinates, groupedBy: groups, as: projection, options: options)
      } else {
        try ClusterTree(coordinates, as: projection, options: options)
      }
    try self.init(values, on: tree, adding: columns)
  }

  /// Builds the same map as `init` without blocking the task that asks for it.
  ///
  /// ```swift
  /// let hotels = try await ClusterMap.build(allHotels, at: \.coordinate) { print($0.stage, $0.fraction) }
  /// ```
  ///
  /// - Parameters:
  ///   - values: Your own, of any type.
  ///   - projection: Whether coordinates are longitudes and latitudes or plain x and y.
  ///   - options: As of `init`.
  ///   - coordinate: Where a value is; called for all of them before the build begins.
  ///   - groups: As of `init`.
  ///   - columns: As of `init`; they are encoded once there is a tree, on the task itself.
  ///   - progress: As of `ClusterTree.build`.
  /// - Throws: `BuildError`, `ColumnError`, what `coordinate` throws, or `CancellationError` if the task was cancelled.
  /// - Precondition: There are as many groups as values.
  public static func build(
    _ values: [Value], as projection: Plane.Projection = .webMercator,
    options: BuildOptions = BuildOptions(computesSeparations: true), at coordinate: (Value) throws -> Coordinate,
    groupedBy groups: PointGroups? = nil, columns: MapColumn<Value>...,
    progress: (@Sendable (BuildProgress) -> Void)? = nil
  ) async throws -> ClusterMap {
    let tree = try await ClusterTree.build(
      values.map(coordinate), groupedBy: groups, as: projection, options: options, progress: progress)
    do { return try ClusterMap(values, on: tree, adding: columns, progress: progress) } catch ColumnError.cancelled {
      throw CancellationError()
    }
  }
}
