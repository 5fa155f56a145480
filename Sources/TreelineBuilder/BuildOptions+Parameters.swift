@_spi(Server) import Treeline

/// Names of the growths, as values of `--grow` and `grow=`.
package enum GrowthName: String, CaseIterable, Sendable {
  case split, merge, badges, scatter

  /// - Parameter rule: The rule by which nodes are split, if the tree grows by splitting; nil for the standard rule.
  package func growth(splitBy rule: SplitRule?) -> Growth {
    switch self {
    case .split: .splitting(rule ?? .standard)
    case .merge: .merging(by: .distance)
    case .badges: .merging(by: .badges)
    case .scatter: .merging(by: .scatter)
    }
  }
}

extension BuildOptions {
  /// Reads the options that determine the tree. Parameters have the names of the options of `treelinemap build`.
  /// Without parameters, the build computes everything that a query may need.
  package init(_ parameters: inout QueryParameters) {
    let name = parameters.choice("grow", of: GrowthName.self)
    let rule = parameters.text("split").flatMap { text -> SplitRule? in
      let rule = SplitRule(text)
      if rule == nil { parameters.refuse("split", expected: SplitRule.expectation, found: text) }
      return rule
    }
    let gap = parameters.number("badge-gap", in: 0...BadgeCurve.greatestGapInPixels, unit: "a number of pixels ")
    let anchor = parameters.choice("anchor", of: ClusterAnchor.self)
    let threads = parameters.integer("threads", in: 1...1024)
    let leavesOutSeparations = parameters.flag("no-separation")

    let growth = (name ?? (parameters.has("badge-gap") ? .badges : .split)).growth(splitBy: rule)
    if growth.splitRule == nil {
      parameters.refuse(
        ["split"], expected: "no such option, because a merged tree has no splits",
        sentence: "{split} needs the value 'split' for {grow}; a merged tree has no splits.")
    }
    if growth.mergeMetric != .badges {
      parameters.refuse(
        ["badge-gap"], expected: "grow=badges as well, because other trees ignore the gap between badges",
        sentence: "{badge-gap} needs the value 'badges' for {grow}; other trees ignore the gap between badges.")
    }
    if !(growth.mergeMetric?.keepsApart ?? false) {
      parameters.refuse(
        ["anchor"], expected: "grow=merge or grow=badges as well, because other trees do not keep clusters apart",
        sentence: "{anchor} needs the value 'merge' or 'badges' for {grow}; other trees do not keep clusters apart.")
    } else if leavesOutSeparations && anchor == .member {
      parameters.refuse(
        ["anchor"], expected: "a tree with separations, which keep clusters apart",
        sentence: "{anchor} needs a tree with separations, which keep clusters apart.")
    }
    self.init(
      growth: growth, threads: threads, computesSeparations: !leavesOutSeparations,
      badgeCurve: .standard.gap(gap ?? 0), anchor: anchor ?? .mean)
  }
}
