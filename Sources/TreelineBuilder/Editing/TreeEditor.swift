import Treeline

/// A tree that is edited again and again. An edit merges clusters again only where points change (`MergeHistory`).
///
/// It is not safe to use an editor from several threads at the same time. `MapRecipe` gives its editor to one edit at
/// a time.
final class TreeEditor: @unchecked Sendable {
  private let history: MergeHistory
  /// Occupied longitudes, which decide where the plane's seam is.
  private var gaps = LongitudeGaps()
  /// Extent of all coordinates, used only without a map projection. The extent decides which square the plane covers.
  private var extent: CoordinateExtent?

  /// Points that an edit changes.
  struct Edit {
    /// Points to remove and to move, with their rows before the edit.
    var removed: [(row: Int, coordinate: Coordinate)] = []
    var moved: [(row: Int, from: Coordinate, to: Coordinate)] = []
    /// Points to add, with their rows after the edit.
    var added: [(row: Int, coordinate: Coordinate)] = []

    var count: Int { removed.count + moved.count + added.count }

    fileprivate var left: [Coordinate] { removed.map(\.coordinate) + moved.map(\.from) }
    fileprivate var entered: [Coordinate] { added.map(\.coordinate) + moved.map(\.to) }
  }

  /// - Returns: nil if the tree does not contain the history of its merges; see `MergeHistory`.
  /// - Complexity: O(pointCount). Takes about 160 bytes of memory per point.
  init?(_ tree: ClusterTree, coordinates: () throws -> [Coordinate]) rethrows {
    guard let history = MergeHistory(tree) else { return nil }
    self.history = history
    if tree.plane.projection == .planar {
      extent = try Self.extent(of: coordinates())
    } else {
      tree.withStorage { storage in
        for index in 0..<storage.pointCount { gaps.add(storage.points[index].x &+ tree.plane.seam) }
      }
    }
  }

  /// Returns the tree after an edit. Returns nil if the edit changes the plane, or if the tree lacks a point that the
  /// edit removes or moves. In these cases the tree must be built again, and the editor cannot be used any more.
  ///
  /// - Parameter coordinates: Returns all coordinates after the edit.
  func update(_ edit: Edit, coordinates: () throws -> [Coordinate]) rethrows -> ClusterTree? {
    let plane = history.plane
    func point(_ row: Int, _ coordinate: Coordinate) -> MergeHistory.Point {
      MergeHistory.Point(row: UInt32(row), position: plane.point(at: coordinate))
    }
    let removed = edit.removed.map { point($0.row, $0.coordinate) }
    let moved = edit.moved.map { (point: point($0.row, $0.from), target: plane.point(at: $0.to)) }
    guard (removed + moved.map(\.point)).allSatisfy(history.contains) else { return nil }
    history.update(adding: edit.added.map { point($0.row, $0.coordinate) }, removing: removed, moving: moved)
    guard try self.plane(after: edit, coordinates) == plane else { return nil }
    if plane.projection == .webMercator {
      func clippedCount(_ coordinates: [Coordinate]) -> Int { coordinates.count { Plane.isClipped($0) } }
      history.clippedPointCount += clippedCount(edit.entered) - clippedCount(edit.left)
    }
    return history.tree()
  }

  /// Returns the plane that a new build of all points would choose after the edit.
  private func plane(after edit: Edit, _ coordinates: () throws -> [Coordinate]) rethrows -> Plane {
    let plane = history.plane
    if plane.projection == .planar {
      if edit.left.contains(where: { extent?.isOnEdge($0) ?? true }) {
        extent = try Self.extent(of: coordinates())
      } else if let entered = Self.extent(of: edit.entered) {
        extent = extent?.union(entered) ?? entered
      }
      return extent?.square ?? .planar(left: 0, top: 0, side: 0)
    }
    var haveChanged = false
    for coordinate in edit.entered {
      let x = plane.point(at: coordinate).x &+ plane.seam
      if gaps.isInside(x) { continue }
      gaps.add(x)
      haveChanged = true
    }
    for coordinate in edit.left {
      let x = plane.point(at: coordinate).x &+ plane.seam
      guard gaps.isOnEdge(x) else { continue }
      let bin = gaps.removeBin(of: x)
      history.forEachPosition(from: bin.start &- plane.seam, width: bin.width) { gaps.add($0.x &+ plane.seam) }
      haveChanged = true
    }
    return haveChanged ? .webMercator(seam: gaps.seam) : plane
  }

  private static func extent(of coordinates: [Coordinate]) -> CoordinateExtent? {
    coordinates.withUnsafeBufferPointer { CoordinateExtent($0) }
  }
}

extension LongitudeGaps {
  /// Whether a position lies in the range of the points in its bin. The range includes the least and the greatest
  /// position of these points.
  fileprivate func isInside(_ x: UInt32) -> Bool {
    let range = self.range(inBinOf: x)
    return range.least <= x && x <= range.greatest
  }

  /// Whether a position is the least or the greatest position of the points in its bin.
  fileprivate func isOnEdge(_ x: UInt32) -> Bool {
    let range = self.range(inBinOf: x)
    return x == range.least || x == range.greatest
  }
}
