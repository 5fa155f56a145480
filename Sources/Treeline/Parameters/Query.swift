/// A query to a tree as one value: how the tree is cut, and what is looked at.
///
/// A command line (`--zoom 9 --spacing 44`), a URL (`zoom=9&spacing=44`) and JSON (`{"zoom": 9, "spacing": 44}`) spell
/// a query with the same names. A query that no tree can answer, such as a spacing without a zoom, is refused when it
/// is read.
///
/// ```swift
/// let query = Query(.spacing(44), in: Viewport(paris, zoom: 11.5))
/// let url = "/v1/hotels/clusters?" + query.parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
/// let clusters = try tree.clusters(query)
/// ```
public struct Query: Hashable, Sendable {
  /// The cut, which decides how finely the tree is cut.
  public var cut: Cut
  /// The viewport, which decides what is looked at.
  public var viewport: Viewport

  /// Makes a query for the clusters of a cut in a viewport.
  public init(_ cut: Cut, in viewport: Viewport) { (self.cut, self.viewport) = (cut, viewport) }

  /// Whether a cluster that stands out of view is by default shown at one of its points in view.
  ///
  /// This is so for a limit and a detail in a box or on a screen. A spacing and badges keep clusters apart only where
  /// they stand, and a tile must show a cluster at the same position as its neighbors.
  /// `ClusterTree.shownPosition(of:at:keptVisibleIn:)` finds the position.
  public var keepsClustersVisible: Bool {
    switch viewport.area {
    case .box, .center: !cut.keepsApart
    case .everything, .tile: false
    }
  }
}

extension Query: Parameterized {
  /// The parameters that several queries may share, in groups; see `QueryParameters.read(prefix:sharing:_:)`.
  public static let sharedParameters = Cut.sharedParameters

  /// The parameters of the viewport and then of the cut, in a fixed order.
  public var parameters: [(name: String, value: ParameterValue)] { viewport.parameters + cut.parameters }

  public init(_ parameters: inout QueryParameters) { self.init(&parameters, defaultZoom: nil) }

  /// Reads a query that takes its zoom from another query if it has none; see `Viewport.init(_:defaultZoom:)`.
  public init(_ parameters: inout QueryParameters, defaultZoom: Double?) {
    viewport = Viewport(&parameters, defaultZoom: defaultZoom)
    cut = Cut(&parameters)
    guard let pixels = cut.pixels, !viewport.hasScale else { return }
    let name = pixels.criterion.rawValue
    parameters.refuse(
      "zoom", expected: "a zoom, as \(name) is in pixels", found: nil,
      sentence: "{\(name)} needs {zoom}, or {bbox} with {width} and {height}: it is in pixels.")
  }
}
