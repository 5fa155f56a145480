/// A measure of a view or of a journey: its words, its unit, which way it gets better, and its formula.
///
/// To add one, declare it beside those of its kind and list it in `all`: tables, glossary and JSON follow.
struct Measure<Subject>: Sendable {
  /// Its name in JSON.
  let key: String
  /// Two spaces at its beginning indent it below another measure.
  let title: String

  let explanation: String

  let unit: MeasureUnit
  let direction: MeasureDirection
  /// How the summary of a report praises a method for it; nil where the summary leaves it out.
  var praise: Praise?
  /// nil where there is no value, such as the neighbour of a lone cluster.
  let formula: @Sendable (Subject) throws -> Double?
}

/// Which way a measure gets better.
enum MeasureDirection: Sendable { case less, more, nearerToOne }

/// How the summary of a report praises a method for a measure, of which less is better.
struct Praise: Sendable {
  /// What heads its tile; nil is the measure's title.
  var title: String?

  let clause: Clause

  enum Clause: Sendable {
    /// Such as `12 % of its badges touching another`, beside the rival's value.
    case value(of: String)
    /// Such as `badges 12 % nearer to the data than Grid`; left out below 2 %.
    case gain(of: String, nearerTo: String, ending: String = "")
  }
}

/// What a measure counts, and hence how its values are rounded.
enum MeasureUnit: Sendable {
  /// From 0 to 1; read as whole percents.
  case share
  /// A share of which a trace must not read as none.
  case smallShare
  case ratio
  case pixels
  /// Pixels in such numbers that only whole ones count.
  case manyPixels

  /// A value as readers see it, with its unit; a dash for what does not exist.
  func text(_ value: Double?) -> String {
    guard let value else { return "–" }
    return switch self {
    case .share: fixed(value * 100, 0) + " %"
    case .smallShare: (0..<0.001 ~= value && value > 1e-12 ? "<0.1" : fixed(value * 100, 1)) + " %"
    case .ratio: fixed(value, 2)
    case .pixels: fixed(value, 1) + " px"
    case .manyPixels: grouped(Int(value.rounded())) + " px"
    }
  }

  /// How many decimals JSON has.
  var decimals: Int {
    switch self {
    case .share, .ratio: 4
    case .smallShare: 6
    case .pixels: 2
    case .manyPixels: 1
    }
  }
}

extension Measure: Hashable {
  static func == (one: Self, other: Self) -> Bool { one.key == other.key }
  func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

// MARK: - Values

struct MeasureValues<Subject>: Sendable {
  private let values: [Measure<Subject>: Double]

  init(_ measures: [Measure<Subject>], of subject: Subject) throws {
    values = try measures.reduce(into: [:]) { values, measure in values[measure] = try measure.formula(subject) }
  }

  subscript(measure: Measure<Subject>) -> Double? { values[measure] }
}

extension Measure {
  /// Which of some values are the best by their rounded texts; none where all read the same.
  ///
  /// - Parameter isRanked: Which values take part; nil is all of them.
  func best(of values: [Double?], isRanked: [Bool]? = nil) -> [Bool] {
    let values = isRanked.map { zip(values, $0).map { $1 ? $0 : nil } } ?? values
    let known = values.compactMap { $0 }
    let texts = values.map(unit.text)
    guard known.count > 1, Set(texts).count > 1 else { return values.map { _ in false } }
    let best = known.min { rank($0) < rank($1) }
    return texts.map { $0 == unit.text(best) }
  }

  /// Less is better, whatever the direction.
  func rank(_ value: Double) -> Double {
    switch direction {
    case .less: value
    case .more: -value
    case .nearerToOne: abs(value - 1)
    }
  }
}

func mean(_ values: [Double]) -> Double? { values.isEmpty ? nil : values.reduce(0, +) / Double(values.count) }

/// The middle one, or the mean of the middle two.
func median(_ values: [Double]) -> Double? {
  let sorted = values.sorted()
  return values.isEmpty ? nil : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}
