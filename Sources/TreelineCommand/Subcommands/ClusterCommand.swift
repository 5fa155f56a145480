import ArgumentParser
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

struct ClusterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster", abstract: "Prints a cluster, or its children, parent or members.",
    discussion: """
      --show prints the cluster 'itself', its two 'children', its 'parent', or its 'members'. --offset skips members, \
      and --limit is the maximum number of members (default: 100). '--show expansion-zoom' prints the lowest zoom at \
      which a query with \(pixelOptions) shows the children of the cluster instead of the cluster. If there is no \
      such zoom, null is printed.

      Within one index, an id always means the same cluster. In another index the id has no meaning.
      """)

  enum Part: String, ExpressibleByArgument, CaseIterable {
    case itself, children, parent, members
    case expansionZoom = "expansion-zoom"
  }

  @OptionGroup var source: InputOptions

  @Argument(help: .init("The 'cluster_id' that a query printed.", valueName: "id")) var id: UInt64

  @Option(help: "What to print.") var show: Part = .itself

  @OptionGroup var filter: FilterOption<NoPrefix>

  @Option(parsing: .unconditional, help: .init("The number of members to skip.", valueName: "n")) var offset = 0

  @Option(parsing: .unconditional, help: .init("The maximum number of members. (default: 100)", valueName: "n"))
  var limit: String?

  @OptionGroup var cut: PixelCutOptions<NoPrefix>

  @Option(
    parsing: .unconditional,
    help: .init(
      "The tile size that 'expansion-zoom' refers to: 256, or 512 as in MapLibre. (default: 256)", valueName: "px"))
  var tileSize: String?

  @OptionGroup var splitting: GrowthOptions

  @OptionGroup var notes: NoteOptions

  func validate() throws {
    if offset < 0 { throw ValidationError("'--offset' must be 0 or more, found \(offset).") }
    _ = try question()
  }

  /// Returns the cut, the page size and the tile size. The page size is the number of members on a page. The cut and
  /// the tile size are for an expansion zoom.
  private func question() throws -> (cut: Cut, pageSize: Int, tileSize: Viewport.TileSize) {
    let given = cut.parameters + NoPrefix.parameters([("limit", limit), ("tile-size", tileSize)])
    var parameters = QueryParameters(given)
    let taken =
      switch show {
      case .itself, .children, .parent: Set<String>()
      case .members: Set(["limit"])
      case .expansionZoom: Set(given.map(\.name)).subtracting(Cut.limitParameters)
      }
    for (name, value) in given where !taken.contains(name) {
      parameters.refuse(
        name, expected: "no --show \(show.rawValue)", found: value,
        sentence: "{\(name)} cannot be used with '--show \(show.rawValue)'.")
    }
    var (cut, pageSize) = (Cut.standard, 100)
    if show == .members { pageSize = parameters.integer("limit", in: 1 ... .max) ?? pageSize }
    if show == .expansionZoom {
      cut = Cut(&parameters)
      if !cut.isByPixels {
        parameters.refuse(
          "detail", expected: PixelCriterion.list(), found: nil,
          sentence: "'--show expansion-zoom' needs \(PixelCriterion.list { "{\($0)}" }), "
            + "because with a limit the zoom depends on the view.")
      }
    }
    let tileSize = parameters.tileSize("tile-size") ?? .pixels256
    try parameters.check()
    return (cut, pageSize, tileSize)
  }

  func run() throws {
    try reportingFailures {
      let question = try question()
      let points = try Points(
        source.input, keepsColumns: true, splitting.request, for: [question.cut]
      ).selecting(try filter.parsed(), of: source.input.name)
      let (tree, writer) = (points.tree, FeatureCollectionWriter(plane: points.tree.plane))
      let id = ClusterID(rawValue: id)
      var bytes = OutputBytes()
      switch show {
      case .itself: write(points.feature(of: try tree.cluster(id)), by: writer, to: &bytes)
      case .parent:
        guard let parent = try tree.parent(of: id) else {
          throw Failure.usage("the cluster of all points has no parent")
        }
        write(points.feature(of: parent), by: writer, to: &bytes)
      case .children:
        writer.open(&bytes)
        for (number, child) in try tree.children(of: id).enumerated() {
          writer.append(points.feature(of: child), isFirst: number == 0, to: &bytes)
        }
        writer.close(&bytes)
      case .members:
        let members = tree.members(of: try tree.cluster(id))
        writer.open(&bytes, offset: offset, total: members.count)
        for (number, position) in members.indices.dropFirst(offset).prefix(question.pageSize).enumerated() {
          let index = members.treeIndex(at: position)
          writer.append(try points.feature(ofPointAt: index), isFirst: number == 0, to: &bytes)
        }
        writer.close(&bytes)
      case .expansionZoom:
        // A cluster with fewer points than `--min-points` is not shown at any zoom. Its expansion zoom is 0.
        let zoom = try tree.separationZoom(of: id, for: question.cut, tileSize: question.tileSize)
        bytes.append("{\"zoom\":")
        bytes.append(json: QueryParameters.Bounds().reached(zoom).map { max($0, 0) })
        bytes.append("}\n")
      }
      try bytes.withBytes(writeToStandardOutput)
    }
  }

  private func write(_ feature: ClusterFeature, by writer: FeatureCollectionWriter, to bytes: inout OutputBytes) {
    writer.append(feature, to: &bytes)
    bytes.append("\n")
  }
}
