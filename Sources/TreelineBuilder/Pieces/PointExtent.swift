import Treeline

/// The box and the exact sums of some points. When a piece is built, the number, box and sums of its points must equal
/// the expected values. In practice no other points have the same values, unless an attacker has chosen the points for
/// this purpose.
struct PointExtent: Equatable, Sendable {
  let box: PlaneRect
  /// Moments of the points, measured from the plane's corner.
  let moments: Moments<UInt128>

  init(_ moments: Moments<UInt128>, in box: PlaneRect) { (self.moments, self.box) = (moments, box) }

  /// - Precondition: There are points.
  init(of points: UnsafeBufferPointer<PlanePoint>) {
    var box = PlaneRect(points[0])
    for point in points { box.formUnion(point) }
    self.init(Moments(points, from: PlanePoint(x: 0, y: 0)), in: box)
  }

  /// Returns the extent of the places of some points in a merged tree. A place has the index of a point in tree order
  /// as its x coordinate, and 0 as its y coordinate.
  init(ofPlaces range: Range<Int>) {
    let (first, count) = (UInt128(range.lowerBound), UInt128(range.count))
    // The sums of i and of i^2 over all i below `count`.
    let (sum, squares) = (count * (count - 1) / 2, count * (count - 1) * (2 * count - 1) / 6)
    self.init(
      Moments(
        count: UInt64(count), x: UInt64(count * first + sum), y: 0,
        xx: count * first * first + 2 * first * sum + squares, xy: 0, yy: 0),
      in: PlaneRect(minX: UInt32(range.lowerBound), minY: 0, maxX: UInt32(range.upperBound - 1), maxY: 0))
  }

  var count: Int { Int(moments.count) }

  /// Returns the extent of all points of `a` and all points of `b`.
  static func + (a: PointExtent, b: PointExtent) -> PointExtent {
    PointExtent(a.moments + b.moments, in: a.box.union(b.box))
  }

  /// Moments of the points, measured from the corner of the box.
  var ownMoments: Moments<UInt128> { moments.moved(right: box.minX, down: box.minY) }

  /// Whether a set of points with this box and these sums can exist. The values may come from a damaged or forged file.
  var isSound: Bool {
    guard 1...UInt64(IndexHeader.maximumPointCount) ~= moments.count, box.minX <= box.maxX, box.minY <= box.maxY else {
      return false
    }
    let (own, width, height) = (ownMoments, UInt64(box.width), UInt64(box.height))
    // Each edge of the box has a point on it. So the sum of the points' distances from the left edge is at least the
    // width of the box. If there are n points, the sum is at most n - 1 times the width. The same holds for the
    // height.
    guard width <= own.x, own.x <= (own.count - 1) * width, height <= own.y, own.y <= (own.count - 1) * height,
      own.xx <= UInt128(own.x) * UInt128(width), own.yy <= UInt128(own.y) * UInt128(height),
      own.xy <= min(UInt128(own.x) * UInt128(height), UInt128(own.y) * UInt128(width))
    else { return false }
    let scatter = Scatter(own)
    guard scatter.xx >= 0, scatter.yy >= 0, scatter.isZero == box.isPoint else { return false }
    let (most, product) = (
      scatter.xx.magnitude.multipliedFullWidth(by: scatter.yy.magnitude),
      scatter.xy.magnitude.multipliedFullWidth(by: scatter.xy.magnitude)
    )
    return (product.high, product.low) <= (most.high, most.low)
  }
}

extension PointExtent: BinaryCodable {
  func write(to bytes: inout PlainBytes) {
    bytes.append(moments)
    bytes.append(box)
  }

  init(from bytes: inout PlainBytes) throws(PieceError) {
    self.init(try Moments(from: &bytes), in: try bytes.read())
    guard isSound else {
      throw .damaged(
        what: "the extent of points", expected: "a box and sums of the same points", found: "\(box.text), \(moments)")
    }
  }
}

extension PlaneRect {
  /// Text for error messages.
  var text: String { "x from \(minX) to \(maxX) and y from \(minY) to \(maxY)" }
}

extension Moments: BinaryCodable where Sum == UInt128 {
  func write(to bytes: inout PlainBytes) {
    for sum in [count, x, y] { bytes.append(sum) }
    for sum in [xx, xy, yy] {
      bytes.append(UInt64(truncatingIfNeeded: sum))
      bytes.append(UInt64(truncatingIfNeeded: sum >> 64))
    }
  }

  init(from bytes: inout PlainBytes) throws(PieceError) {
    (count, x, y) = (try bytes.read(), try bytes.read(), try bytes.read())
    func wide() throws(PieceError) -> UInt128 {
      let low = try bytes.read(UInt64.self)
      return UInt128(try bytes.read(UInt64.self)) << 64 | UInt128(low)
    }
    (xx, xy, yy) = (try wide(), try wide(), try wide())
  }
}
