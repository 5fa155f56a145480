import Treeline

extension ComparisonReport {
  /// The report as JSON. Each object in a list is on its own line, and numbers have a chosen number of decimals.
  /// `JSONEncoder` can do neither.
  ///
  /// Shares are from 0 to 1. A missing value is null. For example, if there is only one cluster, the distance to the
  /// nearest neighbor is missing.
  /// `distortion_to_kmeans` exists only if k-means took part, and `journey` only if a journey was compared.
  package var json: String {
    var members = [
      ("points", "\(pointCount)"),
      ("views", list(views.map { $0.json(methods, measures(ViewMeasure.inJSON)) }, indent: "")),
    ]
    if let journey { members.append(("journey", journey.json)) }
    return object(members) + "\n"
  }
}

extension ViewComparison {
  fileprivate func json(_ methods: [ClusteringMethod], _ measures: [ViewMeasure]) -> String {
    let results = zip(methods, results).map { method, result in
      object(
        [("name", "\"\(method.name)\""), ("clusters", "\(result.clusters.count)"), ("points", "\(result.pointCount)")]
          + measures.map { $0.json(result.measures[$0]) } + result.conservation.faults.map { ($0, "\($1)") })
    }
    return object(
      view.json + [
        ("width_px", number(view.width, decimals: 1)), ("height_px", number(view.height, decimals: 1)),
        ("points", "\(pointCount)"), ("limit", "\(limit)"), ("methods", list(results, indent: "  ")),
      ])
  }
}

extension JourneyComparison {
  fileprivate var json: String {
    let steps = zip(views, ["null"] + moves.map { "\"\($0.rawValue)\"" }).map { view, move in
      object([("move", move)] + view.json)
    }
    let results = results.map { result in
      object(
        [("name", "\"\(result.method.name)\""), ("clusters", number(result.clusterCount, decimals: 2))]
          + JourneyMeasure.all.map { $0.json(result.measures[$0]) })
    }
    return object([("limit", "\(limit)"), ("views", list(steps, indent: "")), ("methods", list(results, indent: ""))])
  }
}

extension ComparisonView {
  fileprivate var json: [(String, String)] {
    let edges = [box.west, box.south, box.east, box.north].map(shortest)
    return [("bbox", "[\(edges.joined(separator: ", "))]"), ("zoom", number(zoom, decimals: 4))]
  }
}

extension Measure {
  fileprivate func json(_ value: Double?) -> (String, String) { (key, number(value, decimals: unit.decimals)) }
}

/// Returns a JSON object. The values are inserted as they are, so they must be JSON already. The keys are put in
/// quotes, and must not contain characters that JSON escapes.
private func object(_ members: [(key: String, value: String)]) -> String {
  "{" + members.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ") + "}"
}

/// Returns a list, with each object on its own line.
private func list(_ objects: [String], indent: String) -> String {
  guard !objects.isEmpty else { return "[]" }
  return "[\n" + objects.map { indent + "  " + $0 }.joined(separator: ",\n") + "\n" + indent + "]"
}

/// Returns a rounded number; null for a missing value.
private func number(_ value: Double?, decimals: Int) -> String {
  guard let value, value.isFinite else { return "null" }
  return trimmed(fixed(value, decimals))
}
