/// A measure as readers see it: words, a rounding, and which way is better.
public protocol ReadMeasure: Hashable, Sendable {
  /// A few words.
  var title: String { get }

  /// A sentence.
  var explanation: String { get }

  var direction: MeasureDirection { get }

  /// With its unit, rounded; a dash for what does not exist.
  func text(_ value: Double?) -> String
}

/// Which way a measure gets better.
public enum MeasureDirection: Sendable {
  case less, more, nearerToOne
}

extension ReadMeasure {
  /// Which of some values are the best as far as their texts tell; none where all read the same.
  ///
  /// - Parameter isRanked: Which values take part; nil is all of them.
  func best(of values: [Double?], isRanked: [Bool]? = nil) -> [Bool] {
    let values = isRanked.map { zip(values, $0).map { $1 ? $0 : nil } } ?? values
    let known = values.compactMap { $0 }
    let texts = values.map(text)
    guard known.count > 1, Set(texts).count > 1 else { return values.map { _ in false } }
    let best = known.min { rank($0) < rank($1) }
    return texts.map { $0 == text(best) }
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
