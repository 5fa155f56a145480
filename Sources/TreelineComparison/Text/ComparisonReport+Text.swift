extension ComparisonReport {
  /// The report as tables for a terminal, at most 100 columns wide for the usual methods; `*` marks the best value.
  public var text: String {
    guard !views.isEmpty else { return "\(grouped(pointCount)) points in no view: nothing to compare.\n" }
    var tables = views.enumerated().map { index, view in
      "View \(index + 1) of \(views.count): \(view.words)\nbbox \(view.view.box)\n"
        + TextTable(names: methods.map(\.name), rows: view.rows(measures)).text
    }
    if let journey {
      tables.append(
        "Journey: \(journey.words)\n"
          + TextTable(names: journey.results.map(\.method.name), rows: journey.rows).text)
    }
    return tables.joined(separator: "\n") + "\n* best in its row\n"
  }
}

extension ViewComparison {
  /// Such as `zoom 8, 1,024 x 768 px, 12,345 points`.
  fileprivate var words: String {
    "zoom \(zoomText(view.zoom)), \(fixed(view.width, 0)) x \(fixed(view.height, 0)) px, "
      + "\(grouped(pointCount)) points"
  }
}

extension JourneyComparison {
  /// Such as `34 views from zoom 1.56 to 7.56, 12 pans, at most 96 badges where there is a limit`.
  var words: String {
    let zooms = views.map(\.zoom)
    let pans = moves.count { $0 == .pan }
    return "\(views.count) views from zoom \(zoomText(zooms.min()!)) to \(zoomText(zooms.max()!)), "
      + "\(pans) pan\(pans == 1 ? "" : "s"), at most \(grouped(limit)) badges where there is a limit"
  }
}
