import Treeline

extension ClusterTree {
  /// Builds the tree over some coordinates. Row numbers count the coordinates from 0.
  ///
  /// The same set of coordinates always gives the same tree. The order of the coordinates changes only row numbers.
  /// The number of threads and the choice of the LAPACK library do not change the tree.
  ///
  /// ```swift
  /// let tree = try ClusterTree([Coordinate(longitude: 2.35, latitude: 48.86)])
  /// ```
  ///
  /// - Parameters:
  ///   - coordinates: Longitudes from -180 to 180 and latitudes from -90 to 90, in degrees, or plain x and y.
  ///   - projection: Whether coordinates are longitudes and latitudes or plain x and y.
  ///   - options: Options of the build.
  ///   - progress: Called on the threads that build the tree. Called by one thread at a time, and at most once for
  ///     each percent of a stage.
  /// - Throws: `BuildError`
  /// - Complexity: O(n log n) time except for adversarial data. A build takes about 50 bytes of memory per point: 16
  ///   for the coordinates and 35 for the tree. A build by merging takes up to 240 bytes per point in total.
  public init(
    _ coordinates: [Coordinate], as projection: Plane.Projection = .webMercator, options: BuildOptions = BuildOptions(),
    progress: (@Sendable (BuildProgress) -> Void)? = nil
  ) throws {
    self = try Self.build(
      coordinates, groupedBy: nil, as: projection, options: options, cancellation: BuildCancellation(),
      progress: progress)
  }

  /// Builds a tree in which only points of the same group share a cluster. Each group has its own hierarchy. All
  /// hierarchies are on one plane. See `ClusterTree.groups`.
  ///
  /// ```swift
  /// let kinds = try PointGroups(allHotels.map { .named($0.kind.rawValue) })
  /// let tree = try ClusterTree(allHotels.map(\.coordinate), groupedBy: kinds)
  /// ```
  ///
  /// - Parameters:
  ///   - coordinates: As in the other `init`.
  ///   - groups: The group of each coordinate, in the same order.
  ///   - projection: As in the other `init`.
  ///   - options: Options for building the tree of each group.
  ///   - progress: Called each time a group's tree is complete.
  /// - Precondition: `groups` has one entry for each coordinate.
  public init(
    _ coordinates: [Coordinate], groupedBy groups: PointGroups, as projection: Plane.Projection = .webMercator,
    options: BuildOptions = BuildOptions(), progress: (@Sendable (BuildProgress) -> Void)? = nil
  ) throws {
    self = try Self.build(
      coordinates, groupedBy: groups, as: projection, options: options, cancellation: BuildCancellation(),
      progress: progress)
  }

  /// Builds the same tree as `init` without blocking the calling task.
  ///
  /// ```swift
  /// let tree = try await ClusterTree.build(coordinates) { print($0.stage, $0.fraction) }
  /// ```
  ///
  /// Any number of builds and queries may run at the same time. If the task of a build is cancelled, the build stops
  /// within 50 ms. Another thread then deallocates the memory of the build.
  ///
  /// - Parameters:
  ///   - coordinates: Longitudes from -180 to 180 and latitudes from -90 to 90, in degrees, or plain x and y.
  ///   - groups: The group of each coordinate, in the same order. Points of different groups never share a cluster.
  ///     Nil if all points may share a cluster.
  ///   - projection: Whether coordinates are longitudes and latitudes or plain x and y.
  ///   - options: Options of the build.
  ///   - progress: Called on the threads that build the tree. Called by one thread at a time, and at most once for
  ///     each percent of a stage.
  /// - Throws: `BuildError`, or `CancellationError` if the task was cancelled.
  /// - Precondition: `groups` has one entry for each coordinate.
  public static func build(
    _ coordinates: [Coordinate], groupedBy groups: PointGroups? = nil, as projection: Plane.Projection = .webMercator,
    options: BuildOptions = BuildOptions(), progress: (@Sendable (BuildProgress) -> Void)? = nil
  ) async throws -> ClusterTree {
    try await BuildCancellation.run { cancellation in
      try build(
        coordinates, groupedBy: groups, as: projection, options: options, cancellation: cancellation,
        progress: progress)
    }
  }
}

extension ClusterMap {
  /// Builds a map of your own values, which may be in any order.
  ///
  /// ```swift
  /// let hotels = try ClusterMap(allHotels, at: \.coordinate)
  /// let stops = try ClusterMap(allStops) { Coordinate(longitude: $0.lng, latitude: $0.lat) }
  /// let byKind = try ClusterMap(
  ///   allHotels, at: \.coordinate, groupedBy: PointGroups(allHotels.map { .named($0.kind.rawValue) }))
  /// ```
  ///
  /// - Parameters:
  ///   - values: Your own values, of any type.
  ///   - coordinate: Returns the coordinate of a value. A key path is possible, too. The map keeps this function for
  ///     `updating(inserting:removing:moving:)`.
  ///   - columns: Properties that can be filtered and summed; see ``MapColumn``.
  ///   - groups: The group of each value, in the same order. Values of different groups never share a cluster. Nil if
  ///     all values may share a cluster.
  ///   - projection: Whether coordinates are longitudes and latitudes or plain x and y.
  ///   - options: Options of the build. By default, the map answers queries with a limit or a detail. The initializer
  ///     with `supporting` builds maps for other queries.
  /// - Throws: `BuildError`, `ColumnError`, or an error that `coordinate` throws.
  /// - Precondition: `groups` has one entry for each value.
  public init(
    _ values: [Value], at coordinate: @escaping @Sendable (Value) throws -> Coordinate, columns: MapColumn<Value>...,
    groupedBy groups: PointGroups? = nil, as projection: Plane.Projection = .webMercator,
    options: BuildOptions = BuildOptions()
  ) throws {
    try self.init(values, at: coordinate, columnList: columns, groupedBy: groups, as: projection, options: options)
  }

  /// Builds a map of your own values. The purpose says which queries the map must answer.
  ///
  /// ```swift
  /// let hotels = try ClusterMap(allHotels, at: \.coordinate, supporting: .spacing)
  /// let shown = try hotels.clusters(.spacing(44), in: view)
  /// ```
  ///
  /// - Parameters:
  ///   - values: Your own values. All parameters except `purpose` have the same meaning as in the other `init`.
  ///   - purpose: The queries that the map is built for. Every map answers queries with a limit or a detail.
  /// - Throws: `BuildError`, `ColumnError`, or an error that `coordinate` throws.
  /// - Precondition: `groups` has one entry for each value.
  public init(
    _ values: [Value], at coordinate: @escaping @Sendable (Value) throws -> Coordinate,
    supporting purpose: BuildPurpose, columns: MapColumn<Value>..., groupedBy groups: PointGroups? = nil,
    as projection: Plane.Projection = .webMercator
  ) throws {
    try self.init(
      values, at: coordinate, columnList: columns, groupedBy: groups, as: projection,
      options: BuildOptions(supporting: purpose))
  }

  /// Builds a map of your own values, with a list of columns that is known only when the program runs. For queries by
  /// spacing, pass `options: BuildOptions(supporting: .spacing)`.
  public init(
    _ values: [Value], at coordinate: @escaping @Sendable (Value) throws -> Coordinate,
    columnList columns: [MapColumn<Value>],
    groupedBy groups: PointGroups? = nil, as projection: Plane.Projection = .webMercator,
    options: BuildOptions = BuildOptions()
  ) throws {
    try self.init(
      values, as: projection, options, at: coordinate, groupedBy: groups, columns, stoppingWith: nil, progress: nil)
  }

  /// - Parameter cancellation: Stops the build. If `cancellation` is nil, cancelling the task stops only the work on
  ///   columns.
  private init(
    _ values: [Value], as projection: Plane.Projection, _ options: BuildOptions,
    at coordinate: @escaping @Sendable (Value) throws -> Coordinate, groupedBy groups: PointGroups?,
    _ columns: [MapColumn<Value>], stoppingWith cancellation: BuildCancellation?,
    progress: (@Sendable (BuildProgress) -> Void)?
  ) throws {
    var coordinates: [Coordinate] = []
    coordinates.reserveCapacity(values.count)
    for block in values.indices.blocks(of: BuildMonitor.valueBlockSize) {
      if cancellation?.isCancelled ?? false { throw CancellationError() }
      for value in values[block] { coordinates.append(try coordinate(value)) }
    }
    let tree = try ClusterTree.build(
      coordinates, groupedBy: groups, as: projection, options: options,
      cancellation: cancellation ?? BuildCancellation(), progress: progress)
    let recipe = MapRecipe(at: coordinate, as: projection, options, isGrouped: groups != nil, columns)
    try self.init(
      values, on: tree.startingLineage(), adding: columns, recipe: recipe, stoppingWith: cancellation,
      progress: progress)
  }

  /// Builds the same map as `init` without blocking the calling task.
  ///
  /// ```swift
  /// let hotels = try await ClusterMap.build(allHotels, at: \.coordinate) { print($0.stage, $0.fraction) }
  /// ```
  ///
  /// All work is done on other threads, so this method can be called from the main actor. If the task is cancelled, the
  /// build stops within 50 ms, even while it encodes columns.
  ///
  /// - Parameters:
  ///   - values: Your own values, of any type.
  ///   - coordinate: Returns the coordinate of a value. Called for all values before the tree is built.
  ///   - columns: As in `init`. The columns are encoded after the tree is built.
  ///   - groups: As in `init`.
  ///   - projection: As in `init`.
  ///   - options: As in `init`.
  ///   - progress: As in `ClusterTree.build`. If there are columns, the last stage is `encoding`.
  /// - Throws: `BuildError`, `ColumnError`, an error that `coordinate` throws, or `CancellationError` if the task was
  ///   cancelled.
  /// - Precondition: `groups` has one entry for each value.
  public static func build(
    _ values: [Value], at coordinate: @escaping @Sendable (Value) throws -> Coordinate, columns: MapColumn<Value>...,
    groupedBy groups: PointGroups? = nil, as projection: Plane.Projection = .webMercator,
    options: BuildOptions = BuildOptions(),
    progress: (@Sendable (BuildProgress) -> Void)? = nil
  ) async throws -> ClusterMap {
    try await build(
      values, at: coordinate, columnList: columns, groupedBy: groups, as: projection, options: options,
      progress: progress)
  }

  /// Builds the same map as `init(_:at:supporting:columns:groupedBy:as:)` without blocking the calling task.
  public static func build(
    _ values: [Value], at coordinate: @escaping @Sendable (Value) throws -> Coordinate,
    supporting purpose: BuildPurpose, columns: MapColumn<Value>..., groupedBy groups: PointGroups? = nil,
    as projection: Plane.Projection = .webMercator, progress: (@Sendable (BuildProgress) -> Void)? = nil
  ) async throws -> ClusterMap {
    try await build(
      values, at: coordinate, columnList: columns, groupedBy: groups, as: projection,
      options: BuildOptions(supporting: purpose), progress: progress)
  }

  /// Builds the same map as `init` with a list of columns, without blocking the calling task.
  public static func build(
    _ values: [Value], at coordinate: @escaping @Sendable (Value) throws -> Coordinate,
    columnList columns: [MapColumn<Value>],
    groupedBy groups: PointGroups? = nil, as projection: Plane.Projection = .webMercator,
    options: BuildOptions = BuildOptions(),
    progress: (@Sendable (BuildProgress) -> Void)? = nil
  ) async throws -> ClusterMap {
    try await BuildCancellation.run { cancellation in
      do {
        return try ClusterMap(
          values, as: projection, options, at: coordinate, groupedBy: groups, columns, stoppingWith: cancellation,
          progress: progress)
      } catch ColumnError.cancelled { throw CancellationError() }
    }
  }
}
