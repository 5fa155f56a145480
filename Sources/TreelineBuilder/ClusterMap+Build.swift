import Treeline

extension ClusterMap {
  /// Builds the tree over your own values.
  ///
  /// ```swift
  /// let hotels = try ClusterMap(allHotels, at: \.coordinate)
  /// let stops = try ClusterMap(allStops) { Coordinate(longitude: $0.lng, latitude: $0.lat) }
  /// ```
  ///
  /// - Parameters:
  ///   - values: In any order.
  ///   - place: Where a value is; a key path will do.
  /// - Throws: `BuildError`, or what `place` throws.
  public init(
    _ values: [Value], as projection: Plane.Projection = .webMercator, options: BuildOptions = BuildOptions(),
    at place: (Value) throws -> Coordinate
  ) throws {
    self.init(tree: try ClusterTree(values.map(place), as: projection, options: options), values: values)
  }
}
