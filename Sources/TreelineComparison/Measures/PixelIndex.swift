/// Some places of a picture, sorted into square buckets: finds neighbours without looking at all places.
struct PixelIndex {
  private let places: [PixelPoint]
  private let side: Double
  private let origin: PixelPoint
  private let columns: Int
  private let rows: Int
  /// The indices of the places, bucket by bucket, and where each bucket's start.
  private var items: [Int]
  private var starts: [Int]

  /// About one place a bucket where they are spread evenly. Complexity: O(places)
  init(_ places: [PixelPoint]) {
    self.places = places
    let xs = places.map(\.x)
    let ys = places.map(\.y)
    origin = PixelPoint(x: xs.min() ?? 0, y: ys.min() ?? 0)
    let width = (xs.max() ?? 0) - origin.x
    let height = (ys.max() ?? 0) - origin.y
    let count = Double(max(places.count, 1))
    // The second bound keeps places along one line from asking for a bucket a pixel; the last, a stack from none.
    side = max((width * height / count).squareRoot(), max(width, height) / count, 1e-6)
    columns = Int(width / side) + 1
    rows = Int(height / side) + 1
    items = []
    starts = []
    fill()
  }

  private mutating func fill() {
    var next = [Int](repeating: 0, count: columns * rows + 1)
    for place in places { next[bucket(of: place) + 1] += 1 }
    for bucket in 1..<next.count { next[bucket] += next[bucket - 1] }
    starts = next
    items = [Int](repeating: 0, count: places.count)
    for (index, place) in places.enumerated() {
      items[next[bucket(of: place)]] = index
      next[bucket(of: place)] += 1
    }
  }

  private func column(_ x: Double) -> Int { min(max(Int((x - origin.x) / side), 0), columns - 1) }
  private func row(_ y: Double) -> Int { min(max(Int((y - origin.y) / side), 0), rows - 1) }
  private func bucket(of place: PixelPoint) -> Int { row(place.y) * columns + column(place.x) }

  private func items(column: Int, row: Int) -> ArraySlice<Int> {
    let bucket = row * columns + column
    return items[starts[bucket]..<starts[bucket + 1]]
  }

  /// Whether any other place within `radius` pixels of one of the places satisfies a condition.
  func hasNeighbour(of index: Int, within radius: Double, where condition: (Int) -> Bool) -> Bool {
    let place = places[index]
    for row in row(place.y - radius)...row(place.y + radius) {
      for column in column(place.x - radius)...column(place.x + radius) {
        for other in items(column: column, row: row) where other != index && condition(other) { return true }
      }
    }
    return false
  }

  /// The nearest other place, the first of equally near ones; nil where there is no other.
  func nearest(to index: Int) -> Int? {
    let place = places[index]
    let (column, row) = (column(place.x), row(place.y))
    var best: (distance: Double, index: Int)?
    for ring in 0..<max(columns, rows) {
      // Nothing in this ring or beyond is nearer than the rings passed are wide.
      let passed = Double(ring - 1) * side
      if let best, ring > 0, passed * passed > best.distance { break }
      forEachBucket(inRing: ring, around: column, row) { bucketColumn, bucketRow in
        for other in items(column: bucketColumn, row: bucketRow) where other != index {
          let distance = place.squaredDistance(to: places[other])
          if best.map({ (distance, other) < $0 }) ?? true { best = (distance, other) }
        }
      }
    }
    return best?.index
  }

  private func forEachBucket(inRing ring: Int, around column: Int, _ row: Int, _ body: (Int, Int) -> Void) {
    for y in max(row - ring, 0)...min(row + ring, rows - 1) {
      // Of rows in between only the two ends belong to the ring.
      let step = abs(y - row) == ring || ring == 0 ? 1 : 2 * ring
      for x in stride(from: column - ring, through: column + ring, by: step) where 0..<columns ~= x {
        body(x, y)
      }
    }
  }
}
