@_spi(Server) import Treeline

/// Names of the growths. They are the values of `--grow` and `grow=`.
package enum GrowthName: String, CaseIterable, Sendable {
  case split, merge, badges, scatter

  /// - Parameter rule: The rule that decides how nodes are split; nil for the standard rule. Ignored if the tree grows
  ///   by merging.
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
  /// Reads the options that determine the tree. The parameters have the same names as the options of
  /// `treelinemap build`.
  ///
  /// - Parameter purpose: The purpose of the tree if no parameter decides how the tree grows.
  package init(_ parameters: inout QueryParameters, for purpose: BuildPurpose.Name = .limit) {
    let wanted = parameters.choice("for", of: BuildPurpose.Name.self)
    let name = parameters.choice("grow", of: GrowthName.self)
    let rule = parameters.text("split").flatMap { text -> SplitRule? in
      let rule = SplitRule(text)
      if rule == nil { parameters.refuse("split", expected: SplitRule.expectation, found: text) }
      return rule
    }
    let gap = parameters.number("badge-gap", in: 0...BadgeCurve.greatestGapInPixels, unit: "a number of pixels ")
    let anchor = parameters.choice("anchor", of: ClusterAnchor.self)
    let threads = parameters.integer("threads", in: 1...1024)

    let growth =
      name?.growth(splitBy: rule) ?? rule.map(Growth.splitting)
      ?? (wanted ?? (parameters.has("badge-gap") ? .badges : purpose)).growth
    self.init(growth: growth, threads: threads, badgeCurve: .standard.gap(gap ?? 0), anchor: anchor ?? .mean)

    if let wanted, !wanted.isServed(by: growth) {
      parameters.refuse(
        ["for"],
        expected: "a purpose that suits a tree \(growth.phrase), or no parameter \(name == nil ? "split" : "grow")",
        sentence: "{for} '\(wanted.rawValue)' does not go with a tree \(growth.phrase); leave out {grow} and {split}.")
    }
    if growth.splitRule == nil {
      parameters.refuse(
        ["split"], expected: "grow=split as well, because a merged tree has no splits",
        sentence: "{split} needs {grow} with the value 'split', because a merged tree has no splits.")
    }
    if growth.mergeMetric != .badges {
      parameters.refuse(
        ["badge-gap"], expected: "for=badges as well, because other trees ignore the gap between badges",
        sentence: "{badge-gap} needs {for} with the value 'badges'; other trees ignore the gap between badges.")
    }
    if !(growth.mergeMetric?.keepsApart ?? false) {
      parameters.refuse(
        ["anchor"], expected: "for=spacing or for=badges as well, because other trees do not keep clusters apart",
        sentence: "{anchor} needs {for} with the value 'spacing' or 'badges'; "
          + "other trees do not keep clusters apart.")
    }
  }
}
