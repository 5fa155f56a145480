import Treeline

/// The properties of a cluster in the output, except its geometry, its aggregates and, for a single point, its
/// columns.
///
/// The writers of GeoJSON, tables, CSV and vector tiles call `forEach` to visit the properties. To add a property, add
/// a stored property here, a case to `ClusterProperty`, and a line to `forEach`. If the property is written only on
/// request, also add a case to `RequestedProperty`.
package struct ClusterProperties: Sendable {
  package var id: UInt64
  package var pointCount: Int
  /// Number of the cluster's points that are in view, if requested.
  package var viewPointCount: Int?
  /// Whether the cluster consists of several points that share one position.
  var isStack: Bool
  /// Diameter of the cluster's badge in pixels, if the query has badges.
  package var badgeDiameter: Double?
  /// Name of the cluster's group, if the index has groups.
  package var group: String?
  /// Spread of the cluster's points, if requested; nil if all points share one position.
  var ellipse: Spread?
  /// Corners of the convex hull of the cluster's points, if requested.
  var hull: [Coordinate]?
  /// Row of the point at which the cluster is shown; nil if the cluster is shown at its mean. Also nil for a single
  /// point.
  package var shownRow: Int?
  /// Row of the point, if the cluster has only one point.
  package var row: Int?
  /// Rows of all points of the cluster, if requested.
  package var members: [Int]?
  /// Tree indices of the cluster's points, if requested. Written as the first index and one past the last index. Under
  /// a filter, the range also contains points that fail.
  var treeRange: Range<Int>?
  /// Area that the cluster's points cover. Only tiles have this property.
  package var area: Area?

  /// The spread of a cluster's points, and the scale of the plane at the cluster.
  package struct Spread: Sendable {
    let ellipse: Ellipse
    /// Length of a unit of the plane at the cluster, in meters; in units of the data if the plane has no map
    /// projection.
    let unitLength: Double
    let isPlanar: Bool

    init(_ ellipse: Ellipse, unitLength: Double, isPlanar: Bool) {
      (self.ellipse, self.unitLength, self.isPlanar) = (ellipse, unitLength, isPlanar)
    }

    var lengths: ClusterProperty.Value {
      .lengths(ellipse.semiMajor * unitLength, ellipse.semiMinor * unitLength)
    }
  }

  /// The area that points cover, see `Plane.coveredArea` and `Plane.coveredPixels`.
  package struct Area: Sendable {
    let squareKilometers: Double
    let squarePixels: UInt64

    package init(squareKilometers: Double, squarePixels: UInt64) {
      (self.squareKilometers, self.squarePixels) = (squareKilometers, squarePixels)
    }
  }

  package init(id: UInt64, pointCount: Int, isStack: Bool, row: Int?) {
    (self.id, self.pointCount, self.isStack, self.row) = (id, pointCount, isStack, row)
  }
}

/// A property that clusters have only on request. The raw value is the name of the option or parameter.
public enum RequestedProperty: String, CaseIterable, Sendable {
  /// Spread of the points: `ellipse`, and `ellipse_meters` or `ellipse_units`.
  case ellipses
  /// Rows of the points: `members`.
  case members
  /// Corners of the convex hull of the points: `hull`.
  case hulls
  /// Tree indices of the points: `tree_range`.
  case treeRanges = "tree-ranges"

  /// Help text for the command line.
  package var help: String {
    switch self {
    case .ellipses:
      "Add 'ellipse' to each cluster of 'pca' whose points differ in position. 'ellipse' has the standard deviations along the longer and the shorter axis, in pixels at zoom 24, and the direction of the longer axis, in degrees clockwise from east. 'ellipse_meters' has the deviations in meters."
    case .members: "Add 'members', the row numbers of each cluster's points."
    case .hulls: "Add 'hull', the corners of the convex hull of each cluster of 'pca'."
    case .treeRanges:
      "Add 'tree_range' to each cluster of 'pca': the index of its first point in the order of the tree, and one past the index of its last point."
    }
  }

  /// Name of the property in messages, such as `tree ranges`.
  package var noun: String { rawValue.split(separator: "-").joined(separator: " ") }

  /// Whether the cells of a grid can have the property, too.
  package var isOfGrids: Bool { self == .members }

  /// Whether tables have a column for the property.
  package var isInTables: Bool { self == .ellipses || self == .members }
}

/// A property of a cluster. Properties that supercluster also writes have the same names as in supercluster.
package enum ClusterProperty: String, CaseIterable, Sendable {
  case cluster
  case id = "cluster_id"
  case pointCount = "point_count"
  case abbreviatedCount = "point_count_abbreviated"
  case viewPointCount = "point_count_in_view"
  case stack
  case badgeDiameter = "badge_px"
  case group = "cluster_group"
  case ellipse
  case ellipseMeters = "ellipse_meters"
  /// Replaces `ellipse_meters` on a plane without a map projection.
  case ellipseUnits = "ellipse_units"
  case hull
  case area = "area_km2"
  case screenArea = "area_px"
  case shownRow = "shown_index"
  case row = "index"
  case members
  case treeRange = "tree_range"

  package enum Value {
    case flag(Bool)
    case number(UInt64)
    /// A number that is written with as few digits as possible.
    case decimal(Double)
    case text(String)
    /// A number of points, written with at most three digits, as in `1.2k`.
    case abbreviated(Int)
    case ellipse(Ellipse)
    /// Lengths in meters; in units of the data if the plane has no map projection.
    case lengths(Double, Double)
    case corners([Coordinate])
    case numbers([Int])
  }

  /// Type of a property's values, named as in TileJSON.
  package enum Kind: String, Sendable {
    case boolean = "Boolean"
    case number = "Number"
    case string = "String"
    /// A list, which vector tiles cannot hold.
    case list
  }

  /// Type of the property's values.
  package var kind: Kind {
    switch self {
    case .cluster, .stack: .boolean
    case .id, .pointCount, .viewPointCount, .badgeDiameter, .area, .screenArea, .shownRow, .row: .number
    case .abbreviatedCount, .group: .string
    case .ellipse, .ellipseMeters, .ellipseUnits, .hull, .members, .treeRange: .list
    }
  }
}

extension ClusterProperty {
  /// How a table shows the property: the title of its column, and whether the column is left out if no cluster has a
  /// value in it. Nil if the table has no column for the property, because another column has the same data, or because
  /// the table has no room.
  package var tableColumn: (title: String, isOptional: Bool)? {
    switch self {
    case .cluster, .abbreviatedCount, .stack, .ellipse, .hull, .area, .screenArea, .treeRange: nil
    case .id, .row: (rawValue, false)
    case .pointCount: ("points", false)
    case .viewPointCount: ("in view", true)
    case .badgeDiameter, .group, .ellipseMeters, .ellipseUnits, .shownRow, .members: (rawValue, true)
    }
  }

  /// The properties that every tile names, in the order of a tile's keys. Tiles also have `group` if the index has
  /// groups.
  package static let inEveryTile: [ClusterProperty] = [
    .cluster, .id, .pointCount, .abbreviatedCount, .stack, .row, .area, .badgeDiameter, .screenArea,
  ]
}

extension ClusterProperties {
  /// Visits all properties that the cluster has, in the order in which they are written.
  ///
  /// The function is inlined. So a writer that calls it is as fast as a writer with separate code for each property.
  @inline(__always) package func forEach(_ body: (ClusterProperty, ClusterProperty.Value) -> Void) {
    let isCluster = pointCount > 1
    body(.cluster, .flag(isCluster))
    body(.id, .number(id))
    body(.pointCount, .number(UInt64(pointCount)))
    if isCluster { body(.abbreviatedCount, .abbreviated(pointCount)) }
    if let viewPointCount { body(.viewPointCount, .number(UInt64(viewPointCount))) }
    if isStack { body(.stack, .flag(true)) }
    if let badgeDiameter { body(.badgeDiameter, .decimal(badgeDiameter)) }
    if let group { body(.group, .text(group)) }
    if let ellipse {
      body(.ellipse, .ellipse(ellipse.ellipse))
      body(ellipse.isPlanar ? .ellipseUnits : .ellipseMeters, ellipse.lengths)
    }
    if let hull { body(.hull, .corners(hull)) }
    if let area {
      body(.area, .decimal(area.squareKilometers))
      body(.screenArea, .number(area.squarePixels))
    }
    if let shownRow { body(.shownRow, .number(UInt64(shownRow))) }
    if let row { body(.row, .number(UInt64(row))) }
    if let members { body(.members, .numbers(members)) }
    if let treeRange { body(.treeRange, .numbers([treeRange.lowerBound, treeRange.upperBound])) }
  }
}
