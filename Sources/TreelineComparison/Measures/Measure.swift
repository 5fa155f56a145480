/// The measures of a view that a report shows, with words that say what they are to someone who meets them first.
public enum Measure: String, CaseIterable, ReadMeasure {
  case gridLook, neighbourSpread, dataDistance, distortion, distortionToGrid, distortionToKMeans, overlap,
    closestPair,
    fill

  public var direction: MeasureDirection {
    switch self {
    case .gridLook, .dataDistance, .distortion, .distortionToGrid, .distortionToKMeans, .overlap: .less
    case .neighbourSpread, .closestPair: .more
    case .fill: .nearerToOne
    }
  }

  public func value(in measures: ClusteringMeasures) -> Double? {
    switch self {
    case .gridLook: measures.gridLook
    case .neighbourSpread: measures.neighbourSpread
    case .dataDistance: measures.dataDistance
    case .distortion: measures.distortion
    case .distortionToGrid: measures.distortionToGrid
    case .distortionToKMeans: measures.distortionToKMeans
    case .overlap: measures.overlap
    case .closestPair: measures.closestPair
    case .fill: measures.fill
    }
  }

  public var title: String {
    switch self {
    case .gridLook: "Badges in rows and columns"
    case .neighbourSpread: "Unevenness of gaps"
    case .dataDistance: "Badge to nearest point"
    case .distortion: "Point to its badge"
    case .distortionToGrid: "  against as large a grid"
    case .distortionToKMeans: "  against k-means"
    case .overlap: "Badges that touch another"
    case .closestPair: "Nearest two badges"
    case .fill: "Badges used of those allowed"
    }
  }

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
    case .distortionToGrid:
      "The same, over that of a grid with no more badges: its cells are widened until it has as few."
    case .distortionToKMeans:
      "The same, over that of k-means with as many badges."
    case .overlap:
      "How often badges get in each other's way. They are 25 to 44 px wide, by their count."
    case .closestPair:
      "The least distance between the middles of two badges."
    case .fill:
      "How well the room for badges is used."
    }
  }

  public func text(_ value: Double?) -> String {
    guard let value else { return "–" }
    return switch self {
    case .gridLook, .overlap, .fill: fixed(value * 100, 0) + " %"
    case .neighbourSpread, .distortionToGrid, .distortionToKMeans: fixed(value, 2)
    case .dataDistance, .distortion, .closestPair: fixed(value, 1) + " px"
    }
  }
}
