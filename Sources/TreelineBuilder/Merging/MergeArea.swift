import Treeline

/// An area of the plane that consists of squares: the squares around some positions and, if two parts of the plane are
/// being joined, the squares along the border between these parts. A square is at least as wide as the greatest
/// distance at which clusters are merged.
struct MergeArea {
  private let border: MergeBorder?
  private let isCyclic: Bool
  private let shift: UInt32
  /// Whether the area is the whole plane.
  private var isAll = false
  /// Number of rows or columns of squares that the area has on each side of the border. The row or column next to the
  /// border is not counted.
  private var margin = 0
  private var squares: Set<Int> = []
  /// For the squares around all added positions, including the margins: the first and last row, and the first and last
  /// column.
  private var rows = (first: Int.max, last: Int.min)
  private var columns = (first: Int.max, last: Int.min)
  /// Upper bound of the distance between the border and a cluster in the area, in units. The bound also holds for
  /// clusters outside the area that can be merged with a cluster in the area.
  private(set) var farthest = 0

  /// - Parameter reach: Greatest distance at which clusters are merged, in units.
  init(_ border: MergeBorder?, isCyclic: Bool, reach: Double) {
    (self.border, self.isCyclic) = (border, isCyclic)
    shift = UInt32(64 - UInt64(min(reach, 0x1p30)).leadingZeroBitCount)
    if reach >= 0x1p29 { takeAll() }
    widen(to: 3)
  }

  /// Width of a square, in units; infinite if the area is the whole plane.
  var squareWidth: Double { isAll ? .infinity : Double(1 << Int(shift)) }

  private mutating func takeAll() { (isAll, farthest) = (true, 1 << 33) }

  /// Widens the area along the border to `margin` rows or columns of squares on each side. The row or column next to
  /// the border is not counted.
  mutating func widen(to margin: Int) {
    self.margin = margin
    farthest = max(farthest, (margin + 2) << Int(shift))
  }

  /// Adds the square at a position and the squares around it, up to `margin` squares away. If `margin` is too large,
  /// adds the whole plane instead.
  mutating func add(around position: PlanePoint, margin: Int) {
    if margin > min(64, last / 2) { takeAll() }
    if isAll { return }
    if let border { farthest = max(farthest, border.distance(position) + (margin + 2) << Int(shift)) }
    let (x, y) = (Int(position.x >> shift), Int(position.y >> shift))
    rows = (min(rows.first, y - margin), max(rows.last, y + margin))
    columns = (min(columns.first, x - margin), max(columns.last, x + margin))
    forEachSquare(around: position, margin: margin) { x, y in
      squares.insert(number(x, y))
      return true
    }
  }

  func contains(_ position: PlanePoint) -> Bool {
    isAll || contains(Int(position.x >> shift), Int(position.y >> shift))
  }

  /// Whether the area contains all clusters that could be merged with a cluster at this position.
  func surrounds(_ position: PlanePoint) -> Bool {
    isAll || forEachSquare(around: position, margin: 1) { contains($0, $1) }
  }

  /// Whether a box overlaps any of the squares around the added positions. The box may cross the seam.
  func meets(_ box: PlaneRect) -> Bool {
    if isAll { return true }
    let (minX, minY) = (Int(box.minX >> shift), Int(box.minY >> shift))
    let (width, height) = ((Int(box.maxX >> shift) - minX) & last, Int(box.maxY >> shift) - minY)
    if minY > rows.last || minY + height < rows.first { return false }
    let isOnePiece = minX + width <= last && columns.first >= 0 && columns.last <= last
    if isOnePiece && (minX > columns.last || minX + width < columns.first) { return false }
    if (width + 1) * (height + 1) <= squares.count {
      return (minY...minY + height).contains { row in
        (minX...minX + width).contains { squares.contains(number($0 & last, row)) }
      }
    }
    return squares.contains { square in
      0...height ~= square >> 32 - minY && (square & 0xFFFF_FFFF - minX) & last <= width
    }
  }

  /// Number of the last row of squares, which is also the number of the last column.
  private var last: Int { 1 << Int(32 - shift) - 1 }

  private func contains(_ x: Int, _ y: Int) -> Bool { isAlongBorder(x, y) || squares.contains(number(x, y)) }

  private func isAlongBorder(_ x: Int, _ y: Int) -> Bool {
    guard let border else { return false }
    let across = border.across(PlanePoint(x: UInt32(x << Int(shift)), y: UInt32(y << Int(shift))))
    // Squares are numbered by their distance from the border. On each side of the border, the squares next to it have
    // the number 0. A square that the border divides also has the number 0.
    return -margin...margin ~= across >> Int(shift) + (across < 0 ? 1 : 0)
  }

  private func number(_ x: Int, _ y: Int) -> Int { y << 32 | x }

  /// Calls the body with the square at a position and the squares around it, up to `margin` squares away. Stops when
  /// the body returns false.
  ///
  /// - Returns: whether the body returned true for all squares.
  @discardableResult private func forEachSquare(
    around position: PlanePoint, margin: Int, _ body: (_ x: Int, _ y: Int) -> Bool
  ) -> Bool {
    let (x, y) = (Int(position.x >> shift), Int(position.y >> shift))
    for row in max(y - margin, 0)...min(y + margin, last) {
      for column in x - margin...x + margin where isCyclic || 0...last ~= column {
        if !body(column & last, row) { return false }
      }
    }
    return true
  }
}
