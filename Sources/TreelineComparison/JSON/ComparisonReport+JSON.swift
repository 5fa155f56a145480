extension ComparisonReport {
  /// The report as JSON, with a line break at its end.
  ///
  /// `bbox` is west, south, east, north, as it may be asked for again; `_px` are pixels to two decimals; shares are from
  /// 0 to 1, to four decimals; what does not exist, such as the neighbour of a lone cluster, is null. `missing`,
  /// `repeated` and `miscounted` are 0 for every method that keeps account of its points.
  public var json: String {
    JSONText.object([
      ("points", .number(pointCount)),
      ("views", .array(views.map { $0.json(methods) })),
    ]).text() + "\n"
  }
}

extension ViewComparison {
  fileprivate func json(_ methods: [ClusteringMethod]) -> JSONText {
    let box = view.box
    return .object([
      ("bbox", .array([box.west, box.south, box.east, box.north].map { .number(shortest($0)) })),
      ("zoom", .number(view.zoom, decimals: 4)),
      ("width_px", .number(view.width, decimals: 1)),
      ("height_px", .number(view.height, decimals: 1)),
      ("points", .number(pointCount)),
      ("limit", .number(limit)),
      ("methods", .array(zip(methods, results).map { $1.measures.json(name: $0.name) })),
    ])
  }
}

extension ClusteringMeasures {
  fileprivate func json(name: String) -> JSONText {
    .object([
      ("name", .string(name)),
      ("clusters", .number(clusterCount)),
      ("points", .number(pointCount)),
      ("distortion_px", .number(distortion, decimals: 2)),
      ("overlap", .number(overlap, decimals: 4)),
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
