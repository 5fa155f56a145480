import ArgumentParser
import Treeline
import TreelineFormats

struct TransitionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transition", abstract: "Prints what changes from one view to another.",
    discussion: """
      Prints JSON: the clusters that are 'kept', that 'entered' and that 'left', the 'splits' of one into several and \
      the 'merges' of several into one. Every cluster of both views occurs once. The points of a split's or a merge's \
      'parts' and its 'hidden_point_count' add up to those of its 'whole'. To draw it, move the parts of a split from \
      the coordinates of the whole to their own, and those of a merge from their own to the whole's. A cluster that is \
      kept and yet moves, as '--keep-visible' has it, has 'from_coordinates', too.

      '--order', '--detail' and '--spacing' cut both views. With '--from-' or '--to-' before its name one of them cuts the first \
      or the second alone, in place of what cuts both.
      """)

  @OptionGroup var source: InputOptions

  @Option(
    parsing: .unconditional, help: ArgumentHelp("What is looked at first. (default: all)", valueName: "w,s,e,n"),
    transform: BoundingBox.init(argument:)) var fromBbox: BoundingBox?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The most clusters there. (default: 100, or none with --detail or --spacing)", valueName: "k"))
  var fromLimit: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The zoom there, at which the world is 256 px times 2^zoom wide.", valueName: "z")) var fromZoom:
    Double?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("What is looked at then. (default: all)", valueName: "w,s,e,n"),
    transform: BoundingBox.init(argument:)) var toBbox: BoundingBox?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The most clusters there. (default: that of the first)", valueName: "k")
  ) var toLimit: Int?

  @Option(parsing: .unconditional, help: ArgumentHelp("The zoom there. (default: that of the first)", valueName: "z"))
  var toZoom: Double?

  @OptionGroup var cut: CutOptions

  @Option(help: ArgumentHelp("The order of the first view, in place of --order.", valueName: "order")) var fromOrder:
    ExpansionOrder?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The detail of the first view, in place of --detail.", valueName: "px"))
  var fromDetail: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The spacing of the first view, in place of --spacing.", valueName: "px")) var fromSpacing:
    Double?

  @Option(help: ArgumentHelp("The order of the second view, in place of --order.", valueName: "order")) var toOrder:
    ExpansionOrder?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The detail of the second view, in place of --detail.", valueName: "px")
  ) var toDetail: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The spacing of the second view, in place of --spacing.", valueName: "px")) var toSpacing:
    Double?

  @Flag(help: "Change as little as the second limit allows, rather than cut afresh.") var continuing = false

  @OptionGroup var position: PositionOptions

  @OptionGroup var splitting: SplitOptions

  private func queries() throws -> (first: Query, second: Query) {
    (
      try query(
        prefix: "from-",
        [
          Parameter("from-order", fromOrder?.rawValue), Parameter("from-detail", fromDetail),
          Parameter("from-spacing", fromSpacing),
        ]),
      try query(
        prefix: "to-",
        [
          Parameter("to-order", toOrder?.rawValue), Parameter("to-detail", toDetail),
          Parameter("to-spacing", toSpacing), Parameter("continuing", continuing ? true : nil),
        ])
    )
  }

  /// One of both: what it lacks it has of the first, or of both.
  private func query(prefix: String, _ own: [Parameter?]) throws -> Query {
    let options =
      cut.byLimitOrPixels + own + [
        Parameter("from-limit", fromLimit), Parameter("from-zoom", fromZoom), Parameter("from-bbox", fromBbox),
        Parameter("to-limit", toLimit), Parameter("to-zoom", toZoom), Parameter("to-bbox", toBbox),
      ]
    // Beside a limit these are an error, unless they are meant for the other one.
    var parameters = QueryParameters(options)
    let takesUnclustered = Cut(&parameters, prefix: prefix).isByPixels || !isEitherByPixels
    parameters = QueryParameters(options + (takesUnclustered ? cut.unclustered : []))
    parameters.use("from-limit", as: prefix + "limit")
    parameters.use("from-zoom", as: prefix + "zoom")
    let query = Query(&parameters, prefix: prefix)
    try parameters.check()
    return query
  }

  private var isEitherByPixels: Bool {
    [cut.detail, cut.spacing, fromDetail, fromSpacing, toDetail, toSpacing].contains { $0 != nil }
  }

  func validate() throws { _ = try queries() }

  func run() throws {
    try reportingFailures {
      let (first, second) = try queries()
      let tree = try Points(
        source.input, keepsColumns: false, splitRule: splitting.split,
        computesSeparations: first.cut.needsSeparations || second.cut.needsSeparations
      ).tree
      let firstWindow = try first.viewport.window(on: tree, option: "--from-bbox")
      let secondWindow = try second.viewport.window(on: tree, option: "--to-bbox")
      let shown = try tree.clusters(first.cut, in: first.viewport)
      let next = try tree.clusters(second.cut, in: second.viewport, after: shown)
      func position(in window: PlaneWindow?) -> TransitionWriter.Position {
        { try self.position.coordinate(of: $0, of: tree, in: window) }
      }
      try writeToStandardOutput(
        TransitionWriter(plane: tree.plane).text(
          Transition(from: shown, to: next), from: position(in: firstWindow), to: position(in: secondWindow)))
    }
  }
}
