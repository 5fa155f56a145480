import Treeline

/// A journey as a film strip: a row for each method, a column for each of some steps, so that what changes on the screen
/// is seen at a glance and side by side.
struct FilmStrip {
  let journey: JourneyComparison
  let land: LandOutline?

  /// How many steps of each kind are shown, at most.
  private static let stepsShown: [(move: Move, count: Int)] = [
    (.zoomIn, 3), (.pan, 3), (.zoomOut, 2), (.other, 2),
  ]

  /// The steps shown, in their order, evenly out of those of each kind, with the first and the last.
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
          journey: journey, result: result, step: step, name: "j\(step)",
          land: number == 0 ? land?.path(in: journey.views[step + 1]) : nil, isFirst: number == 0
        ).html(label: label(of: step))
      }
      return """
        <h3 class="t\(result.index % colourCount)">\(escaped(result.method.title)) <span>\(escaped(result.method.summary))</span></h3>
        <div class="frames">
        \(frames.joined())</div>

        """
    }
    let table = MeasureTable(
      heads: journey.results.map { .init(title: $0.method.title, colour: $0.index % colourCount) },
      rows: journey.rows, caption: "Measures of the journey")
    return """
      <section class="journey">
      <div class="heading"><h2>A journey: in, to the sides, and out again</h2>
      <p class="facts">\(escaped(journey.words)). Shown are \(steps.count) of its \(journey.moves.count) steps, each as it ends.</p></div>
      \(legend)<div class="strip" role="region" tabindex="0" aria-label="Film strip of the journey" style="--steps:\(steps.count);--ratio:\(ratio)">
      <ol class="steps">\(heads.joined())</ol>
      \(rows.joined())</div>
      \(table.html)</section>

      """
  }

  /// The pictures' width over their height: all are as large as the largest.
  private var ratio: String {
    let (widths, heights) = (journey.views.map(\.width), journey.views.map(\.height))
    return "\(coordinate(widths.max()!))/\(coordinate(heights.max()!))"
  }

  private var legend: String {
    let entries = [
      ("kept", "stays"), ("split", "split off its whole, on a line from it"),
      ("merged", "takes in others, on lines to it"),
      ("torn", "made of pieces of several"), ("entered", "comes in"), ("left", "goes out"),
    ]
    let items = entries.map { "<li class=\"\($0.0)\"><i></i>\($0.1)</li>" }
    return "<ul class=\"legend\" aria-label=\"Colours\">\(items.joined())</ul>\n"
  }

  /// Such as `zoom 3 to 3.5` or `pan right`.
  private func label(of step: Int) -> String {
    let (from, to) = (journey.views[step], journey.views[step + 1])
    guard journey.moves[step] == .pan else { return "zoom \(zoomText(from.zoom)) to \(zoomText(to.zoom))" }
    let middle = to.pixel(PixelPoint(x: from.width / 2, y: from.height / 2), of: from)
    let (dx, dy) = (to.width / 2 - middle.x, to.height / 2 - middle.y)
    let words = [dx > 1 ? "right" : dx < -1 ? "left" : nil, dy > 1 ? "down" : dy < -1 ? "up" : nil]
    return "pan " + (words.compactMap { $0 }.joined(separator: " and "))
      + ", zoom \(zoomText(to.zoom))"
  }
}

/// One picture of the strip: what a step ends with, and where it came from.
private struct Frame {
  let journey: JourneyComparison
  let result: JourneyComparison.MethodResult
  let step: Int
  /// That of the step on this page.
  let name: String
  /// The path of land; only the first row has it, the others refer to it.
  let land: String?
  let isFirst: Bool

  private var view: ComparisonView { journey.views[step + 1] }
  private var change: AnswerChange { result.changes[step] }
  private var before: [ShownCluster] { result.answers[step].clusters }
  private var after: [ShownCluster] { result.answers[step + 1].clusters }

  func html(label: String) -> String {
    let counts = counts
    let told = counts.map { "\(grouped($0.count)) \($0.word)" }
    return """
      <figure><svg viewBox="0 0 \(coordinate(view.width)) \(coordinate(view.height))" role="img" aria-label="\(escaped(result.method.title)), \(escaped(label)): \(told.joined(separator: ", "))">
      \(background)\(lines)\(badges)</svg><figcaption>\(told.joined(separator: " · "))</figcaption></figure>

      """
  }

  private var background: String {
    guard isFirst else { return "<use href=\"#\(name)\"/>\n" }
    var path = PathText()
    for place in journey.dots[step + 1].positions {
      path.move(to: place)
      path.dot()
    }
    let coast = land.map { "<path class=\"land\" d=\"\($0)\"/>" } ?? ""
    return
      "<g id=\"\(name)\" transform=\"scale(.1)\">\(coast)<path class=\"points\" d=\"\(path.text)\"/></g>\n"
  }

  /// From where points were shown to where they are shown now, one path a kind.
  private var lines: String {
    Flow.Kind.allCases.filter { $0 != .kept }.map { kind in
      var path = PathText()
      for flow in change.flows where flow.kind == kind {
        let end = after[flow.to].position
        path.move(to: view.nearest(view.pixel(before[flow.from].position, of: journey.views[step]), to: end))
        path.line(to: end)
      }
      return path.text.isEmpty
        ? "" : "<path class=\"\(kind.rawValue)\" transform=\"scale(.1)\" d=\"\(path.text)\"/>\n"
    }.joined()
  }

  private var badges: String {
    var groups: [(kind: String, circles: String)] = [
      ("kept", ""), ("split", ""), ("merged", ""), ("torn", ""),
    ]
    let kinds = kinds
    for (cluster, kind) in zip(after, kinds) {
      guard let kind, let group = groups.firstIndex(where: { $0.kind == kind.rawValue }) else { continue }
      groups[group].circles += circle(cluster, at: cluster.position)
    }
    let entered = change.entered.map { circle(after[$0], at: after[$0].position) }.joined()
    let left = change.left.map {
      circle(before[$0], at: view.pixel(before[$0].position, of: journey.views[step]))
    }
    .joined()
    return (groups + [("entered", entered), ("left", left)]).filter { !$0.circles.isEmpty }
      .map { "<g class=\"\($0.kind)\">\($0.circles)</g>\n" }.joined()
  }

  /// Where nobody sees it, nothing is drawn.
  private func circle(_ cluster: ShownCluster, at place: PixelPoint) -> String {
    let radius = BadgeSize.diameter(pointCount: cluster.pointCount) / 2
    guard -radius...view.width + radius ~= place.x, -radius...view.height + radius ~= place.y else {
      return ""
    }
    return "<circle cx=\"\(fixed(place.x, 0))\" cy=\"\(fixed(place.y, 0))\" r=\"\(fixed(radius, 0))\"/>"
  }

  /// What became of each cluster shown now, by the worst of its flows; nil for one that entered.
  private var kinds: [Flow.Kind?] {
    var kinds = [Flow.Kind?](repeating: nil, count: after.count)
    for flow in change.flows where kinds[flow.to] != .torn { kinds[flow.to] = flow.kind }
    return kinds
  }

  private var counts: [(count: Int, word: String)] {
    let kinds = kinds
    let told = [Flow.Kind.kept, .split, .merged, .torn].map { kind in (kinds.count { $0 == kind }, kind.word)
    }
    return (told + [(change.entered.count, "in"), (change.left.count, "out")]).filter { $0.0 > 0 }
  }
}

extension Flow.Kind {
  fileprivate var word: String {
    switch self {
    case .kept: "stay"
    case .split: "split"
    case .merged: "merge"
    case .torn: "torn"
    }
  }
}
