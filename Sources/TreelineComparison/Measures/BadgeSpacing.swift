@_spi(Server) import Treeline

extension ViewMeasure {
  /// Share of badges, from 0 to 1, whose nearest neighbor lies in the same row or in the same column. The direction to
  /// the neighbor may be up to 5 degrees off. nil if all clusters share one position.
  static var axisShare: Self {
    Self(
      key: "grid_look", title: "Badges in rows and columns",
      explanation:
        "Share of badges whose nearest neighbor lies in the same row or column, within 5°. "
        + "For badges at random positions, the share is 11 %.",
      unit: .share, direction: .less, praise: Praise(clause: .value(of: "of its badges in line with a neighbor"))
    ) { $0.neighbours.axisShare }
  }

  /// Standard deviation of the distances from badges to their nearest neighbors, divided by the mean distance. nil if
  /// all clusters share one position.
  static var neighbourSpread: Self {
    Self(
      key: "neighbour_spread", title: "Unevenness of gaps",
      explanation:
        "Shows whether badges are closer together where data is dense. Standard deviation of the distances to the "
        + "nearest neighbor, divided by the mean distance: 0 for a lattice, 0.52 for badges at random positions.",
      unit: .ratio, direction: .more
    ) { $0.neighbours.spread }
  }

  /// Share, from 0 to 1, of the badges that touch another badge. The share is 0 if there are no clusters.
  static var overlap: Self {
    Self(
      key: "overlap", title: "Badges that touch another",
      explanation:
        "Share of badges that touch another badge. A badge is \(BadgeSize.range) wide, depending on its count. "
        + "The method 'badges' sets the diameters of its badges itself: 10 px for a single point.",
      unit: .share,
      direction: .less, praise: Praise(clause: .value(of: "of its badges touching another badge"))
    ) { $0.badges.overlap(of: $0.clusters) }
  }

  /// Smallest distance between the middles of two badges. Badges outside the screen are included. nil if there are
  /// fewer than two clusters.
  static var closestPair: Self {
    Self(
      key: "closest_pair_px", title: "Nearest two badges",
      explanation: "The smallest distance between the middles of two badges.", unit: .pixels, direction: .more
    ) { $0.neighbours.least }
  }
}

/// Distances and directions from each badge to its nearest neighbor.
struct NeighbourDistances: Sendable {
  /// Values of the measures `axisShare`, `neighbourSpread` and `closestPair`, see `ViewMeasure`.
  let axisShare: Double?
  let spread: Double?
  let least: Double?

  init(_ clusters: [ShownCluster], _ badges: PixelIndex) {
    var distances: [Double] = []
    var onAxis = 0
    for (index, cluster) in clusters.enumerated() {
      guard let nearest = badges.nearest(to: index).map({ clusters[$0].position }) else { continue }
      let (dx, dy) = (abs(nearest.x - cluster.position.x), abs(nearest.y - cluster.position.y))
      // Two clusters at one position have a distance, but no direction.
      distances.append(squaredLength(dx, dy).squareRoot())
      if max(dx, dy) > 0, min(dx, dy) <= Self.tangentOf5Degrees * max(dx, dy) { onAxis += 1 }
    }
    least = distances.min()
    let apart = distances.count { $0 > 0 }
    axisShare = apart > 0 ? Double(onAxis) / Double(apart) : nil
    let average = mean(distances) ?? 0
    let variance = mean(distances.map { ($0 - average) * ($0 - average) }) ?? 0
    spread = average > 0 ? variance.squareRoot() / average : nil
  }

  private static let tangentOf5Degrees = 0.08748866352592401
}

extension PixelIndex {
  /// Returns the share, from 0 to 1, of the clusters whose badge touches another badge. This `PixelIndex` must have
  /// been made from the positions of exactly these clusters, in the same order.
  func overlap(of clusters: [ShownCluster]) -> Double {
    let radii = clusters.map { $0.diameter / 2 }
    let largest = radii.max() ?? 0
    let touching = clusters.indices.count { one in
      hasNeighbour(of: one, within: radii[one] + largest) { other in
        let reach = radii[one] + radii[other]
        return clusters[one].position.squaredDistance(to: clusters[other].position) <= reach * reach
      }
    }
    return clusters.isEmpty ? 0 : Double(touching) / Double(clusters.count)
  }
}

/// Positions in a picture, sorted into square bins. To find the neighbors of a position, only the bins around it are
/// read.
struct PixelIndex: Sendable {
  private let positions: [PixelPoint]
  private let side: Double
  private let origin: PixelPoint
  private let columns: Int
  private let rows: Int
  /// `items` contains the indices of the positions, sorted by bin. `starts` says where the items of each bin begin.
  private var items: [Int]
  private var starts: [Int]

  /// Creates the bins. If the positions are spread evenly, each bin contains about one position.
  ///
  /// - Complexity: O(positions)
  init(_ positions: [PixelPoint]) {
    self.positions = positions
    origin = positions.reduce(positions.first ?? .zero) { pointwiseMin($0, $1) }
    let size = positions.reduce(origin) { pointwiseMax($0, $1) } - origin
    let count = Double(max(positions.count, 1))
    // The side of a bin is the greatest of three values. The first value gives about one bin for each position. The
    // first value is too small if the positions lie along a line. In this case, the second value keeps the number of
    // bins small. The third value keeps the side above 0.
    side = max((size.x * size.y / count).squareRoot(), size.max() / count, 1e-6)
    columns = Int(size.x / side) + 1
    rows = Int(size.y / side) + 1
    items = [Int](repeating: 0, count: positions.count)
    starts = []
    var next = [Int](repeating: 0, count: columns * rows + 1)
    for position in positions { next[bin(of: position) + 1] += 1 }
    for bin in 1..<next.count { next[bin] += next[bin - 1] }
    starts = next
    for (index, position) in positions.enumerated() {
      items[next[bin(of: position)]] = index
      next[bin(of: position)] += 1
    }
  }

  private func column(_ x: Double) -> Int { min(max(Int((x - origin.x) / side), 0), columns - 1) }
  private func row(_ y: Double) -> Int { min(max(Int((y - origin.y) / side), 0), rows - 1) }
  private func bin(of position: PixelPoint) -> Int { row(position.y) * columns + column(position.x) }

  private func items(column: Int, row: Int) -> ArraySlice<Int> {
    let bin = row * columns + column
    return items[starts[bin]..<starts[bin + 1]]
  }

  /// Returns whether another position satisfies a condition. Tests all positions within `radius` pixels, and also some
  /// positions that are farther away.
  func hasNeighbour(of index: Int, within radius: Double, where condition: (Int) -> Bool) -> Bool {
    let position = positions[index]
    for row in row(position.y - radius)...row(position.y + radius) {
      for column in column(position.x - radius)...column(position.x + radius) {
        for other in items(column: column, row: row) where other != index && condition(other) { return true }
      }
    }
    return false
  }

  /// Returns the index of the nearest neighbor of a position; nil if there is no other position. If several neighbors
  /// are equally near, returns the lowest index.
  func nearest(to index: Int) -> Int? {
    let position = positions[index]
    let (column, row) = (column(position.x), row(position.y))
    var best: (distance: Double, index: Int)?
    for ring in 0..<max(columns, rows) {
      // A ring is a square frame of bins around the bin of the position. All positions in this ring and beyond it are
      // at least `passed` pixels away.
      let passed = Double(ring - 1) * side
      if let best, ring > 0, passed * passed > best.distance { break }
      forEachBin(inRing: ring, around: column, row) { column, row in
        for other in items(column: column, row: row) where other != index {
          let distance = position.squaredDistance(to: positions[other])
          if best.map({ (distance, other) < $0 }) ?? true { best = (distance, other) }
        }
      }
    }
    return best?.index
  }

  private func forEachBin(inRing ring: Int, around column: Int, _ row: Int, _ body: (Int, Int) -> Void) {
    for y in max(row - ring, 0)...min(row + ring, rows - 1) {
      // A ring is a square frame of bins. In its first row and its last row, all bins belong to the frame. In every
      // other row, only the leftmost bin and the rightmost bin belong to the frame.
      let step = abs(y - row) == ring || ring == 0 ? 1 : 2 * ring
      for x in stride(from: column - ring, through: column + ring, by: step) where 0..<columns ~= x { body(x, y) }
    }
  }
}

extension BadgeSize {
  /// Text with the range of badge widths, such as `25 to 44 px`.
  static let range = "\(Int(diameter(pointCount: 1))) to \(Int(largest)) px"
}
