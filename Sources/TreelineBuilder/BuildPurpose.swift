@_spi(Server) import Treeline

/// The queries that a tree is built for. The purpose decides how the tree grows. Every tree answers queries with a
/// limit or a detail.
///
/// ```swift
/// let hotels = try ClusterMap(allHotels, at: \.coordinate, supporting: .spacing)
/// let shown = try hotels.clusters(.spacing(44), in: view)
/// ```
public enum BuildPurpose: Hashable, Sendable {
  /// Queries with a limit or a detail. The tree is split across principal axes. No other build is as fast.
  case limit

  /// Queries with a spacing. The tree is merged by distance (`MergeMetric.distance`). The tree also answers queries
  /// with a limit or a detail.
  case spacing

  /// Queries with badges. The curve gives the diameters of the badges. The tree is merged for badges
  /// (`MergeMetric.badges`). The tree also answers queries with a limit or a detail.
  case badges(BadgeCurve = .standard)

  /// Names of the purposes. They are the values of `--for` and `for=`.
  package enum Name: String, CaseIterable, Sendable {
    case limit, spacing, badges

    /// The purpose of a tree that supports the given cuts. If no single tree supports all of them, the purpose is
    /// `badges`.
    package init(of cuts: [Cut]) {
      self =
        cuts.contains { $0.badgeScale != nil } ? .badges : cuts.contains(where: \.needsSeparations) ? .spacing : .limit
    }

    /// Growth of a tree for this purpose.
    package var growth: Growth {
      switch self {
      case .limit: .splitting(.standard)
      case .spacing: .merging(by: .distance)
      case .badges: .merging(by: .badges)
      }
    }

    /// Returns whether a tree with the given growth answers the queries of this purpose.
    func isServed(by growth: Growth) -> Bool { self == .limit || growth == self.growth }
  }
}

extension BuildOptions {
  /// Makes options of a tree for some queries.
  ///
  /// - Parameters:
  ///   - purpose: The queries that the tree is built for.
  ///   - threads: Number of threads, 1 or more; nil for one thread per processor.
  ///   - anchor: Position of clusters on the map, for a tree that supports spacings or badges.
  public init(supporting purpose: BuildPurpose, threads: Int? = nil, anchor: ClusterAnchor = .mean) {
    let (name, curve): (BuildPurpose.Name, BadgeCurve) =
      switch purpose {
      case .limit: (.limit, .standard)
      case .spacing: (.spacing, .standard)
      case .badges(let curve): (.badges, curve)
      }
    self.init(growth: name.growth, threads: threads, badgeCurve: curve, anchor: anchor)
  }
}
