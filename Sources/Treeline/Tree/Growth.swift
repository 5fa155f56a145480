/// The way in which a tree is grown. It decides which points share a cluster.
public enum Growth: Hashable, Sendable {
  /// Growth from the root down: the points of a node are split by a line.
  case splitting(SplitRule)

  /// Growth from the points up: two clusters are merged at a time. A metric decides which two clusters are merged
  /// next. The index needs format 1.1 or, for some metrics, 1.2. Older readers refuse such an index.
  case merging(by: MergeMetric)
}

/// The metric that decides which two clusters are merged next.
public enum MergeMetric: String, Hashable, Sendable, CaseIterable {
  /// Merges the two clusters that are closest to each other. If several pairs are equally close, the pair whose
  /// positions come first is merged (see the format document). Because the closest clusters are merged first, a cut
  /// with `Cut.spacing` merges clusters only where they are closer than the spacing, and uses all available room.
  /// Distances are measured between means, or between members (see `ClusterAnchor`).
  case distance

  /// Merges the two clusters whose badges would be the first to touch if all badges grew. Pairs are ordered by their
  /// distance divided by the sum of both radii. A `BadgeCurve` gives the radius for a point count. With this metric,
  /// `Cut.badges(scale:)` shows points unclustered wherever there is room. This metric needs an index of format 1.2.
  case badges

  /// Merges the two clusters whose union adds the least scatter (Ward's method). Scatter is the sum of the squared
  /// distances of points from their mean. If several pairs add equally little scatter, the pair whose positions come
  /// first is merged. With this metric, the clusters of a query with `Cut.limit` or `Cut.detail` are closer to their
  /// points than in any other kind of tree. This metric needs an index of format 1.2.
  case scatter
}

extension MergeMetric {
  /// Whether merge scales are distances. The merge scale of a node is the value of the metric at which its two
  /// children were merged. If merge scales are distances, the two children are at least as far apart as the merge
  /// scale, and merge scales serve as the tree's separations.
  package var keepsApart: Bool { self != .scatter }
}

extension Growth {
  /// The rule by which nodes are split; nil for a tree grown by merging.
  package var splitRule: SplitRule? { if case .splitting(let rule) = self { rule } else { nil } }

  /// The metric by which clusters were merged; nil for a tree grown by splitting.
  package var mergeMetric: MergeMetric? { if case .merging(let metric) = self { metric } else { nil } }

  /// A phrase for messages about a tree: `split by 'mean'`, `merged by 'distance'`.
  package var phrase: String {
    switch self {
    case .splitting(let rule): "split by '\(rule)'"
    case .merging(let metric): "merged by '\(metric.rawValue)'"
    }
  }

  /// The number that stands for this growth in an index. Each kind of split rule and each metric has its own number.
  var rawKind: UInt32 {
    switch self {
    case .splitting(let rule): rule.kind.rawValue
    case .merging(by: .distance): 4
    case .merging(by: .badges): 5
    case .merging(by: .scatter): 6
    }
  }

  /// The first minor version of the format that supports this growth.
  var minorVersion: UInt16 {
    switch mergeMetric {
    case nil: 0
    case .distance: 1
    case .badges, .scatter: 2
    }
  }

  static let latestMinorVersion = ([.splitting(.mean)] + MergeMetric.allCases.map(Growth.merging)).map(\.minorVersion)
    .max()!

  /// A list of all kinds, for messages. Each kind is written as its number and its name:
  /// `1 (mean), 2 (least-scatter), 3 (gamma), 4 (merge:distance)` and so on.
  static var kinds: String {
    let splits = SplitRule.Kind.allCases.map { "\($0.rawValue) (\($0.name))" }
    let merges = MergeMetric.allCases.map(Growth.merging).map { "\($0.rawKind) (\($0))" }
    return (splits + merges).joined(separator: ", ")
  }

  /// Makes a growth from the numbers in an index; nil if there is no such growth.
  package init?(kind: UInt32, gammaInEighths: UInt32) {
    if let rule = SplitRule(kind: kind, gammaInEighths: gammaInEighths) {
      self = .splitting(rule)
    } else if gammaInEighths == 0,
      let metric = MergeMetric.allCases.first(where: { Growth.merging(by: $0).rawKind == kind })
    {
      self = .merging(by: metric)
    } else {
      return nil
    }
  }
}

/// The description of the split rule (see `SplitRule`), or `merge:` and the name of the metric.
extension Growth: CustomStringConvertible {
  public var description: String {
    switch self {
    case .splitting(let rule): "\(rule)"
    case .merging(let metric): "merge:\(metric.rawValue)"
    }
  }
}

/// The rule for the position of a cluster in a tree grown by merging. A cut that keeps clusters apart measures the
/// distances between these positions.
public enum ClusterAnchor: String, Hashable, Sendable, CaseIterable {
  /// The mean of the cluster's points. There may be no point at the mean.
  case mean

  /// The position of one of the cluster's points. So if all points are on land, no badge lies in the sea. A merged
  /// cluster takes the position of one of its two children: the position nearer to the mean of the cluster's
  /// points. This rule needs an index of format 1.2, and one bit for each point.
  case member
}

/// Properties of a tree grown by merging, as an index stores them. A reader must respect these properties.
package struct MergeTraits: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Some node lies across the plane's seam, where the plane begins and ends. The box of such a node begins in the east
  /// of the plane and ends in the west, so its western edge has the greater x.
  package static let acrossSeam = MergeTraits(rawValue: 1)

  /// Merge scales (the distances at which clusters are merged) are rounded down to coarse steps. There are four steps
  /// for each doubling of the distance. Without rounding, the tree would be too deep.
  package static let coarseScales = MergeTraits(rawValue: 2)

  /// The position of a cluster is the position of one of its points, and merge scales are distances between these
  /// positions (see `ClusterAnchor`).
  package static let anchorsAtMembers = MergeTraits(rawValue: 4)

  package static let all: MergeTraits = [.acrossSeam, .coarseScales, .anchorsAtMembers]
}
