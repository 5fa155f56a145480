/// A row of a table of measures, in the terminal and in HTML.
struct MeasureRow {
  let title: String
  let explanation: String
  /// Method by method.
  let cells: [(text: String, isBest: Bool)]
  /// Nil where no value is better than another.
  let direction: MeasureDirection?

  init<Subject>(_ measure: Measure<Subject>, _ values: [Double?], isRanked: [Bool]? = nil) {
    title = measure.title
    explanation = measure.explanation
    cells = zip(values, measure.best(of: values, isRanked: isRanked)).map { (measure.unit.text($0), $1) }
    direction = measure.direction
  }

  init(_ title: String, _ explanation: String = "", texts: [String]) {
    (self.title, self.explanation) = (title, explanation)
    cells = texts.map { ($0, false) }
    direction = nil
  }
}

extension ViewComparison {
  func rows(_ measures: [ViewMeasure]) -> [MeasureRow] {
    [MeasureRow("Badges", texts: results.map { grouped($0.clusters.count) })]
      + measures.map { MeasureRow($0, values(of: $0), isRanked: isRanked) } + [
        MeasureRow(
          "Every point in one badge", "Are counts true: is no point lost and none counted twice?",
          texts: results.map { $0.conservation.text })
      ]
  }
}

extension JourneyComparison {
  var rows: [MeasureRow] {
    [
      MeasureRow(
        "Badges a view", "Mean. Those with a limit have the same in all views.",
        texts: results.map { fixed($0.clusterCount, 1) })
    ] + JourneyMeasure.all.map { measure in MeasureRow(measure, results.map { $0.measures[measure] }) }
  }
}
