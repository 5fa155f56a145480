import Treeline

/// The ways to grow, as `--grow` and `grow=` name them.
package enum GrowthName: String, CaseIterable, Sendable {
  case split, merge, badges, scatter

  /// - Parameter rule: Where nodes are split, where they are.
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
  /// Reads the options of `treeline build` that decide on the tree, by their names there. Without any, whatever can be
  /// asked for is computed.
  package init(_ parameters: inout QueryParameters) {
    let name = parameters.choice("grow", of: GrowthName.self)
    let rule = parameters.text("split").flatMap { text -> SplitRule? in
      let rule = SplitRule(text)
      if rule == nil { parameters.refuse("split", expected: SplitRule.expectation, found: text) }
      return rule
    }
    let gap = parameters.number("badge-gap", in: 0...BadgeCurve.greatestGapInPixels, unit: "a number of pixels ")
    let stand = parameters.choice("stand", of: ClusterStand.self)
    let threads = parameters.integer("threads", in: 1...1024)
    let leavesOutSeparations = parameters.flag("no-separation")

    let growth = (name ?? (parameters.has("badge-gap") ? .badges : .split)).growth(splitBy: rule)
    if growth.splitRule == nil {
      parameters.refuse(
        ["split"], expected: "no such option of a tree that is merged, where nothing is split",
        sentence: "{split} goes with a tree that grows by splitting; where clusters are merged nothing is split.")
    }
    if growth.mergeMetric != .badges {
      parameters.refuse(
        ["badge-gap"], expected: "grow=badges beside it; no other tree knows of badges",
        sentence: "{badge-gap} needs {grow} to be badges; no other tree knows of badges.")
    }
    if !(growth.mergeMetric?.keepsApart ?? false) {
      parameters.refuse(
        ["stand"], expected: "grow=merge or grow=badges beside it; other trees do not keep clusters apart",
        sentence: "{stand} needs {grow} to be merge or badges; other trees do not keep clusters apart.")
    } else if leavesOutSeparations && stand == .member {
      parameters.refuse(
        ["stand"], expected: "separations, without which nothing is kept apart",
        sentence: "{stand} needs a tree with separations, without which nothing is kept apart.")
    }
    self.init(
      growth: growth, threads: threads, computesSeparations: !leavesOutSeparations,
      badgeCurve: .standard.gap(gap ?? 0), stand: stand ?? .mean)
  }
}
