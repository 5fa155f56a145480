/// The measures that a report shows, with words that say what they are to someone who meets them first.
public enum Measure: String, CaseIterable, Sendable {
  case gridLook, neighbourSpread, dataDistance, distortion, overlap, fill

  /// Which way it gets better.
  public enum Direction: Sendable {
    case less, more, nearerToOne
  }

  public var direction: Direction {
    switch self {
    case .gridLook, .dataDistance, .distortion, .overlap: .less
    case .neighbourSpread: .more
    case .fill: .nearerToOne
    }
  }

  public func value(in measures: ClusteringMeasures) -> Double? {
    switch self {
    case .gridLook: measures.gridLook
    case .neighbourSpread: measures.neighbourSpread
    case .dataDistance: measures.dataDistance
    case .distortion: measures.distortion
    case .overlap: measures.overlap
    case .fill: measures.fill
    }
  }

  /// A few words.
  public var title: String {
    switch self {
    case .gridLook: "Badges in rows and columns"
    case .neighbourSpread: "Unevenness of gaps"
    case .dataDistance: "Badge to nearest point"
    case .distortion: "Point to its badge"
    case .overlap: "Badges that touch another"
    case .fill: "Badges used of those allowed"
    }
  }

  /// A sentence.
  public var explanation: String {
    switch self {
    case .gridLook:
      "Share of badges whose nearest neighbour stands straight beside, above or below, within 5°. Chance alone gives 11 %."
    case .neighbourSpread:
      "Do badges crowd where data is dense? Standard deviation over mean of the distances between neighbours: "
        + "0 is a lattice, 0.52 is chance."
    case .dataDistance:
      "Does a badge stand on the data, or in the empty space between? Mean distance."
    case .distortion:
      "How well badges tell where the points are: root mean square distance."
    case .overlap:
      "How often badges get in each other's way. They are 25 to 44 px wide, by their count."
    case .fill:
      "How well the room for badges is used."
    }
  }

  /// The unit and the rounding of its text.
  public func text(_ value: Double?) -> String {
    guard let value else { return "–" }
    return switch self {
    case .gridLook, .overlap, .fill: fixed(value * 100, 0) + " %"
    case .neighbourSpread: fixed(value, 2)
    case .dataDistance, .distortion: fixed(value, 1) + " px"
    }
  }

  /// Which of some values are the best as far as their texts tell; none where all read the same.
  func best(of values: [Double?]) -> [Bool] {
    let known = values.compactMap { $0 }
    let texts = values.map(text)
    guard known.count > 1, Set(texts).count > 1 else { return values.map { _ in false } }
    let best = known.min { rank($0) < rank($1) }
    return texts.map { $0 == text(best) }
  }

  /// Less is better, whatever the direction.
  private func rank(_ value: Double) -> Double {
    switch direction {
    case .less: value
    case .more: -value
    case .nearerToOne: abs(value - 1)
    }
  }
}
