#if canImport(SwiftUI) && canImport(MapKit)
  import MapKit
  import SwiftUI
  @_spi(Server) import Treeline
  @_spi(MapLibre) import TreelineMap

  // MARK: - Selection

  extension MapModel {
    /// Selects a point. If a cluster contains the point, the badge of this cluster is selected. The point stays
    /// selected when clusters split and merge, and while the point is out of view.
    ///
    /// - Parameters:
    ///   - row: Row of the point.
    ///   - coordinate: Coordinate of the point when the tree was built.
    /// - Returns: Whether the tree contains the point.
    /// - Throws: `IndexError` if the index of the tree is damaged.
    @discardableResult public func select(row: Int, at coordinate: Coordinate) throws -> Bool {
      guard let tree, let treeIndex = try tree.treeIndex(ofRow: row, at: coordinate) else { return false }
      selected.select(treeIndex, of: tree)
      draw()
      return true
    }

    /// Selects a point and zooms in until the point is shown unclustered. If the cut limits only the number of
    /// clusters, or if no zoom separates the point, the map moves to the point without zooming.
    ///
    /// ```swift
    /// try model.reveal(row: 7, at: hotels.values[7].coordinate)    // for example after a tap in a list of results
    /// ```
    ///
    /// - Parameters:
    ///   - row: Row of the point.
    ///   - coordinate: Coordinate of the point when the tree was built.
    /// - Throws: `IndexError` if the index of the tree is damaged, `QueryError` if the tree does not support the cut.
    public func reveal(row: Int, at coordinate: Coordinate) throws {
      guard try select(row: row, at: coordinate), let tree, let treeIndex = selected.treeIndex else { return }
      let cut = feed.shownCut
      let zoom = cut.isByPixels ? try tree.unclusteredZoom(ofTreeIndex: treeIndex, for: cut) : nil
      // The map zooms slightly further, so that rounding does not stop the zoom just before the point is shown alone.
      fly(to: coordinate, zoom: max(zoom.map { $0 + 0.01 } ?? 0, currentZoom))
    }

    func tap(_ id: Badge.ID?) {
      defer { draw() }
      let badge = badges.first { $0.id == id }
      if let tree, let stack, let member = badge?.id.member, stack.tree.isSame(as: tree) {
        return selected.select(member, of: tree)
      }
      selected.end()
      (stack, selectedBadge) = (nil, nil)
      // A badge of another tree is about to leave the map, so a tap on it only ends the selection.
      guard let badge, let tree, let shown = self.tree(of: badge), shown.isSame(as: tree) else { return }
      if badge.cluster.isStack {
        stack = OpenStack(badge: badge.id.badge, cluster: badge.cluster, tree: shown)
      } else if badge.cluster.pointCount > 1 && zoomsIntoClusters {
        zoom(into: badge)
      } else if let treeIndex = badge.cluster.pointToSelect(in: tree) {
        selected.select(treeIndex, of: tree)
      }
    }

    /// Selects the badge that contains the selected point. Until this badge is drawn, the previous badge stays
    /// selected.
    func followSelection(_ scene: MapScene) {
      var next = selected
      if next.follow(tree) || next.row != selected.row || next.treeIndex != selected.treeIndex { selected = next }
      let badge = badgeToSelect(in: scene)
      if badge != selectedBadge { selectedBadge = badge }
    }

    private func badgeToSelect(in scene: MapScene) -> Badge.ID? {
      // The map reports only taps that change the selection. A tap outside the open stack must be reported, because
      // this tap closes the stack. So if no point is selected, the badge of the open stack is selected.
      guard let treeIndex = selected.treeIndex else { return stack.map { Badge.ID(badge: $0.badge) } }
      // Until the new tree is shown, the badges belong to the previous tree.
      guard let tree, scene.shows(tree) else { return selectedBadge }
      guard let badge = scene.badge(containingTreeIndex: treeIndex) else { return nil }
      if badge.id == stack?.badge { return Badge.ID(badge: badge.id, member: treeIndex) }
      return badge.appearance.isVisible ? Badge.ID(badge: badge.id) : selectedBadge
    }
  }

  // MARK: - Stacks

  extension MapModel {
    /// A stack (several points at one position) whose points are shown around this position.
    struct OpenStack {
      let badge: MapBadge.ID
      let cluster: Cluster
      let tree: ClusterTree
    }

    /// Closes the open stack if the stack is now part of a cluster or is no longer shown, or if its points have
    /// changed.
    func followStack(_ scene: MapScene) {
      guard let stack else { return }
      let badge = scene.answerBadges.first { $0.id == stack.badge }
      let hasSamePoints = scene.tree.map { $0.isSame(as: stack.tree) && $0.countsSamePoints(as: stack.tree) } ?? false
      if badge == nil || !hasSamePoints { self.stack = nil }
    }

    /// Returns the badges of the points of the open stack.
    func drawnStack(_ scene: MapScene) -> [Badge] {
      guard let stack, let badge = scene.answerBadges.first(where: { $0.id == stack.badge }) else { return [] }
      let members = stack.tree.members(of: stack.cluster).treeIndices.prefix(stackLimit)
      let spread = StackSpread(count: members.count, spacing: TapTarget.least)
      let scale = Plane.unitsPerPixel(zoom: currentZoom) * MKMapRect.pointsPerUnit
      let (right, down) = (cos((camera?.heading ?? 0) * .pi / 180), sin((camera?.heading ?? 0) * .pi / 180))
      let middle = MKMapPoint(badge.coordinate)
      return zip(members, spread).map { treeIndex, offset in
        let row = stack.tree.row(atTreeIndex: treeIndex)
        let id = Badge.ID(badge: badge.id, member: treeIndex)
        let place = MKMapPoint(
          x: middle.x + scale * (offset.x * right - offset.y * down),
          y: middle.y + scale * (offset.x * down + offset.y * right))
        let words = [texts.title(ofRow: row), texts.subtitle(ofRow: row)].compactMap { $0 }
        return Badge(
          id: id, cluster: stack.cluster, row: row, coordinate: CLLocationCoordinate2D(Coordinate(place)), number: nil,
          title: texts.title(ofRow: row) ?? "", accessibilityLabel: words.joined(separator: ", "),
          diameter: MapAnswer.dotDiameter * 1.5, opacity: 1, isLeaving: false, isSelected: id == selectedBadge)
      }
    }
  }
#endif
