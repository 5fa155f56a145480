/// A box or polygons on a tree's plane.
private enum PlaneArea {
  case window(PlaneWindow)
  case polygons([PlanePolygon])

  enum Relation { case outside, across, inside }

  /// Number of edges with which each node and each point is compared.
  var edgeCount: Int {
    switch self {
    case .window: 1
    case .polygons(let polygons): polygons.reduce(0) { $0 + $1.comparisonCount }
    }
  }

  func relation(to box: PlaneRect) -> Relation {
    switch self {
    case .window(let window): return window.contains(box) ? .inside : window.intersects(box) ? .across : .outside
    case .polygons(let polygons):
      let relations = polygons.map { $0.relation(to: box) }
      return relations.contains(.inside) ? .inside : relations.contains(.across) ? .across : .outside
    }
  }

  func contains(_ point: PlanePoint) -> Bool {
    switch self {
    case .window(let window): window.contains(point)
    case .polygons(let polygons): polygons.contains { $0.contains(point) }
    }
  }
}

extension FilterPlanner {
  /// Returns one bit for each point, in tree order. A bit is 1 if the point lies in the area. If `isNegated` is true,
  /// a bit is 1 if the point lies outside the area.
  ///
  /// - Complexity: O(n · e) for n nodes with boxes that lie partly inside the area, and e edges of the area.
  func bits(of area: FilterArea, isNegated: Bool) throws(FilterError) -> [UInt64] {
    var bits = BitRuns(count: tree.pointCount)
    if let area = try area.located(on: tree.plane) {
      let nodesPerLook = max((1 << 16) / max(area.edgeCount, 1), 1)
      try tree.withStorage { storage throws(FilterError) in
        // If the children of a node cannot be read from a damaged file, no point of the node counts as inside the
        // area.
        var waiting = [storage.root].compactMap { $0 }
        var nodesToLook = 0
        while let node = waiting.popLast() {
          if nodesToLook == 0 {
            if Cancellation.isCancelled { throw .cancelled }
            nodesToLook = nodesPerLook
          }
          nodesToLook -= 1
          switch area.relation(to: storage.nodes[Int(node.record)].box) {
          case .outside: continue
          case .inside: bits.set(node.range)
          case .across:
            if storage.isStored(node) {
              if let (left, right) = try? storage.children(of: node) { waiting += [right, left] }
            } else {
              for treeIndex in node.range where area.contains(storage.points[treeIndex]) {
                bits.set(treeIndex..<treeIndex + 1)
              }
            }
          }
        }
      }
    }
    if isNegated { bits.invert() }
    return bits.words
  }
}

extension ClusterTree {
  /// Returns an upper bound for the number of steps needed to find the points of an area. In each step, one edge of
  /// the area is compared with the box of a node, or with a point. This function itself stops after about 100,000
  /// steps. Some nodes may then still lie partly inside and partly outside the area. For these nodes, the bound
  /// assumes the worst case.
  func steps(ofLocating area: FilterArea) -> Int {
    guard let located = try? area.located(on: plane) else { return 0 }
    let edgeCount = max(located.edgeCount, 1)
    return withStorage { storage in
      var across = [storage.root].compactMap { $0 }
      var looks = 100_000 / edgeCount
      // Each pass goes down one level of the tree.
      while looks > 2 * across.count, !across.isEmpty {
        var next: [Node] = []
        for node in across where storage.isStored(node) {
          guard let (left, right) = try? storage.children(of: node) else { continue }
          looks -= 2
          for child in [left, right]
          where located.relation(to: storage.nodes[Int(child.record)].box) == .across { next.append(child) }
        }
        across = next
      }
      // Each point below the nodes in `across` costs at most two comparisons with each edge: one comparison of the
      // point itself, and one comparison of a node above the point.
      let points = across.reduce(0) { $0 + Int($1.count) }
      return WorkEstimate.product(points + 100_000 / edgeCount + 1, 2 * edgeCount)
    }
  }
}

/// An array of bits, with a function that sets all bits of a range.
private struct BitRuns {
  private(set) var words: [UInt64]
  private let count: Int

  init(count: Int) {
    self.count = count
    words = [UInt64](repeating: 0, count: Selection.wordCount(ofPoints: count))
  }

  mutating func set(_ range: Range<Int>) {
    let (first, last) = (range.lowerBound >> 6, range.upperBound >> 6)
    let (fromFirst, beforeLast) = (UInt64.max << UInt64(range.lowerBound & 63), Self.below(range.upperBound))
    if first == last {
      words[first] |= fromFirst & beforeLast
      return
    }
    words[first] |= fromFirst
    for index in first + 1..<last { words[index] = .max }
    words[last] |= beforeLast
  }

  /// Returns a mask for the word that contains a point's bit. The mask selects the bits before the point's bit.
  private static func below(_ treeIndex: Int) -> UInt64 { (1 << UInt64(treeIndex & 63)) - 1 }

  mutating func invert() {
    for index in words.indices { words[index] = ~words[index] }
    words[words.count - 1] &= Self.below(count)
  }
}

extension FilterArea {
  /// Returns the area on a plane; nil if the area lies outside the plane.
  fileprivate func located(on plane: Plane) throws(FilterError) -> PlaneArea? {
    switch self {
    case .box(let box):
      do throws(QueryError) { return try plane.window(showing: box).map(PlaneArea.window) } catch {
        let edges = [("west", box.west), ("south", box.south), ("east", box.east), ("north", box.north)]
        throw .noArea(
          expected: "a box with finite edges, whose south edge is at or below its north edge"
            + (plane.projection == .planar ? " and whose west edge is at or before its east edge" : ""),
          found: edges.map { "\($0) \(ParameterValue.text($1))" }.joined(separator: ", "))
      }
    case .polygons(let polygons):
      for ring in polygons.joined() {
        let corners = ring.first == ring.last ? ring.dropLast() : ring[...]
        guard corners.count >= 3 else {
          throw .noArea(expected: "3 corners or more in a ring of a polygon", found: "\(corners.count)")
        }
        for corner in corners {
          let isThere = corner.longitude.isFinite && corner.latitude.isFinite
          // A polygon that goes around the world more than a few times is surely a mistake.
          guard isThere, plane.projection == .planar || corner.longitude.magnitude <= 720 else {
            throw .noArea(
              expected: plane.projection == .planar
                ? "finite coordinates for a corner of a polygon"
                : "a longitude from -720 to 720 and a finite latitude for a corner of a polygon", found: "\(corner)")
          }
        }
      }
      return .polygons(polygons.map { PlanePolygon($0, on: plane) })
    }
  }
}

/// A polygon that is tested exactly, by the even-odd rule. The edges belong to the polygon.
private struct PlanePolygon {
  /// A corner, in units of the plane. x may lie beyond the plane, so that a polygon across the seam is in one piece.
  /// The seam is the meridian at which the plane begins and ends.
  private struct Corner {
    var x: Int64
    var y: Int64
  }

  private let edges: [(from: Corner, to: Corner)]
  /// Offsets to add to the x of a point. A polygon may extend over several copies of the world, side by side. There is
  /// one offset for each copy.
  private let shifts: [Int64]

  init(_ rings: [[Coordinate]], on plane: Plane) {
    edges = rings.flatMap { ring in
      let corners = Self.corners(ring, on: plane)
      return zip(corners, corners.dropFirst() + corners.prefix(1)).map { (from: $0, to: $1) }
    }
    let turn = Int64(1) << 32
    let (west, east) = (edges.lazy.map(\.from.x).min() ?? 0, edges.lazy.map(\.from.x).max() ?? 0)
    func floor(_ x: Int64) -> Int64 { x >> 32 }
    shifts = plane.projection == .planar ? [0] : (floor(west)...floor(east)).map { $0 * turn }
  }

  private static func corners(_ ring: [Coordinate], on plane: Plane) -> [Corner] {
    let ring = ring.first == ring.last ? ring.dropLast() : ring[...]
    guard plane.projection == .webMercator else {
      // Corners beyond the data's extent are not moved to the edge of the plane, because this would change the polygon.
      return ring.map { coordinate in
        func units(_ distance: Double) -> Int64 { Int64(min(max(plane.wholeUnits(distance), -0x1p61), 0x1p61)) }
        return Corner(x: units(coordinate.x - plane.left), y: units(plane.top - coordinate.y))
      }
    }
    return ring.map { coordinate in
      let turns = (coordinate.longitude / 360).rounded()
      let point = plane.point(
        at: Coordinate(longitude: coordinate.longitude - 360 * turns, latitude: min(max(coordinate.latitude, -90), 90)))
      // Longitudes that differ by whole turns around the world give the same `point`. So the number of whole turns
      // from `point` to the longitude is computed, and one width of the world is added to the x of `point` for each
      // turn.
      let x = (coordinate.longitude + 180) / 360 * 0x1p32 - Double(plane.seam)
      return Corner(x: Int64(point.x) + Int64(((x - Double(point.x)) / 0x1p32).rounded()) << 32, y: Int64(point.y))
    }
  }

  /// Number of comparisons that test a point: one for each edge at each offset in `shifts`.
  var comparisonCount: Int { edges.count * shifts.count }

  func contains(_ point: PlanePoint) -> Bool {
    shifts.contains { contains(x: Int64(point.x) + $0, y: Int64(point.y)) }
  }

  private func contains(x: Int64, y: Int64) -> Bool {
    var isInside = false
    for (a, b) in edges {
      let side = Int128(b.x - a.x) * Int128(y - a.y) - Int128(b.y - a.y) * Int128(x - a.x)
      if side == 0, min(a.x, b.x) <= x, x <= max(a.x, b.x), min(a.y, b.y) <= y, y <= max(a.y, b.y) { return true }
      // This condition holds if an eastward ray from the point crosses the edge.
      if (a.y > y) != (b.y > y), (side < 0) == (b.y > a.y) { isInside.toggle() }
    }
    return isInside
  }

  func relation(to box: PlaneRect) -> PlaneArea.Relation {
    if box.isAcrossSeam { return .across }
    var relation = PlaneArea.Relation.outside
    for shift in shifts {
      let (west, east) = (Int64(box.minX) + shift, Int64(box.maxX) + shift)
      let (north, south) = (Int64(box.minY), Int64(box.maxY))
      // An edge can cross this box only if the bounding box of the edge overlaps this box.
      if edges.contains(where: { a, b in
        max(a.x, b.x) >= west && min(a.x, b.x) <= east && max(a.y, b.y) >= north && min(a.y, b.y) <= south
      }) {
        return .across
      }
      if contains(x: west, y: north) { relation = .inside }
    }
    return relation
  }
}
