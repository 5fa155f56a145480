/// A question to a tree as one value: how it is cut, and what is looked at.
///
/// A command line (`--zoom 9 --spacing 44`), a URL (`zoom=9&spacing=44`) and JSON (`{"zoom": 9, "spacing": 44}`) are
/// three spellings of it, by the same names.
///
/// ```swift
/// let query = Query(.spacing(44), in: Viewport(paris, zoom: 11.5))
/// let url = "/v1/hotels/clusters?" + query.parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
/// let clusters = try tree.clusters(query.cut, in: query.viewport)
/// ```
public struct Query: Hashable, Sendable {
  /// How finely points are told apart.
  public var cut: Cut
  /// What is looked at.
  public var viewport: Viewport

  /// A query for the clusters of a cut in a viewport.
  public init(_ cut: Cut, in viewport: Viewport) { (self.cut, self.viewport) = (cut, viewport) }
}

extension Query: Parameterized {
  /// What is looked at, then how it is cut, in a fixed order.
  public var parameters: [(name: String, value: ParameterValue)] { viewport.parameters + cut.parameters }

  public init(_ parameters: inout QueryParameters) { self.init(&parameters, prefix: "") }

  /// Reads one of several queries, with a prefix before the names of its parameters. Those of the cut may go without:
  /// they are then of all queries.
  public init(_ parameters: inout QueryParameters, prefix: String) {
    viewport = Viewport(&parameters, prefix: prefix)
    cut = Cut(&parameters, prefix: prefix)
    parameters.requireScale(of: viewport, for: cut, prefix: prefix)
  }
}

extension QueryParameters {
  /// Notes a zoom that is missing, where a cut needs one.
  ///
  /// - Parameters:
  ///   - viewport: What is looked at.
  ///   - cut: How.
  ///   - prefix: Of the parameters of the viewport.
  public mutating func requireScale(of viewport: Viewport, for cut: Cut, prefix: String = "") {
    guard let pixels = cut.pixels, !viewport.hasScale else { return }
    let name = has(prefix + pixels.name) ? prefix + pixels.name : pixels.name
    refuse(
      prefix + "zoom", expected: "a zoom, as \(pixels.name) is in pixels", found: nil,
      sentence: "{\(name)} needs {\(prefix)zoom}: it is in pixels.")
  }
}
