/// How a tree grew, which decides what points share a cluster.
public enum Growth: Hashable, Sendable {
  /// From the root down: a node's points are split by a line.
  case splitting(SplitRule)

  /// From the points up: of all clusters the two that come first by a metric are merged, again and again. It needs an
  /// index of format 1.1 or, by some metrics, 1.2, which older readers refuse.
  case merging(by: MergeMetric)
}

/// Which two clusters are merged next.
public enum MergeMetric: String, Hashable, Sendable, CaseIterable {
  /// Those that stand closest, of several such pairs the one with the least members (see the format document): at their
  /// means, or at members (see `ClusterStand`). So clusters merge where they touch, and nowhere else, and a
  /// `Cut.spacing` shows as many as have room.
  case distance

  /// Those whose drawn badges touch first as badges grow: distance divided by the sum of their radii, which go by how
  /// many points they have, along a `BadgeCurve`. `Cut.badges(scale:)` then shows points by themselves as long as there
  /// is room. It needs an index of format 1.2.
  case badges

  /// Those whose union adds the least scatter, which is the sum of squared distances of points from their mean (Ward's
  /// method), of several such pairs the one with the least members. Points are then closer to their clusters than in
  /// any other tree, for a `Cut.limit` or a `Cut.detail`. It needs an index of format 1.2.
  case scatter
}

extension MergeMetric {
  /// Whether what was merged at one scale is that far apart, so that merge scales are the tree's separations. Otherwise
  /// these are computed like those of a tree that was split.
  package var keepsApart: Bool { self != .scatter }
}

extension Growth {
  /// How nodes are split; nil for a tree grown by merging.
  public var splitRule: SplitRule? { if case .splitting(let rule) = self { rule } else { nil } }

  /// By what metric clusters were merged; nil for a tree grown by splitting.
  public var mergeMetric: MergeMetric? { if case .merging(let metric) = self { metric } else { nil } }

  /// For messages about a tree: `split by 'mean'`, `merged by 'distance'`.
  package var phrase: String {
    switch self {
    case .splitting(let rule): "split by '\(rule)'"
    case .merging(let metric): "merged by '\(metric.rawValue)'"
    }
  }

  /// As stored in an index: the kind of a split rule, or of a metric.
  package var rawKind: UInt32 {
    switch self {
    case .splitting(let rule): rule.kind.rawValue
    case .merging(by: .distance): 4
    case .merging(by: .badges): 5
    case .merging(by: .scatter): 6
    }
  }

  /// The minor version of the format that has it first.
  package var minorVersion: UInt16 {
    switch mergeMetric {
    case nil: 0
    case .distance: 1
    case .badges, .scatter: 2
    }
  }

  static let latestMinorVersion = ([.splitting(.mean)] + MergeMetric.allCases.map(Growth.merging)).map(\.minorVersion)
    .max()!

  /// For messages, each behind its number: `1 (mean), 2 (least-scatter), 3 (gamma), 4 (merge:distance)` and so on.
  static var kinds: String {
    let splits = SplitRule.Kind.allCases.map { "\($0.rawValue) (\($0.name))" }
    let merges = MergeMetric.allCases.map(Growth.merging).map { "\($0.rawKind) (\($0))" }
    return (splits + merges).joined(separator: ", ")
  }

  /// As stored in an index; nil if there is no such growth.
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

/// The split rule as `SplitRule` writes it, or the metric behind `merge:`.
extension Growth: CustomStringConvertible {
  public var description: String {
    switch self {
    case .splitting(let rule): "\(rule)"
    case .merging(let metric): "merge:\(metric.rawValue)"
    }
  }
}

/// Where the clusters of a tree grown by merging stand, between which distances are kept.
public enum ClusterStand: String, Hashable, Sendable, CaseIterable {
  /// At the mean of their points, where none of these need be.
  case mean

  /// At one of their points, so that no badge stands in the sea: of the two clusters that one is merged from, it stands
  /// where the one stood that is nearer to the mean of all. What is kept apart is kept apart at these positions. It
  /// needs an index of format 1.2, and takes a bit a point.
  case member
}

/// What a reader has to know of a tree grown by merging, as an index stores it.
package struct MergeTraits: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Some node lies across the plane's seam: its box begins in the east of the plane and ends in the west, so that its
  /// least x is above its greatest.
  package static let acrossSeam = MergeTraits(rawValue: 1)

  /// The merge scales are rounded down to four steps an octave, since the tree would be too deep otherwise.
  package static let coarseScales = MergeTraits(rawValue: 2)

  /// Clusters stand at one of their points, and merge scales are those of these positions (see `ClusterStand`).
  package static let standsAtMembers = MergeTraits(rawValue: 4)

  package static let all: MergeTraits = [.acrossSeam, .coarseScales, .standsAtMembers]
}
