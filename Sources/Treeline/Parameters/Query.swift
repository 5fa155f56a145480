/// A query to a tree, which consists of a cut and a viewport.
///
/// The parameters of a query have the same names on a command line (`--zoom 9 --spacing 44`), in a URL
/// (`zoom=9&spacing=44`) and in JSON (`{"zoom": 9, "spacing": 44}`). A query that no tree can answer, such as a
/// spacing without a zoom, is refused when the query is read.
///
/// ```swift
/// let query = Query(.spacing(44), in: Viewport(paris, zoom: 11.5))
/// let json = try JSONEncoder().encode(query)
/// let clusters = try tree.clusters(query)
/// ```
public struct Query: Hashable, Sendable {
  /// The cut: the rule by which points are combined into clusters.
  public var cut: Cut
  /// The viewport: the part of the map that is shown.
  public var viewport: Viewport

  /// Makes a query for the clusters of a cut in a viewport.
  public init(_ cut: Cut, in viewport: Viewport) { (self.cut, self.viewport) = (cut, viewport) }

  /// Whether, by default, a cluster whose position is out of view is shown at one of its points in view.
  ///
  /// The value is true for a cut with a limit or a detail if the viewport is a box or a screen. The value is false for
  /// a spacing and for badges, because they keep clusters apart only if each cluster is shown at its own position. The
  /// value is also false for a tile, because neighboring tiles must show a cluster at the same position.
  /// `ClusterTree.shownPosition(of:at:keptVisibleIn:)` finds the position.
  package var keepsClustersVisible: Bool {
    switch viewport.area {
    case .box, .center: !cut.keepsApart
    case .everything, .tile: false
    }
  }
}

extension Query: Parameterized {
  /// The parameters that several queries may share, in groups; see `QueryParameters.read(prefix:sharing:_:)`.
  @_spi(Server) public static let sharedParameters = Cut.sharedParameters

  /// The parameters of the viewport and then of the cut, in a fixed order.
  package var parameters: [(name: String, value: ParameterValue)] { viewport.parameters + cut.parameters }

  /// Reads a query from parameters. Faults are collected in `parameters`; see `QueryParameters.faults`.
  public init(_ parameters: inout QueryParameters) { self.init(&parameters, defaultZoom: nil) }

  /// Reads a query. If the query has no zoom, `defaultZoom` is used, see `Viewport.init(_:defaultZoom:)`.
  @_spi(Server) public init(_ parameters: inout QueryParameters, defaultZoom: Double?) {
    viewport = Viewport(&parameters, defaultZoom: defaultZoom)
    cut = Cut(&parameters)
    guard let pixels = cut.pixels, !viewport.hasScale, !parameters.has("zoom"), !parameters.has("tile") else { return }
    let name = pixels.criterion.rawValue
    parameters.refuse(
      "zoom", expected: "a zoom, because \(name) is in pixels", found: nil,
      sentence: "{\(name)} is in pixels and needs {zoom}, or {bbox} with {width} and {height}.")
  }
}
