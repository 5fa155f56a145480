import Treeline

/// A journey as a film strip, with a row for each method and a column for each step that is shown.
struct FilmStrip {
  let journey: JourneyComparison
  let land: LandOutline?
  /// Maximum number of steps that are shown, for each kind of move.
  private static let stepsShown: [(move: Move, count: Int)] = [(.zoomIn, 3), (.pan, 3), (.zoomOut, 2), (.other, 2)]

  /// The steps that are shown, in order. For each kind of move, these are the first step, the last step and evenly
  /// chosen steps in between.
  var steps: [Int] {
    Self.stepsShown.flatMap { move, count in
      let all = journey.moves.indices.filter { journey.moves[$0] == move }
      let count = min(count, all.count)
      return (0..<count).map { all[$0 * (all.count - 1) / max(count - 1, 1)] }
    }.sorted()
  }

  var html: String {
    let steps = steps
    let heads = steps.map { "<li>\(escaped(label(of: $0)))</li>" }
    let rows = journey.results.enumerated().map { number, result in
      let frames = steps.map { step in
        Frame(
          journey: journey, result: result, step: step, isFirst: number == 0,
          land: number == 0 ? land?.path(in: journey.views[step + 1]) : nil
        ).html(label: label(of: step))
      }
      return """
        <h3 class="t\(result.index % colourCount)">\(escaped(result.method.title)) <span>\(escaped(result.method.summary))</span></h3>
        <div class="frames">
        \(frames.joined())</div>

        """
    }
    let legend = Fate.allCases.map { "<li class=\"\($0.words.style)\"><i></i>\($0.words.legend)</li>" }
    // All pictures have the size of the largest picture.
    let size = journey.views.reduce(PixelPoint.zero) { pointwiseMax($0, PixelPoint(x: $1.width, y: $1.height)) }
    let table = MeasureTable(
      heads: journey.results.map { ($0.method.title, $0.index % colourCount) }, rows: journey.rows,
      caption: "Measures of the journey")
    return """
      <section class="journey">
      <div class="heading"><h2>A journey: in, to the sides, and out again</h2>
      <p class="facts">\(escaped(journey.words)). The strip shows the end of \(steps.count) of its \(journey.moves.count) steps.</p></div>
      <ul class="legend" aria-label="Colors">\(legend.joined())</ul>
      <div class="strip" role="region" tabindex="0" aria-label="Film strip of the journey" style="--steps:\(steps.count);--ratio:\(coordinate(size.x))/\(coordinate(size.y))">
      <ol class="steps">\(heads.joined())</ol>
      \(rows.joined())</div>
      <details><summary>Measures of the journey</summary>
      \(table.html)</details></section>

      """
  }

  /// Returns a label for a step, such as `zoom 3 to 3.5` or `pan right, zoom 4`.
  private func label(of step: Int) -> String {
    let (from, to) = (journey.views[step], journey.views[step + 1])
    guard journey.moves[step] == .pan else { return "zoom \(zoomText(from.zoom)) to \(zoomText(to.zoom))" }
    let way = to.middle - to.pixel(from.middle, of: from)
    let words = [way.x > 1 ? "right" : way.x < -1 ? "left" : nil, way.y > 1 ? "down" : way.y < -1 ? "up" : nil]
    return "pan " + (words.compactMap { $0 }.joined(separator: " and ")) + ", zoom \(zoomText(to.zoom))"
  }
}

extension Fate {
  /// Names of this fate in the page: its CSS class, its text in the legend, and the word that follows the number of
  /// badges with this fate, as in `3 merge`.
  fileprivate var words: (style: String, legend: String, count: String) {
    switch self {
    case .kept: ("kept", "stays", "stay")
    case .split: ("split", "split off from another badge; a line links the two badges", "split")
    case .merged: ("merged", "merged from other badges; lines link the badges", "merge")
    case .torn: ("torn", "made of parts of several badges", "torn")
    case .entered: ("entered", "enters", "in")
    case .exited: ("left", "leaves", "out")
    }
  }
}

/// One picture of the strip: the view after a step, with lines from the previous positions of badges.
private struct Frame {
  let journey: JourneyComparison
  let result: JourneyComparison.MethodResult
  let step: Int
  /// Whether the frame is in the first row. Only the first row contains the land and the points. All other rows reuse
  /// the land and the points of the first row.
  let isFirst: Bool
  /// Path of the land; nil to draw no land.
  let land: String?

  private var view: ComparisonView { journey.views[step + 1] }
  private var change: AnswerChange { result.journey.changes[step] }
  private var after: [ShownCluster] { result.journey.views[step + 1].clusters }

  func html(label: String) -> String {
    let fates = fates
    let groups = Fate.allCases.map { fate in (fate, badges: fates.filter { $0.fate == fate }) }
    let counts = groups.filter { !$0.badges.isEmpty }.map { "\(grouped($1.count)) \($0.words.count)" }
    let badges = groups.map { fate, badges in
      let circles = badges.map { circle($0.cluster, at: $0.position) }.joined()
      return circles.isEmpty ? "" : "<g class=\"\(fate.words.style)\">\(circles)</g>\n"
    }
    return """
      <figure><svg viewBox="0 0 \(coordinate(view.width)) \(coordinate(view.height))" role="img" aria-label="\(escaped(result.method.title)), \(escaped(label)): \(counts.joined(separator: ", "))">
      \(background)\(lines)\(badges.joined())</svg><figcaption>\(counts.joined(separator: " · "))</figcaption></figure>

      """
  }

  private var background: String {
    guard isFirst else { return "<use href=\"#j\(step)\"/>\n" }
    var path = PathText()
    path.dots(at: journey.dots[step + 1].positions)
    let coast = land.map { "<path class=\"land\" d=\"\($0)\"/>" } ?? ""
    return "<g id=\"j\(step)\" transform=\"scale(.1)\">\(coast)<path class=\"points\" d=\"\(path.text)\"/></g>\n"
  }

  /// Lines between the previous and current positions of clusters that share points. Each kind of change has one path.
  private var lines: String {
    [Fate.split, .merged, .torn].map { kind in
      var path = PathText()
      for flow in change.flows where flow.kind == kind {
        let end = after[flow.to].position
        path.move(to: view.nearest(before(flow.from).position, to: end))
        path.line(to: end)
      }
      return path.text.isEmpty
        ? "" : "<path class=\"\(kind.words.style)\" transform=\"scale(.1)\" d=\"\(path.text)\"/>\n"
    }.joined()
  }

  /// The fate of each cluster in this view, and of each cluster of the previous view that shares no point with this
  /// view. A cluster in this view may share points with several clusters of the previous view, and has a fate with
  /// respect to each of them. If one of these fates is `torn`, the cluster counts as torn.
  private var fates: [(fate: Fate, cluster: ShownCluster, position: PixelPoint)] {
    var fates = [Fate](repeating: .entered, count: after.count)
    for flow in change.flows where fates[flow.to] != .torn { fates[flow.to] = flow.kind }
    return zip(fates, after).map { ($0, $1, $1.position) }
      + change.exited.map { index in (.exited, before(index).cluster, before(index).position) }
  }

  /// Returns a cluster of the previous view, with its position in this view.
  private func before(_ index: Int) -> (cluster: ShownCluster, position: PixelPoint) {
    let cluster = result.journey.views[step].clusters[index]
    return (cluster, view.pixel(cluster.position, of: journey.views[step]))
  }

  /// Returns an SVG circle for a badge, or an empty string if the circle lies outside the picture.
  private func circle(_ cluster: ShownCluster, at position: PixelPoint) -> String {
    let radius = cluster.diameter / 2
    guard -radius...view.width + radius ~= position.x, -radius...view.height + radius ~= position.y else { return "" }
    return "<circle cx=\"\(fixed(position.x, 0))\" cy=\"\(fixed(position.y, 0))\" r=\"\(fixed(radius, 0))\"/>"
  }
}
