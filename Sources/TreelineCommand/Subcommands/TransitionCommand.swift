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
      the coordinates of the whole to their own, and those of a merge from their own to the whole's.
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

  @Flag(help: "Change as little as the second limit allows, rather than cut afresh.")
  var continuing = false

  @OptionGroup var splitting: SplitOptions

  func validate() throws {
    for (name, limit) in [("--from-limit", fromLimit), ("--to-limit", toLimit)] {
      if let limit, limit < 1 { throw ValidationError("'\(name)' must be 1 or more, found \(limit).") }
    }
    for (name, zoom) in [("--from-zoom", fromZoom), ("--to-zoom", toZoom)] {
      if let zoom, !(0...32 ~= zoom) {
        throw ValidationError("'\(name)' must be from 0 to 32, found \(zoom).")
      }
    }
    try cut.validate(hasZoom: fromZoom != nil, zoomOption: "--from-zoom")
    if continuing && (cut.detail != nil || cut.spacing != nil) {
      throw ValidationError("'--continuing' goes with a limit; '--detail' and '--spacing' stay as they are.")
    }
  }

  func run() throws {
    try reportingFailures {
      let tree = try Points(
        source.input, keepsColumns: false, splitRule: splitting.split, findsSeparations: cut.spacing != nil
      ).tree
      func clusters(
        _ box: BoundingBox?, _ zoom: Double?, _ limit: Int?, after previous: Clusters? = nil
      ) throws -> Clusters {
        guard let window = try box.map(tree.plane.window(showing:)) ?? .everything else {
          return tree.noClusters
        }
        return try cut.clusters(of: tree, in: window, zoom: zoom, limit: limit, after: previous)
      }
      let first = try clusters(fromBbox, fromZoom, fromLimit)
      let second = try clusters(
        toBbox, toZoom ?? fromZoom, toLimit ?? fromLimit, after: continuing ? first : nil)
      try writeToStandardOutput(
        TransitionWriter(plane: tree.plane).text(Transition(from: first, to: second)))
    }
  }
}
