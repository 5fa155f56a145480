@_spi(Server) import Treeline

/// Options of a build. An option changes the resulting tree only if the description of the option says so.
public struct BuildOptions: Hashable, Sendable {
  /// Growth of the tree. Different growths make different trees.
  public var growth: Growth

  /// Curve that gives the diameters of badges. A tree that grows by merging for badges depends on this curve. Other
  /// growths ignore the curve.
  public var badgeCurve: BadgeCurve

  /// Position that represents a cluster on the map: the mean of its points, or one of its points. A tree that grows by
  /// merging for distances or badges depends on this option. Other growths ignore this option.
  public var anchor: ClusterAnchor

  /// Solver that computes principal axes as eigenvectors. Tests set this option to check that all solvers lead to the
  /// same tree.
  package var solver = PrincipalAxis.Solver.standard

  /// Greatest depth of a merged tree with exact merge scales. If the tree would be deeper, its merge scales are
  /// rounded. Only tests change this option.
  var maximumMergeDepth = MergeTree.maximumDepth
  /// Greatest number of positions that are merged without being divided into parts; nil for the default. Only tests and
  /// benchmarks set this option.
  package var leavesInPart: Int?
  /// If at most one in `pointsPerChange` points has changed, an edit merges only around the changed points. If more
  /// points have changed, a new build is faster.
  var pointsPerChange = 1500

  /// Number of threads that build the tree. This number does not change the tree.
  public var threads: Int

  /// - Parameters:
  ///   - growth: How the tree grows. `init(supporting:threads:anchor:)` chooses the growth that suits your queries.
  ///   - threads: Number of threads, 1 or more; nil for one thread per processor.
  ///   - badgeCurve: Diameters at which badges are drawn, for a tree that grows by merging for badges.
  ///   - anchor: Position of clusters on the map, for a tree that grows by merging for distances or badges.
  public init(
    growth: Growth, threads: Int? = nil, badgeCurve: BadgeCurve = .standard, anchor: ClusterAnchor = .mean
  ) {
    let threads = threads ?? processorCount
    precondition(threads >= 1, "Expected at least one thread, found \(threads)")
    (self.growth, self.threads, self.badgeCurve, self.anchor) = (growth, threads, badgeCurve, anchor)
  }
}

extension BuildOptions {
  /// - Parameters:
  ///   - splitRule: Rule that decides how nodes are split.
  ///   - threads: Number of threads, 1 or more; nil for one thread per processor.
  public init(splitRule: SplitRule = .standard, threads: Int? = nil) {
    self.init(growth: .splitting(splitRule), threads: threads)
  }

  /// Rule that decides how nodes are split; `standard` if the tree grows by merging. Setting this property makes the
  /// tree grow by splitting.
  public var splitRule: SplitRule {
    get { growth.splitRule ?? .standard }
    set { growth = .splitting(newValue) }
  }
}

/// Progress of a build.
public struct BuildProgress: Hashable, Sendable {
  /// Stages of a build, in the order in which they run.
  public enum Stage: String, Hashable, Sendable {
    /// Coordinates are projected to positions on the plane.
    case projecting
    /// Points are sorted into tree order.
    case splitting
    /// Clusters are merged. A tree that grows by splitting skips this stage.
    case merging
    /// Values of columns are surveyed, encoded and prepared, after the tree is built.
    case encoding
  }

  /// Current stage of the build.
  public let stage: Stage

  /// Fraction of the stage that is done, from 0 to 1. The fraction never decreases during a stage.
  public let fraction: Double
}

/// The reason why no tree can be built from some points.
public enum BuildError: Error, Hashable, Sendable {
  /// A coordinate is outside the sphere or the plane. `row` counts the points from 0.
  case invalidCoordinate(row: Int, found: Coordinate, projection: Plane.Projection)
  /// There are more than 2^31 points, so that row numbers would overflow.
  case tooManyPoints(found: Int)

  /// There are more than 4096 group names. If points come in batches, no further batch is read.
  case tooManyGroups(found: Int)

  /// Greatest magnitude of a plain x or y. Differences of two numbers up to this magnitude do not overflow.
  static let maximumMagnitude = 1e300
}

extension BuildError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalidCoordinate(let row, let found, let projection):
      "row \(row): " + Self.expectation(of: projection, found)
    case .tooManyGroups(let found):
      "expected at most \(TreeGroups.maximumCount) groups, found \(found) or more; use fewer groups, because an answer has "
        + "at least one cluster for each group in view"
    case .tooManyPoints(let found):
      "expected at most \(IndexHeader.maximumPointCount) points, found \(found); build several trees"
    }
  }

  /// Returns the text of an error about an invalid coordinate.
  static func expectation(of projection: Plane.Projection, _ found: Coordinate) -> String {
    switch projection {
    case .webMercator:
      "expected a longitude from -180 to 180 and a latitude from -90 to 90, "
        + "found longitude \(ParameterValue.text(found.longitude)) and latitude \(ParameterValue.text(found.latitude))"
    case .planar:
      "expected an x and a y from -1e300 to 1e300, "
        + "found x \(ParameterValue.text(found.x)) and y \(ParameterValue.text(found.y))"
    }
  }
}
