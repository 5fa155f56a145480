import Treeline

/// A journey chosen by the data, the same every time.
///
/// From a view of all the data it dives towards the middle of the densest view (see `ViewChoice`), six zooms further
/// in or as far as there is enough to see, half a zoom a step. A third, two thirds and all the way down it pans by a
/// tenth of the screen to the right, down, left and up. It rises again by seven tenths of a zoom a step. On the way in
/// and out each view lies inside every one from further away.
struct Flight {
  let choice: ViewChoice

  private static let depth = 6.0
  /// Where there is no denser part to go to.
  private static let shallowDepth = 3.0
  private static let stepIn = 0.5
  private static let stepOut = 0.7
  /// Of the screen.
  private static let pan = 0.1
  private static let panStops = 3

  /// None where there is nothing to look at.
  func views() throws -> [ComparisonView] {
    guard let whole = try choice.whole(), let root = choice.tree.root else { return [] }
    let descent = try choice.descent(from: whole)
    let start = whole.zoom
    let target = descent.last { $0.view.zoom <= start + Self.depth }
    let end = min(target?.view.zoom ?? start + Self.shallowDepth, ViewChoice.maximumZoom)
    let middle = choice.middle(of: root.rect)
    let (x, y) = target.map { ($0.x, $0.y) } ?? (root.meanX, root.meanY)
    /// Views that shrink towards one position, moved by parts of a screen.
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
      // The last of so many steps is a stop.
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
