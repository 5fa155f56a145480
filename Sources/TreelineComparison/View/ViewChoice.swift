import GridBaseline
@_spi(Server) import Treeline

/// Chooses views of a data set: first all points, then denser and denser parts. Equal data gives equal views.
///
/// Each step divides the previous view into the cells of a grid. For each cell, the step tries a view that is one zoom
/// level closer and is centered on the points of the cell. The step takes the view with the most points. At the end,
/// steps are selected at equal intervals, and only their views are kept. The split rule of the tree does not matter,
/// so reports of different split rules show the same views.
struct ViewChoice {
  let tree: ClusterTree
  let grid: Grid
  let size: Viewport.Size
  /// Number of views: all points, and four parts.
  static let viewCount = 5
  /// Minimum number of points of a view. With fewer points, there is too little to cluster.
  static let leastPointCount = 200
  /// Greatest zoom, at which a pixel is 60 cm wide at the equator. At higher zooms, points are hardly ever close to
  /// each other on the screen.
  static let maximumZoom = 18.0
  /// Size of the cells in the grid over the previous view. Each cell gives one candidate for the next view. The
  /// candidate is centered on the points of the cell.
  private static let cellSize = CellSize.pixels(64)
  /// Free space at each edge of the view of all points, in pixels: half of the largest badge, and a little more.
  private static let margin = 32.0

  /// - Returns: The view of all points, at the zoom at which they fit, and then parts at increasing whole zooms. There
  ///   are no views if there are no points. On a plane without a projection, there are also no views if all points
  ///   share one position, because the extent of the plane is then 0.
  func views() throws -> [ComparisonView] {
    guard let whole = try whole() else { return [] }
    let descent = try descent(from: whole)
    let count = min(Self.viewCount - 1, descent.count)
    return [whole] + (0..<count).map { descent[($0 + 1) * descent.count / count - 1].view }
  }

  /// A step of the descent: a view, and its center on the plane. The view may have been cut at the edges of the plane.
  /// The center is the center of the uncut view.
  struct Step {
    let view: ComparisonView
    let x: Double
    let y: Double
    let pointCount: Int
  }

  /// Returns denser and denser parts at increasing whole zooms. Skips a part that has the same number of points as the
  /// previous part.
  func descent(from whole: ComparisonView) throws -> [Step] {
    var descent: [Step] = []
    var last = whole
    var lastCount = tree.pointCount
    var zoom = whole.zoom.rounded(.down) + 1
    while zoom <= Self.maximumZoom, let next = try densest(in: last, zoom: zoom) {
      guard next.pointCount >= Self.leastPointCount else { break }
      if next.pointCount != lastCount { descent.append(next) }
      (last, lastCount) = (next.view, next.pointCount)
      zoom += 1
    }
    return descent
  }

  /// Returns the view of all points; nil if there is nothing to show.
  func whole() throws -> ComparisonView? {
    guard let root = tree.root, tree.plane.projection == .webMercator || tree.plane.side > 0 else { return nil }
    let inside = Viewport.Size(
      width: max(size.width - 2 * Self.margin, size.width / 2),
      height: max(size.height - 2 * Self.margin, size.height / 2))
    let zoom = Plane.zoom(fittingWidth: Double(root.rect.width), height: Double(root.rect.height), into: inside)
    let middle = middle(of: root.rect)
    return try view(x: middle.x, y: middle.y, zoom: min(zoom, Self.maximumZoom))
  }

  func middle(of rect: PlaneRect) -> (x: Double, y: Double) {
    (Double(rect.minX) + Double(rect.width) / 2, Double(rect.minY) + Double(rect.height) / 2)
  }

  /// Returns the view with the most points. If several views have the most points, returns the view whose cell comes
  /// first, by row and then by column.
  private func densest(in view: ComparisonView, zoom: Double) throws -> Step? {
    var best: Step?
    for cluster in try grid.clusters(in: view.window, cellSize: Self.cellSize, zoom: view.zoom) {
      let candidate = try self.view(x: cluster.meanX, y: cluster.meanY, zoom: zoom)
      let count = grid.pointCount(in: candidate.window)
      if count > best?.pointCount ?? 0 {
        best = Step(view: candidate, x: cluster.meanX, y: cluster.meanY, pointCount: count)
      }
    }
    return best
  }

  /// Returns the view centered on a position, cut at the edges of the plane. There are two differences from a viewport
  /// with the same center. First, if the view shows the whole world, its west and east edges lie on the seam. The seam
  /// is in the widest gap between the longitudes of the data. Second, if the edges of the view are in degrees, the
  /// edges are rounded, so that they can be written exactly.
  func view(x: Double, y: Double, zoom: Double) throws -> ComparisonView {
    let units = Plane.unitsPerPixel(zoom: zoom)
    let (halfWidth, halfHeight) = (size.width / 2 * units, size.height / 2 * units)
    let isSphere = tree.plane.projection == .webMercator
    let isWholeTurn = isSphere && 2 * halfWidth >= Plane.turnWidth
    let west = isWholeTurn ? 0 : isSphere ? x - halfWidth : max(x - halfWidth, 0)
    let east = isSphere ? x + halfWidth : min(x + halfWidth, Plane.turnWidth - 1)
    let northWest = tree.plane.coordinate(x: west, y: max(y - halfHeight, 0))
    let southEast = tree.plane.coordinate(x: east, y: min(y + halfHeight, Plane.turnWidth - 1))
    let box = BoundingBox(
      west: rounded(northWest.x), south: rounded(southEast.y),
      east: isWholeTurn ? rounded(northWest.x) + 360 : rounded(southEast.x), north: rounded(northWest.y))
    return try ComparisonView(Viewport(box, zoom: zoom), on: tree.plane)
  }

  /// Rounds degrees to six decimals. One unit of the last decimal is 11 cm.
  private func rounded(_ degrees: Double) -> Double {
    tree.plane.projection == .webMercator ? (degrees * 1e6).rounded() / 1e6 : degrees
  }
}

/// A journey chosen from the data. Equal data gives an equal journey.
///
/// The journey begins with a view of all points, and zooms in on the middle of the densest view (see `ViewChoice`).
/// Each step zooms in by 0.5 zoom levels, up to 6 levels in total, as long as there is enough to see. The journey
/// stops zooming after one third of these steps, after two thirds, and after the last step. At each stop, it pans by
/// a tenth of the screen to the right, down, left and up. After the last stop, each step zooms out by 0.7 levels.
/// Apart from the panned views, each view lies inside all views of smaller zooms.
struct Flight {
  let choice: ViewChoice

  private static let depth = 6.0
  /// Number of zoom levels by which the journey zooms in if the data has no denser part.
  private static let shallowDepth = 3.0
  private static let stepIn = 0.5
  private static let stepOut = 0.7
  /// Distance of a pan, as a fraction of the screen.
  private static let pan = 0.1
  private static let panStops = 3

  /// Returns the views of the journey; none if there is nothing to show.
  func views() throws -> [ComparisonView] {
    guard let whole = try choice.whole(), let root = choice.tree.root else { return [] }
    let descent = try choice.descent(from: whole)
    let start = whole.zoom
    let target = descent.last { $0.view.zoom <= start + Self.depth }
    let end = min(target?.view.zoom ?? start + Self.shallowDepth, ViewChoice.maximumZoom)
    let middle = choice.middle(of: root.rect)
    let (x, y) = target.map { ($0.x, $0.y) } ?? (root.meanX, root.meanY)
    /// Returns a view on the way from the view of all points to the position (x, y). `right` and `down` move the view
    /// by fractions of the screen.
    func view(zoom: Double, right: Double = 0, down: Double = 0) throws -> ComparisonView {
      let units = Plane.unitsPerPixel(zoom: zoom)
      let scale = units / Plane.unitsPerPixel(zoom: start)
      return try choice.view(
        x: x + (middle.x - x) * scale + right * choice.size.width * units,
        y: y + (middle.y - y) * scale + down * choice.size.height * units, zoom: zoom)
    }
    let stepsIn = Int((max(end - start, 0) / Self.stepIn).rounded(.down))
    var views = [whole]
    for step in 0..<stepsIn {
      let zoom = start + Double(step + 1) * Self.stepIn
      views.append(try view(zoom: zoom))
      // The steps are divided into three parts. The journey pans after the last step of each part.
      if (step + 1) * Self.panStops / stepsIn > step * Self.panStops / stepsIn {
        for (right, down) in [(1.0, 0.0), (1, 1), (0, 1), (0, 0)] {
          views.append(try view(zoom: zoom, right: right * Self.pan, down: down * Self.pan))
        }
      }
    }
    let lowest = start + Double(stepsIn) * Self.stepIn
    for step in 1..<max(Int(((lowest - start) / Self.stepOut).rounded(.up)), 1) {
      views.append(try view(zoom: lowest - Double(step) * Self.stepOut))
    }
    return stepsIn > 0 ? views + [whole] : views
  }
}
