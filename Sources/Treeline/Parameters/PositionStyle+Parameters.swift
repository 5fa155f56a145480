extension PositionStyle {
  /// Reads the parameters `position` and `keep-visible`, which choose where clusters are shown.
  @_spi(Server) public init(_ parameters: inout QueryParameters, of tree: ClusterTree) {
    self.init(
      parameters.choice("position", of: ShownPosition.Rule.self),
      keepsVisible: parameters.has("keep-visible") ? parameters.flag("keep-visible") : nil)
    if parameters.has(PixelCriterion.badges.rawValue), let name = moving(in: tree) {
      parameters.refuse(
        [name], expected: "no \(name) with badges, because badges stay apart only at their default positions",
        sentence: "{\(name)} and {badges} exclude each other: badges stay apart only at their default positions.")
    }
  }
}
