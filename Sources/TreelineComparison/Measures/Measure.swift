/// A measure of a view or of a journey, with its texts, its unit, the direction in which it gets better, and its
/// formula.
///
/// To add a measure, declare it beside similar measures and list it in `all`. Tables, glossary and JSON then contain
/// it.
struct Measure<Subject>: Sendable {
  /// Name in JSON.
  let key: String
  /// Title in tables. A title that begins with two spaces is indented below the previous title.
  let title: String

  let explanation: String

  let unit: MeasureUnit
  let direction: MeasureDirection
  /// The words that the summary of a report uses to praise a method that does well in this measure; nil if the summary
  /// does not mention the measure.
  var praise: Praise?
  /// Computes the value. Returns nil if the measure has no value. For example, if there is only one cluster, the
  /// distance to the nearest neighbor has no value.
  let formula: @Sendable (Subject) throws -> Double?
}

/// The direction in which a measure gets better.
enum MeasureDirection: Sendable { case less, more, nearerToOne }

/// The words that the summary of a report uses to praise a method that does well in a measure. Only a measure whose
/// smaller values are better may have such words.
struct Praise: Sendable {
  /// Heading of the measure in the summary; nil to use the measure's own title.
  var title: String?

  let clause: Clause

  enum Clause: Sendable {
    /// A clause such as `has 12 % of its badges in line with a neighbor`. The value of the other method follows in
    /// parentheses.
    case value(of: String)
    /// A clause such as `puts its badges 12 % closer to the nearest point than Grid`. Gains below 2 % get no clause.
    case gain(of: String, nearerTo: String, ending: String = "")
  }
}

/// The unit of a measure, which determines how values are rounded.
enum MeasureUnit: Sendable {
  /// A share from 0 to 1, shown in whole percent.
  case share
  /// A share from 0 to 1 that is shown as 0 only if it is exactly 0.
  case smallShare
  case ratio
  case pixels
  /// A large number of pixels, shown as a whole number.
  case manyPixels

  /// Returns a value with its unit; a dash for a missing value.
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

  /// Number of decimals in JSON.
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
  /// Returns for each value whether it is the best value, judged by its rounded text. If all texts are equal, or if the
  /// best text is `<0.1 %`, no value is the best.
  ///
  /// - Parameter isRanked: For each value, whether it can be the best; nil if all values can.
  func best(of values: [Double?], isRanked: [Bool]? = nil) -> [Bool] {
    let values = isRanked.map { zip(values, $0).map { $1 ? $0 : nil } } ?? values
    let known = values.compactMap { $0 }
    let texts = values.map(unit.text)
    guard known.count > 1, Set(texts).count > 1 else { return values.map { _ in false } }
    let best = unit.text(known.min { rank($0) < rank($1) })
    return texts.map { $0 == best && !best.hasPrefix("<") }
  }

  /// Returns a number that is lower for better values.
  func rank(_ value: Double) -> Double {
    switch direction {
    case .less: value
    case .more: -value
    case .nearerToOne: abs(value - 1)
    }
  }
}

func mean(_ values: [Double]) -> Double? { values.isEmpty ? nil : values.reduce(0, +) / Double(values.count) }

/// Returns the middle value of the sorted values, or the mean of the two middle values.
func median(_ values: [Double]) -> Double? {
  let sorted = values.sorted()
  return values.isEmpty ? nil : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}
