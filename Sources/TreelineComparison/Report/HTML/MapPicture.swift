@_spi(Server) import Treeline

/// The SVG pictures of a view, one per method. Land and points are written once and shared by all pictures.
struct MapPicture {
  let comparison: ViewComparison
  let methods: [ClusteringMethod]
  /// Prefix of the ids in the pictures. Each view of the page has a different prefix.
  let name: String
  /// Outline of the land, as the data of an SVG path; nil if the outline is too coarse.
  let land: String?

  func svg(method index: Int) -> String {
    let view = comparison.view
    let (method, clusters) = (methods[index], comparison.results[index].clusters)
    let id = "\(name)-\(index)"
    // A plane without a projection is a square that ends at the outermost points. So badges need a margin.
    let margin = view.plane.projection == .planar ? 24.0 : 0
    let corner = coordinate(-margin)
    let (width, height) = (coordinate(view.width + 2 * margin), coordinate(view.height + 2 * margin))
    let style = "m\(index % colourCount)" + (land == nil ? " plain" : "")
    let description =
      "A map of \(counted(comparison.pointCount, "point")), shown as \(method.summary). "
      + "The number on a badge counts the points of the badge."
    return """
      <svg viewBox="\(corner) \(corner) \(width) \(height)" role="img" aria-labelledby="\(id)-t \(id)-d" class="\(style)">
      <title id="\(id)-t">\(escaped(method.title)): \(grouped(clusters.count)) badges</title>
      <desc id="\(id)-d">\(escaped(description))</desc>
      \(land.map { land in shared("land", method: index) { land } } ?? "")
      <g class="extent">\(clusters.map(extent).joined())</g>
      \(shared("points", method: index) { dots })
      <g class="badges">
      \(badges(of: clusters))</g>
      </svg>

      """
  }

  // MARK: Land and points

  /// Returns a layer that the pictures of all methods share: the land or the points. Only the first picture contains
  /// the layer, and the other pictures refer to it.
  private func shared(_ layer: String, method index: Int, path: () -> String) -> String {
    let id = "\(name)-\(layer)"
    guard index == 0 else { return "<use href=\"#\(id)\"/>" }
    let style = layer == "points" ? " stroke-width=\"\(dotWidth)\"" : ""
    return "<path id=\"\(id)\" class=\"\(layer)\"\(style) transform=\"scale(.1)\" d=\"\(path())\"/>"
  }

  /// Width of a dot in tenths of a pixel. If there are few points, dots are larger.
  private var dotWidth: Int {
    switch comparison.dots.positions.count {
    case ..<2_000: 36
    case ..<8_000: 28
    default: 22
    }
  }

  private var dots: String {
    var path = PathText()
    path.dots(at: comparison.dots.positions)
    return path.text
  }

  // MARK: Clusters

  private func extent(of cluster: ShownCluster) -> String {
    switch cluster.extent {
    case .box(let x, let y, let width, let height):
      return "<rect x=\"\(coordinate(x))\" y=\"\(coordinate(y))\" width=\"\(coordinate(width))\""
        + " height=\"\(coordinate(height))\"/>"
    case .ellipse(let semiMajor, let semiMinor, let angle):
      // The ellipse of two standard deviations, which contains most points of a cluster.
      let (x, y) = (coordinate(cluster.position.x), coordinate(cluster.position.y))
      return "<ellipse rx=\"\(coordinate(2 * semiMajor))\" ry=\"\(coordinate(max(2 * semiMinor, 1)))\""
        + " transform=\"translate(\(x) \(y))rotate(\(coordinate(angle)))\"/>"
    case nil: return ""
    }
  }

  /// Returns the badges, the largest first, so that large badges do not hide small ones.
  private func badges(of clusters: [ShownCluster]) -> String {
    let order = clusters.indices.sorted { (clusters[$1].pointCount, $0) < (clusters[$0].pointCount, $1) }
    return order.map { badge(clusters[$0]) }.joined()
  }

  private func badge(_ cluster: ShownCluster) -> String {
    let (x, y) = (coordinate(cluster.position.x), coordinate(cluster.position.y))
    guard cluster.pointCount > 1 else { return "<circle class=\"one\" cx=\"\(x)\" cy=\"\(y)\" r=\"5\"/>\n" }
    let label = BadgeText.abbreviated(cluster.pointCount)
    let fontSize = label.count > 3 ? 13.0 : 14.0
    // The baseline is computed, because not all browsers can center text vertically.
    let baseline = coordinate(cluster.position.y + 0.36 * fontSize)
    let radius = coordinate(cluster.diameter / 2)
    return "<g><title>\(grouped(cluster.pointCount)) points</title>"
      + "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"\(radius)\"/>"
      + "<text x=\"\(x)\" y=\"\(baseline)\"\(fontSize < 14 ? " class=\"long\"" : "")>\(label)</text></g>\n"
  }
}
