/// The measures of a journey that a report shows.
public enum JourneyMeasure: String, CaseIterable, ReadMeasure {
  case nestedness, panPersistence, movement, longestMove, overlap, closestPair, distortion

  public var direction: MeasureDirection {
    switch self {
    case .nestedness, .movement, .longestMove, .overlap, .distortion: .less
    case .panPersistence, .closestPair: .more
    }
  }

  public func value(in measures: JourneyMeasures) -> Double? {
    switch self {
    case .nestedness: measures.nestedness
    case .panPersistence: measures.panPersistence
    case .movement: measures.movement
    case .longestMove: measures.longestMove
    case .overlap: measures.overlap
    case .closestPair: measures.closestPair
    case .distortion: measures.distortion
    }
  }

  public var title: String {
    switch self {
    case .nestedness: "Points torn apart by zooming"
    case .panPersistence: "Badges kept on a pan"
    case .movement: "Movement a step"
    case .longestMove: "Longest move of a badge"
    case .overlap: "Badges that touch another"
    case .closestPair: "Nearest two badges"
    case .distortion: "Point to its badge"
    }
  }

  public var explanation: String {
    switch self {
    case .nestedness:
      "Zooming in should only split badges, zooming out only merge them. Mean share of points that go another way than "
        + "most of their badge; at 0 % every step can be drawn as it is."
    case .panPersistence:
      "Of the badges inside both views of a pan, how many stay exactly what and where they are; mean."
    case .movement:
      "The way of all badges from where their points were shown before, summed up; mean over the steps."
    case .longestMove:
      "The longest such way of one badge."
    case .overlap:
      "Mean over the views."
    case .closestPair:
      "The least distance between the middles of two badges in any view."
    case .distortion:
      "Root mean square distance in each view; the median of the views."
    }
  }

  public func text(_ value: Double?) -> String {
    guard let value else { return "–" }
    return switch self {
    // A trace of tearing must not read as none.
    case .nestedness: (0..<0.001 ~= value && value > 1e-12 ? "<0.1" : fixed(value * 100, 1)) + " %"
    case .panPersistence, .overlap: fixed(value * 100, 0) + " %"
    case .movement, .longestMove: grouped(Int(value.rounded())) + " px"
    case .closestPair, .distortion: fixed(value, 1) + " px"
    }
  }
}
