extension IndexHeader {
  /// Holds what the header says of the points against them: how many were clipped, and the plane.
  ///
  /// A plane cannot be told from positions on it alone: a world that is turned, or a square that is moved or scaled, holds
  /// the same positions. What is checked is that the positions are those that a build gives on such a plane.
  ///
  /// - Complexity: O(pointCount)
  func check(_ points: UnsafeBufferPointer<PlanePoint>, _ problems: inout ProblemList) {
    switch plane.projection {
    case .webMercator:
      checkClippedPoints(points, &problems)
      checkSeam(points, &problems)
    case .planar:
      checkEdges(hasPoints: !points.isEmpty, &problems)
      checkSquare(points, &problems)
    }
  }

  /// What is clipped comes to lie on the plane's upper or lower edge, beside what lay there anyway.
  private func checkClippedPoints(_ points: UnsafeBufferPointer<PlanePoint>, _ problems: inout ProblemList) {
    let edgeCount = points.count { $0.y == 0 || $0.y == .max }
    if clippedPointCount > edgeCount {
      problems.add(
        "header, byte \(Offset.clippedPointCount)",
        expected: "at most \(edgeCount) clipped points, as many as lie on the edge of the plane",
        found: "\(clippedPointCount)")
    }
  }

  private func checkSeam(_ points: UnsafeBufferPointer<PlanePoint>, _ problems: inout ProblemList) {
    let expected = Self.seam(of: points, on: plane)
    if plane.seam != expected ?? 0 {
      problems.add(
        "header, byte \(Offset.seam)",
        expected: expected.map { "the seam \($0), behind the widest gap of longitude" }
          ?? "the seam 0, where there are no points",
        found: "\(plane.seam)")
    }
  }

  /// The first position behind the widest gap between two bins of longitude, as the format's document defines it; nil
  /// where there are no points.
  private static func seam(of points: UnsafeBufferPointer<PlanePoint>, on plane: Plane) -> UInt32? {
    var bins = [ClosedRange<UInt32>?](repeating: nil, count: 1 << 16)
    for point in points {
      let x = point.x &+ plane.seam
      let bin = bins[Int(x >> 16)] ?? x...x
      bins[Int(x >> 16)] = min(bin.lowerBound, x)...max(bin.upperBound, x)
    }
    let occupied = bins.compactMap { $0 }
    guard let last = occupied.last else { return nil }
    // Modulo 2^32: the gap before the first bin begins behind the last.
    let gaps = zip(occupied, [last] + occupied).map { $0.lowerBound &- $1.upperBound }
    return occupied[gaps.firstIndex(of: gaps.max()!)!].lowerBound
  }

  /// Zeros have no sign, and without points all is zero.
  private func checkEdges(hasPoints: Bool, _ problems: inout ProblemList) {
    for (edge, offset) in [(plane.left, Offset.left), (plane.top, Offset.top), (plane.side, Offset.side)] {
      if edge == 0 && edge.sign == .minus {
        problems.add("header, byte \(offset)", expected: "0 without a sign", found: "\(edge)")
      }
      if edge != 0 && !hasPoints {
        problems.add("header, byte \(offset)", expected: "0, where there are no points", found: "\(edge)")
      }
    }
  }

  /// The square is the smallest around the points that has its corner at their least x and y: they reach from 0 to the far
  /// edge of one side at least.
  private func checkSquare(_ points: UnsafeBufferPointer<PlanePoint>, _ problems: inout ProblemList) {
    guard let first = points.first else { return }
    var box = PlaneRect(first)
    for point in points { box.formUnion(point) }
    if box.isPoint != (plane.side == 0) {
      problems.add(
        "header, byte \(Offset.side)",
        expected: box.isPoint
          ? "a side of 0 around one position" : "a side above 0 around more than one position",
        found: "\(plane.side)")
    }
    if (box.minX, box.minY) != (0, 0) {
      problems.add("points", expected: "a least x and y of 0 and 0", found: "\(box.minX) and \(box.minY)")
    }
    if !box.isPoint && max(box.maxX, box.maxY) != .max {
      problems.add(
        "points", expected: "a greatest x or y of \(UInt32.max)", found: "\(box.maxX) and \(box.maxY)")
    }
  }
}
