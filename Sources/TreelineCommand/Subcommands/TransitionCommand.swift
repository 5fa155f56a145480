import ArgumentParser
@_spi(Server) import Treeline
import TreelineFormats

struct TransitionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transition", abstract: "Prints what changes from one view to another.",
    discussion: """
      Prints JSON: the clusters that are 'kept', that 'entered' and that 'left', the 'splits' of one cluster into \
      several and the 'merges' of several into one. Every cluster of both views is listed once. In a split or merge, \
      the points of all 'parts' and the 'hidden_point_count' add up to the points of the 'whole'. To draw a split, \
      move its parts from the coordinates of the whole to their own coordinates; to draw a merge, move its parts to \
      the whole. A kept cluster that moves, as with '--keep-visible', also has 'from_coordinates'. If the filters of \
      the views differ, each split and each merge has 'filtered_out_point_count' and 'filtered_in_point_count', and a \
      kept cluster has 'from_point_count'. With --badges each cluster has 'badge_px', the diameter of its badge. A \
      kept cluster whose diameter changes also has 'from_badge_px'.

      Options that begin with '--from-' are for the first view, and options that begin with '--to-' for the second. \
      Cut options without a prefix are for both views, unless a view has its own cut options. The second view uses \
      the limit and the zoom of the first view, unless options set another limit or zoom. 'treelinemap query --help' \
      describes each option.
      """)

  @OptionGroup var source: InputOptions

  @OptionGroup(title: "Cut of both views") var cut: CutOptions<NoPrefix>

  @OptionGroup var filter: FilterOption<NoPrefix>

  @OptionGroup(title: "First view") var firstViewport: ViewportOptions<FromPrefix>

  @OptionGroup(title: "First view") var firstCut: CutOptions<FromPrefix>

  @OptionGroup(title: "First view") var firstFilter: FilterOption<FromPrefix>

  @OptionGroup(title: "Second view") var secondViewport: ViewportOptions<ToPrefix>

  @OptionGroup(title: "Second view") var secondCut: CutOptions<ToPrefix>

  @OptionGroup(title: "Second view") var secondFilter: FilterOption<ToPrefix>

  @Flag(
    help:
      "Keep clusters of the first view as far as the limit of the second view allows, instead of choosing all clusters again."
  ) var continuing = false

  @OptionGroup var position: PositionOptions

  @OptionGroup var splitting: GrowthOptions

  @OptionGroup var answer: AnswerOptions

  private func queries() throws -> (first: Query, second: Query) {
    var parameters = QueryParameters(
      cut.parameters + firstViewport.parameters + firstCut.parameters + secondViewport.parameters
        + secondCut.parameters + (continuing ? [("continuing", "true")] : []))
    let first = parameters.read(prefix: FromPrefix.prefix, sharing: Query.sharedParameters) { Query(&$0) }
    let second = parameters.read(prefix: ToPrefix.prefix, sharing: Query.sharedParameters + [["continuing"]]) { own in
      if let limit = firstCut.limits.limit { own.setDefault("limit", limit) }
      return Query(&own, defaultZoom: first.viewport.zoom.map { $0 + first.viewport.tileSize.zoomOffset })
    }
    if !first.cut.isByPixels && !second.cut.isByPixels { parameters.refuseUnclustered() }
    try parameters.check()
    return (first, second)
  }

  func validate() throws {
    let (first, second) = try queries()
    if let refusal = position.refusal(of: [first.cut, second.cut], in: nil) { throw ValidationError(refusal) }
  }

  func run() throws {
    try reportingFailures {
      try answer.write(source.input, beginning: "{\"kept\":[") { write in
        let (first, second) = try queries()
        let filters = try (
          first: firstFilter.filter == nil ? filter.parsed() : firstFilter.parsed(),
          second: secondFilter.filter == nil ? filter.parsed() : secondFilter.parsed()
        )
        let names = (
          first: firstFilter.filter == nil ? "filter" : "from-filter",
          second: secondFilter.filter == nil ? "filter" : "to-filter"
        )
        let columnsFor = [filters.first.map { (names.first, $0) }, filters.second.map { (names.second, $0) }]
        let points = try Points(
          source.input, keepsColumns: !columnsFor.allSatisfy { $0 == nil }, splitting.request,
          for: [first.cut, second.cut]
        ).adding(columnsFor: columnsFor.compactMap { $0 }, of: source.input.name)
        let tree = points.tree
        let (firstTree, secondTree) = (
          try points.tree(selecting: filters.first, option: names.first, of: source.input.name),
          try points.tree(selecting: filters.second, option: names.second, of: source.input.name)
        )
        if let refusal = self.position.refusal(of: [first.cut, second.cut], in: tree) { throw Failure.usage(refusal) }
        let firstView = try first.viewport.located(on: tree, FromPrefix.self)
        let secondView = try second.viewport.located(on: tree, ToPrefix.self)
        let shown = try firstTree.clusters(first)
        let next = try secondTree.clusters(second, after: shown)
        func position(for query: Query, of tree: ClusterTree, in view: PlaneViewport?) -> TransitionWriter.Position {
          let style = self.position.style
          let view = style.view(for: query, in: view)
          return { try style.position(of: $0, of: tree, keptVisibleIn: view)?.coordinate ?? $0.coordinate }
        }
        var text = try TransitionWriter(plane: tree.plane).text(
          ClusterTransition(from: shown, to: next), from: position(for: first, of: firstTree, in: firstView),
          to: position(for: second, of: secondTree, in: secondView),
          diameters: ({ tree.badgeDiameter(of: $0, for: first.cut) }, { tree.badgeDiameter(of: $0, for: second.cut) }))
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
      }
    }
  }
}
