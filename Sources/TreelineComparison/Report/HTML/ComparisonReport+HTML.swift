@_spi(Server) import Treeline

extension ComparisonReport {
  /// The first bytes of every page.
  package static let htmlBeginning = """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="generator" content="Treeline">
    """

  /// Returns the report as an HTML page that loads no other files and runs no scripts.
  ///
  /// - Parameters:
  ///   - title: Name of the data, such as the name of its file.
  ///   - land: Rings of land in degrees, both outer rings and holes. The rings are cut at the antimeridian as in
  ///     GeoJSON (RFC 7946, section 3.1.9), or continue beyond 180 degrees. No land is drawn on a plane without a
  ///     projection.
  ///   - credits: Sentences that licenses require, as plain text.
  /// - Complexity: O(views · (clusters + drawn points + corners of land))
  package func html(title: String, land: [[Coordinate]] = [], credits: [String] = []) -> String {
    let land = plane.projection == .webMercator && !land.isEmpty ? LandOutline(land, on: plane) : nil
    let sections = views.indices.map { section($0, land: land) }
    let summary = Summary(report: self, title: title)
    let strip = journey.map { FilmStrip(journey: $0, land: land).html } ?? ""
    return """
      \(Self.htmlBeginning)
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(escaped(title)): \(escaped(enumeration(of: methods.map(\.title)))) compared</title>
      <style>
      \(String(decoding: PackageResources.report_css, as: UTF8.self))</style>
      </head>
      <body>
      <main>
      \(summary.head)\(sections.prefix(1).joined())\(summary.tiles)\(sections.dropFirst().joined())\(strip)\(glossary)\(footer(credits))</main>
      </body>
      </html>

      """
  }

  private func section(_ index: Int, land: LandOutline?) -> String {
    let comparison = views[index]
    let path = land?.path(in: comparison.view)
    let picture = MapPicture(comparison: comparison, methods: methods, name: "v\(index + 1)", land: path)
    let figures = methods.enumerated().map { number, method in
      """
      <figure>
      \(picture.svg(method: number))<figcaption><b class="t\(number % colourCount)">\(escaped(method.title))</b> \(counted(comparison.results[number].clusters.count, "badge")) · \(escaped(method.summary))</figcaption>
      </figure>

      """
    }
    let heading = heading(index)
    let table = MeasureTable(
      heads: methods.enumerated().map { ($1.title, $0 % colourCount) }, rows: comparison.rows(measures()),
      caption: "Measures: " + heading)
    return """
      <section class="view">
      <div class="heading"><h2>\(escaped(heading))</h2>
      <p class="facts">\(escaped(facts(comparison, isLandLeftOut: land != nil && path == nil)))</p></div>
      <div class="pair">
      \(figures.joined())</div>
      <details><summary>Measures of this view</summary>
      \(table.html)</details></section>

      """
  }

  private var glossary: String {
    guard let view = views.first else { return "" }
    let journey = journey.map { "<h3>On the journey</h3>\n" + MeasureRow.glossary($0.rows) }
    return """
      <section class="glossary">
      <details><summary>What the measures mean</summary>
      \(MeasureRow.glossary(view.rows(measures())))\(journey ?? "")</details></section>

      """
  }

  private func heading(_ index: Int) -> String {
    let comparison = views[index]
    let zoom = comparison.view.zoom
    let points =
      comparison.pointCount == pointCount
      ? (pointCount == 1 ? "" : "All ") + counted(pointCount, "point")
      : "\(grouped(comparison.pointCount)) of \(counted(pointCount, "point"))"
    return "\(points), zoom \(fixed(zoom, zoom == zoom.rounded() ? 0 : 1))"
  }

  private func facts(_ comparison: ViewComparison, isLandLeftOut: Bool) -> String {
    let dots =
      switch comparison.dots.step {
      case 1: "Dots: all points."
      default: "Dots: one for every \(comparison.dots.step) points. Points that other dots hide are not counted."
      }
    let land = isLandLeftOut ? " The outline of land is left out, because it is too coarse for this zoom." : ""
    return "\(dots)\(land)\(offPicture(comparison))"
  }

  /// Returns a sentence that says how many badges have their centers beyond the edges of the picture. If only some
  /// points of a cluster lie in the picture, the mean of its points may lie beyond the edges.
  private func offPicture(_ comparison: ViewComparison) -> String {
    let counts = zip(methods, comparison.results).compactMap { method, result -> String? in
      let count = result.clusters.count { !comparison.view.shows($0.position) }
      return count > 0 ? "\(count) (\(method.title))" : nil
    }
    return counts.isEmpty ? "" : " Centered beyond the edges: \(counts.joined(separator: ", "))."
  }

  private func footer(_ credits: [String]) -> String {
    // A method may draw the extents of its clusters, for example as ellipses or as cells. If the extents of several
    // methods have the same meaning, the footer explains this meaning only once.
    let meanings = methods.indices.compactMap { index -> String? in
      guard let meaning = methods[index].extentMeaning else { return nil }
      let alike = methods.filter { $0.extentMeaning == meaning }.map(\.title)
      return methods[..<index].contains { $0.extentMeaning == meaning } ? nil : "\(enumeration(of: alike)): \(meaning)."
    }
    let lines =
      [
        "The width of a badge depends on its number of points: \(BadgeSize.range) in a picture at full size. "
          + "A single point is drawn as a small dot and measured like a badge. " + meanings.joined(separator: " "),
        "Numbers are rounded before the “best” method is chosen.",
      ] + credits
    return "<footer>\n" + lines.map { "<p>\(escaped($0))</p>\n" }.joined() + "</footer>\n"
  }
}
