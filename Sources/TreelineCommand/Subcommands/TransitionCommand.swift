import ArgumentParser
import Treeline
import TreelineFormats

struct TransitionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transition",
    abstract: "Prints what changes from one view to another.",
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
    parsing: .unconditional,
    help: ArgumentHelp("What is looked at first. (default: all)", valueName: "w,s,e,n"),
    transform: BoundingBox.init(argument:))
  var fromBbox: BoundingBox?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The most clusters there. (default: 100, or none with --detail or --spacing)", valueName: "k"))
  var fromLimit: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The zoom there, at which the world is 256 px times 2^zoom wide.", valueName: "z"))
  var fromZoom: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("What is looked at then. (default: all)", valueName: "w,s,e,n"),
    transform: BoundingBox.init(argument:))
  var toBbox: BoundingBox?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The most clusters there. (default: that of the first)", valueName: "k"))
  var toLimit: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The zoom there. (default: that of the first)", valueName: "z"))
  var toZoom: Double?

  @OptionGroup var cut: CutOptions

  @Option(help: ArgumentHelp("The order of the first view, in place of --order.", valueName: "order"))
  var fromOrder: ExpansionOrder?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The detail of the first view, in place of --detail.", valueName: "px"))
  var fromDetail: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The spacing of the first view, in place of --spacing.", valueName: "px"))
  var fromSpacing: Double?

  @Option(help: ArgumentHelp("The order of the second view, in place of --order.", valueName: "order"))
  var toOrder: ExpansionOrder?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The detail of the second view, in place of --detail.", valueName: "px"))
  var toDetail: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The spacing of the second view, in place of --spacing.", valueName: "px"))
  var toSpacing: Double?

  @Flag(help: "Change as little as the second limit allows, rather than cut afresh.")
  var continuing = false

  @OptionGroup var position: PositionOptions

  @OptionGroup var splitting: SplitOptions

  private var first: View {
    View(
      boxOption: "--from-bbox", box: fromBbox, zoom: fromZoom, limit: fromLimit,
      cut: cut.replacing(order: fromOrder, detail: fromDetail, spacing: fromSpacing))
  }

  private var second: View {
    View(
      boxOption: "--to-bbox", box: toBbox, zoom: toZoom ?? fromZoom, limit: toLimit ?? fromLimit,
      cut: cut.replacing(order: toOrder, detail: toDetail, spacing: toSpacing))
  }

  func validate() throws {
    for (name, limit) in [("--from-limit", fromLimit), ("--to-limit", toLimit)] {
      if let limit, limit < 1 { throw ValidationError("'\(name)' must be 1 or more, found \(limit).") }
    }
    for (name, zoom) in [("--from-zoom", fromZoom), ("--to-zoom", toZoom)] {
      if let zoom, !(0...32 ~= zoom) {
        throw ValidationError("'\(name)' must be from 0 to 32, found \(zoom).")
      }
    }
    let isFirstApart = fromOrder != nil || fromDetail != nil || fromSpacing != nil
    let isSecondApart = toOrder != nil || toDetail != nil || toSpacing != nil
    if first.cut.isScale {
      try first.cut.validate(
        hasZoom: first.zoom != nil, zoomOption: "--from-zoom", prefix: isFirstApart ? "--from-" : "--")
    }
    if second.cut.isScale {
      try second.cut.validate(
        hasZoom: second.zoom != nil, zoomOption: isSecondApart ? "--to-zoom" : "--from-zoom",
        prefix: isSecondApart ? "--to-" : "--")
    }
    if !first.cut.isScale && !second.cut.isScale {
      try cut.validate(hasZoom: true, zoomOption: "--from-zoom")
    }
    if continuing && second.cut.isScale {
      throw ValidationError("'--continuing' goes with a limit; a detail and a spacing stay as they are.")
    }
  }

  func run() throws {
    try reportingFailures {
      let (first, second) = (first, second)
      let tree = try Points(
        source.input, keepsColumns: false, splitRule: splitting.split,
        computesSeparations: first.cut.spacing != nil || second.cut.spacing != nil
      ).tree
      let shown = try first.clusters(of: tree)
      let next = try second.clusters(of: tree, after: continuing ? shown : nil)
      func position(in view: View) -> TransitionWriter.Position {
        { try self.position.coordinate(of: $0, of: tree, in: view.window(on: tree)) }
      }
      try writeToStandardOutput(
        TransitionWriter(plane: tree.plane).text(
          Transition(from: shown, to: next), from: position(in: first), to: position(in: second)))
    }
  }
}

/// What is looked at, and how.
private struct View {
  /// The option that the box comes by.
  let boxOption: String
  let box: BoundingBox?
  let zoom: Double?
  let limit: Int?
  let cut: CutOptions

  /// nil where the box shows nothing of the plane.
  func window(on tree: ClusterTree) throws -> PlaneWindow? {
    guard let box else { return .everything }
    do {
      return try tree.plane.window(showing: box)
    } catch {
      throw Failure(message: "\(boxOption): \(error)", code: Failure.usage)
    }
  }

  func clusters(of tree: ClusterTree, after previous: Clusters? = nil) throws -> Clusters {
    guard let window = try window(on: tree) else { return tree.noClusters }
    return try cut.clusters(of: tree, in: window, zoom: zoom, limit: limit, after: previous)
  }
}
