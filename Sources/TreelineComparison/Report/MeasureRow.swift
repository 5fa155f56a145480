/// A row of a table of measures: what all forms of a report show, each in its way.
struct MeasureRow {
  let title: String
  let explanation: String

  /// Method by method.
  let cells: [(text: String, isBest: Bool)]

  /// Nil where no value is better than another.
  let direction: MeasureDirection?

  init(_ measure: some ReadMeasure, _ values: [Double?], isRanked: [Bool]? = nil) {
    title = measure.title
    explanation = measure.explanation
    cells = zip(values, measure.best(of: values, isRanked: isRanked)).map { (measure.text($0), $1) }
    direction = measure.direction
  }

  init(_ title: String, _ explanation: String = "", texts: [String]) {
    self.title = title
    self.explanation = explanation
    cells = texts.map { ($0, false) }
    direction = nil
  }
}

extension ViewComparison {
  func rows(_ measures: [Measure]) -> [MeasureRow] {
    [MeasureRow("Badges", texts: results.map { grouped($0.measures.clusterCount) })]
      + measures.map { MeasureRow($0, values(of: $0), isRanked: isRanked) }
      + [
        MeasureRow(
          "Every point in one badge", "Are counts true: is no point lost and none counted twice?",
          texts: results.map { $0.measures.conservation.word })
      ]
  }
}

extension JourneyComparison {
  var rows: [MeasureRow] {
    [
      MeasureRow(
        "Badges a view", "Mean. Those with a limit have the same in all views.",
        texts: results.map { fixed($0.measures.clusterCount, 1) })
    ]
      + JourneyMeasure.allCases.map { measure in
        MeasureRow(measure, results.map { measure.value(in: $0.measures) })
      }
  }
}

extension Conservation {
  var word: String {
    guard !isExact else { return "yes" }
    let faults = [(missingCount, "missing"), (repeatedCount, "repeated"), (miscountedCount, "miscounted")]
    return faults.filter { $0.0 > 0 }.map { grouped($0.0) + " " + $0.1 }.joined(separator: ", ")
  }
}
