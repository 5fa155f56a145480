import Treeline

/// How to build. Only those options that say so change the tree.
public struct BuildOptions: Hashable, Sendable {
  /// How the tree grows. Another way makes another tree.
  public var growth: Growth

  /// With what diameters badges are drawn. Of a tree grown by merging for badges, another curve makes another tree;
  /// others do not look at it.
  public var badgeCurve: BadgeCurve

  /// Where clusters stand. Of a tree grown by merging for distances or badges, another place makes another tree; others
  /// do not look at it.
  public var stand: ClusterStand

  /// For tests that the tree is the same by every solver.
  package var solver = PrincipalAxis.Solver.standard

  /// For tests of the depth from which merge scales are rounded.
  var maximumMergeDepth = MergeTree.maximumDepth
  /// More positions than these are merged in parts, for tests.
  var leavesInPart: Int?

  /// How many threads build. The tree is the same for any number.
  public var threads: Int

  /// Whether to compute at what distance each cluster is split into its children, which queries by `spacing` and
  /// `badges` need. It takes several times as long as the rest of a build by splitting, and 2 bytes a point, in memory
  /// and in an index.
  public var computesSeparations: Bool

  /// - Parameters:
  ///   - growth: How the tree grows.
  ///   - threads: 1 or more; nil for as many as there are processors.
  ///   - computesSeparations: Whether queries by `spacing` or `badges` are to be answered. A tree merged by
  ///     distance or for badges knows its separations anyway; they still take 2 bytes a point.
  ///   - badgeCurve: With what diameters badges are drawn, where the tree is to grow by merging for badges.
  ///   - stand: Where clusters stand, where it is to grow by merging for distances or badges.
  public init(
    growth: Growth, threads: Int? = nil, computesSeparations: Bool = false, badgeCurve: BadgeCurve = .standard,
    stand: ClusterStand = .mean
  ) {
    let threads = threads ?? processorCount
    precondition(threads >= 1, "Expected at least one thread, found \(threads)")
    (self.growth, self.threads, self.computesSeparations) = (growth, threads, computesSeparations)
    (self.badgeCurve, self.stand) = (badgeCurve, stand)
  }
}

extension BuildOptions {
  /// - Parameters:
  ///   - splitRule: Where nodes are split.
  ///   - threads: 1 or more; nil for as many as there are processors.
  ///   - computesSeparations: Whether queries by `spacing` are to be answered.
  public init(splitRule: SplitRule = .standard, threads: Int? = nil, computesSeparations: Bool = false) {
    self.init(growth: .splitting(splitRule), threads: threads, computesSeparations: computesSeparations)
  }

  /// Where nodes are split; `standard` as long as the tree is to grow by merging. To set it is to have it split.
  public var splitRule: SplitRule {
    get { growth.splitRule ?? .standard }
    set { growth = .splitting(newValue) }
  }

  @available(*, deprecated, renamed: "computesSeparations")
  public var findsSeparations: Bool {
    get { computesSeparations }
    set { computesSeparations = newValue }
  }

  @available(*, deprecated, renamed: "init(splitRule:threads:computesSeparations:)")
  public init(splitRule: SplitRule = .standard, threads: Int? = nil, findsSeparations: Bool) {
    self.init(splitRule: splitRule, threads: threads, computesSeparations: findsSeparations)
  }
}

/// How far a build is.
public struct BuildProgress: Hashable, Sendable {
  /// What a build does, in this order.
  public enum Stage: String, Hashable, Sendable {
    /// Coordinates are projected to positions on the plane.
    case projecting
    /// Points are sorted into tree order.
    case splitting
    /// Clusters are merged, in place of splitting.
    case merging
    /// Separations are computed.
    case separating
    /// Values of columns are surveyed, encoded and prepared, once there is a tree.
    case encoding
  }

  /// What it does now.
  public let stage: Stage

  /// How much of the stage is done, from 0 to 1. It never falls.
  public let fraction: Double
}

/// Why no tree can be built from some points.
public enum BuildError: Error, Hashable, Sendable {
  /// A point is not on the sphere or on the plane. `row` counts the points from 0.
  case invalidCoordinate(row: Int, found: Coordinate, projection: Plane.Projection)
  /// More points than row numbers can count: 2^31.
  case tooManyPoints(found: Int)

  /// More names of groups than there may be: 4096. Points that come in batches are not read any further then.
  case tooManyGroups(found: Int)

  /// The largest magnitude of an x or y on a plain plane, for which no difference overflows.
  package static let maximumMagnitude = 1e300
}

extension BuildError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalidCoordinate(let row, let found, .webMercator):
      "row \(row): expected a longitude from -180 to 180 and a latitude from -90 to 90, "
        + "found longitude \(ParameterValue.text(found.longitude)) and latitude \(ParameterValue.text(found.latitude))"
    case .invalidCoordinate(let row, let found, .planar):
      "row \(row): expected an x and a y from -1e300 to 1e300, "
        + "found x \(ParameterValue.text(found.x)) and y \(ParameterValue.text(found.y))"
    case .tooManyGroups(let found):
      "expected at most \(TreeGroups.maximumCount) groups, found \(found); each in view is a cluster by itself"
    case .tooManyPoints(let found):
      "expected at most \(IndexHeader.maximumPointCount) points, found \(found); build several trees"
    }
  }
}
