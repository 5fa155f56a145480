import Treeline

extension ComparisonReport {
  /// The report as JSON, with a line break at its end.
  ///
  /// `bbox` is west, south, east, north, as it may be asked for again; `_px` are pixels to two decimals; shares are from
  /// 0 to 1, to four decimals; what does not exist, such as the neighbour of a lone cluster, is null. `missing`,
  /// `repeated` and `miscounted` are 0 for every method that keeps account of its points.
  ///
  /// `distortion_to_kmeans` is there only where k-means was a yardstick, and `journey` where there was one.
  public var json: String {
    var members: [(key: String, value: JSONText)] = [
      ("points", .number(pointCount)),
      ("views", .array(views.map { $0.json(methods, hasKMeans: measures.contains(.distortionToKMeans)) })),
    ]
    if let journey { members.append(("journey", journey.json)) }
    return JSONText.object(members).text() + "\n"
  }
}

extension ViewComparison {
  fileprivate func json(_ methods: [ClusteringMethod], hasKMeans: Bool) -> JSONText {
    .object([
      ("bbox", view.box.json),
      ("zoom", .number(view.zoom, decimals: 4)),
      ("width_px", .number(view.width, decimals: 1)),
      ("height_px", .number(view.height, decimals: 1)),
      ("points", .number(pointCount)),
      ("limit", .number(limit)),
      (
        "methods", .array(zip(methods, results).map { $1.measures.json(name: $0.name, hasKMeans: hasKMeans) })
      ),
    ])
  }
}

extension ClusteringMeasures {
  fileprivate func json(name: String, hasKMeans: Bool) -> JSONText {
    let toKMeans: [(key: String, value: JSONText)] =
      hasKMeans ? [("distortion_to_kmeans", .number(distortionToKMeans, decimals: 4))] : []
    return .object(
      [
        ("name", .string(name)),
        ("clusters", .number(clusterCount)),
        ("points", .number(pointCount)),
        ("distortion_px", .number(distortion, decimals: 2)),
        ("distortion_to_grid", .number(distortionToGrid, decimals: 4)),
      ] + toKMeans + [
        ("overlap", .number(overlap, decimals: 4)),
        ("closest_pair_px", .number(closestPair, decimals: 2)),
        ("grid_look", .number(gridLook, decimals: 4)),
        ("neighbour_spread", .number(neighbourSpread, decimals: 4)),
        ("on_data_px", .number(dataDistance, decimals: 2)),
        ("fill", .number(fill, decimals: 4)),
        ("missing", .number(conservation.missingCount)),
        ("repeated", .number(conservation.repeatedCount)),
        ("miscounted", .number(conservation.miscountedCount)),
      ])
  }
}

extension JourneyComparison {
  fileprivate var json: JSONText {
    let steps = zip(views, [nil] + moves.map(Optional.init)).map { view, move in
      JSONText.object([
        ("move", move.map { .string($0.rawValue) } ?? .null),
        ("bbox", view.box.json),
        ("zoom", .number(view.zoom, decimals: 4)),
      ])
    }
    return .object([
      ("limit", .number(limit)),
      ("views", .array(steps)),
      ("methods", .array(results.map { $0.measures.json(name: $0.method.name) })),
    ])
  }
}

extension JourneyMeasures {
  fileprivate func json(name: String) -> JSONText {
    .object([
      ("name", .string(name)),
      ("clusters", .number(clusterCount, decimals: 2)),
      ("nestedness", .number(nestedness, decimals: 6)),
      ("pan_persistence", .number(panPersistence, decimals: 4)),
      ("movement_px", .number(movement, decimals: 1)),
      ("longest_move_px", .number(longestMove, decimals: 1)),
      ("overlap", .number(overlap, decimals: 4)),
      ("closest_pair_px", .number(closestPair, decimals: 2)),
      ("distortion_px", .number(distortion, decimals: 2)),
    ])
  }
}

extension BoundingBox {
  fileprivate var json: JSONText { .array([west, south, east, north].map { .number(shortest($0)) }) }
}
