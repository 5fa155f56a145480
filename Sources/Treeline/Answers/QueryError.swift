/// The reason why a query has no answer.
public enum QueryError: Error, Hashable, Sendable {
  /// A limit below 1, which would allow no cluster.
  @_spi(Server) case limitBelowOne(found: Int)
  /// A limit that is too low. Each group in view needs at least one cluster, and each point in view that is never
  /// clustered must be shown.
  case limitBelowGroups(found: Int, needed: Int)
  /// An edge of a box that is not a finite number.
  @_spi(Server) case notFinite(edge: String, found: Double)
  /// A box whose southern edge lies north of its northern edge.
  @_spi(Server) case southAboveNorth(south: Double, north: Double)
  /// A box in plain x and y, with its western edge east of its eastern edge. This is allowed only for a box in
  /// degrees, which may cross the antimeridian.
  @_spi(Server) case westBeyondEast(west: Double, east: Double)
  /// The tree has no such cluster.
  case unknownCluster(ClusterID)
  /// The cluster has no point that passes the filter.
  case noPassingPoint(of: ClusterID)
  /// The tree has no point at this index in tree order.
  @_spi(Server) case unknownPoint(treeIndex: Int, pointCount: Int)
  /// Invalid options for unclustered points: `leastMembers` is below 1, or `fromZoom` is NaN.
  @_spi(Server) case neverUnclustered(UnclusteredPoints)
  /// Two clusters that cannot be in one answer, because they overlap: they are the same cluster, or one lies within the
  /// other.
  @_spi(Server) case overlappingClusters(ClusterID, ClusterID)
  /// A zoom that is not a finite number.
  @_spi(Server) case zoomNotFinite(found: Double)
  /// A number that is not valid as a length in pixels or as the scale of badges. `name` says what the number was given
  /// for, such as `spacing`, `margin`, `width` or `badges`.
  @_spi(Server) case notALength(name: String, found: Double)
  /// The tree does not have the separations that a spacing needs, because it was not built for spacings.
  @_spi(Server) case noSeparations
  /// The tree was grown for badges. So it has the scales at which badges touch, but not the separations that a spacing
  /// needs.
  @_spi(Server) case grownForBadges
  /// The tree was not grown for badges, or has no badge scales.
  @_spi(Server) case noBadges
  /// The query has a length in pixels, but the viewport has no zoom. Without a zoom, the length cannot be converted to
  /// units of the plane. A detail, a spacing, badges and a margin are lengths in pixels.
  @_spi(Server) case noZoom
  /// The query needs a cut with a detail, a spacing or badges, but the cut has only a limit. With only a limit, the
  /// choice of clusters would depend on the viewport.
  @_spi(Server) case notByPixels
  /// The viewport is a map tile, but the points have plain x and y. There are no map tiles without longitudes and
  /// latitudes.
  @_spi(Server) case tileOnPlainPlane
  /// The number of values is less than the number of rows of the tree.
  @_spi(Server) case tooFewValues(expected: Int, found: Int)
  /// A value in row `row` has the coordinate `found`, but the tree has another coordinate for the point in this row.
  /// `expected` is the coordinate in the tree; nil if the tree has no point in this row.
  case differentValue(row: Int, expected: Coordinate?, found: Coordinate)
  /// A property for which a map has no column.
  case unknownProperty(keyPath: String, columns: [String])
  /// A result of an aggregate that cannot be converted to the result type of its ``MapAggregate``. `isRoundedInteger`
  /// says whether the result is a whole number that the column stores only as the nearest double.
  @_spi(Server) case unsuitedValue(keyPath: String, type: String, found: String, isRoundedInteger: Bool = false)
  /// A viewport whose center is not finite or lies beyond a pole.
  @_spi(Server) case notACoordinate(found: Coordinate, projection: Plane.Projection)
  /// The zoom of a viewport is so low that its edges are not finite numbers.
  @_spi(Server) case viewportTooLarge(zoom: Double)
}

extension QueryError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .limitBelowOne(let found): "expected a limit of 1 or more clusters, found \(found)"
    case .limitBelowGroups(let found, let needed):
      "expected a limit of \(needed) or more clusters, found \(found); "
        + "each group in view needs its own cluster, and so does each point in view that is never clustered"
    case .notFinite(let edge, let found): "expected a finite number as the \(edge) edge of the box, found \(found)"
    case .southAboveNorth(let south, let north):
      "expected the south edge of the box at or below its north edge, "
        + "found south \(ParameterValue.text(south)) and north \(ParameterValue.text(north))"
    case .westBeyondEast(let west, let east):
      "expected the west edge of the box at or before its east edge, "
        + "found west \(ParameterValue.text(west)) and east \(ParameterValue.text(east)); "
        + "plain x and y do not wrap around like longitudes"
    case .zoomNotFinite(let found): "expected a finite number as the zoom, found \(found)"
    case .notALength(let name, let found):
      (name == "badges"
        ? "expected a finite badge scale of 0 or more"
        : "expected a finite \(name) \(["width", "height"].contains(name) ? "above 0 pixels" : "of 0 or more pixels")")
        + ", found \(ParameterValue.text(found))"
    case .grownForBadges:
      "a spacing needs a tree with separations, found a tree that was grown for badges, without separations; "
        + "use badges instead, or build the tree again for spacings, with 'supporting: .spacing' or '--for spacing'"
    case .noSeparations:
      "a spacing needs a tree with separations, found a tree without separations; "
        + "build the tree again for spacings, with 'supporting: .spacing' or '--for spacing'"
    case .noBadges:
      "badges need a tree with badge scales, found a tree without badge scales; "
        + "build the tree again for badges, with 'supporting: .badges()' or '--for badges'"
    case .noZoom:
      (PixelCriterion.allCases.map { $0 == .badges ? "badges" : "a \($0.rawValue)" } + ["a margin"]).listed("and")
        + " are in pixels and need a viewport with a zoom, found a viewport without a zoom"
    case .notByPixels:
      "expected a cut by \(PixelCriterion.list { $0 }), found a cut by limit, whose clusters depend on the viewport"
    case .tileOnPlainPlane:
      "expected a box, a center or the whole map as the viewport, found a map tile; a map of plain x and y has no tiles"
    case .tooFewValues(let expected, let found):
      "expected a value for each of the \(expected) rows of the tree, found only \(found) values; "
        + "pass the values from which the tree was built, in the same order"
    case .differentValue(let row, let expected, let found):
      (expected.map { "expected the value of row \(row) at \(Self.text($0))" }
        ?? "expected no value for row \(row), because the tree has no point in this row")
        + ", found \(Self.text(found)); "
        + "pass the values from which the tree was built, in the same order, or build a new tree from the new values"
    case .unknownProperty(let keyPath, let columns):
      "the map has no column for the property \(keyPath); "
        + (columns.isEmpty
          ? "build the map with columns, as in 'ClusterMap(hotels, at: \\.coordinate, columns: .number(\\.price))'"
          : "the columns are " + columns.prefix(20).map(\.debugDescription).joined(separator: ", ")
            + (columns.count > 20 ? " and \(columns.count - 20) more" : ""))
    case .unsuitedValue(let keyPath, let type, let found, let isRoundedInteger):
      "expected a result of type \(type) for \(keyPath), found \(found); "
        + (isRoundedInteger
          ? "the column stores doubles, because its whole numbers are not all from -2^63 to 2^63 - 1, or differ by "
            + "more than 2^64 - 2; make the property a Double or a String, or leave such numbers out"
          : "the property needs a type that can hold all its values and their sums")
    case .notACoordinate(let found, .webMercator):
      "expected a finite longitude and a latitude from -90 to 90 as the center of the viewport, "
        + "found \(Self.text(found))"
    case .notACoordinate(let found, .planar):
      "expected a finite x and a finite y as the center of the viewport, "
        + "found x \(ParameterValue.text(found.x)) and y \(ParameterValue.text(found.y))"
    case .viewportTooLarge(let zoom):
      "expected a viewport whose edges are finite numbers, found a viewport that is too large at the zoom "
        + "\(ParameterValue.text(zoom)); use a greater zoom"
    case .overlappingClusters(let upper, let lower):
      "expected clusters that do not overlap, found cluster \(lower) within cluster \(upper)"
    case .noPassingPoint(let id): "no point of cluster \(id) passes the filter"
    case .unknownPoint(let treeIndex, let pointCount):
      "expected the index of a point in tree order, below \(pointCount), found \(treeIndex)"
    case .neverUnclustered(let points):
      "expected unclustered points with a 'leastMembers' of 1 or more and a number as 'fromZoom', "
        + "found 'leastMembers' \(points.leastMembers) and 'fromZoom' \(ParameterValue.text(points.fromZoom))"
    case .unknownCluster(let id):
      "this tree has no cluster with the id \(id); use ids from answers of this tree"
    }
  }

  private static func text(_ coordinate: Coordinate) -> String {
    "longitude \(ParameterValue.text(coordinate.longitude)) and latitude \(ParameterValue.text(coordinate.latitude))"
  }
}
