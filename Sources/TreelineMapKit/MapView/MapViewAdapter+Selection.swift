#if canImport(MapKit) && canImport(UIKit)
  import MapKit
  @_spi(Server) import Treeline
  @_spi(MapLibre) import TreelineMap

  extension MapViewAdapter {
    /// Returns the annotation whose badge contains a point; nil if no badge contains the point.
    ///
    /// - Parameters:
    ///   - row: Row of the point.
    ///   - coordinate: Coordinate of the point when the tree was built.
    public func annotation(ofRow row: Int, at coordinate: Coordinate) throws -> ClusterAnnotation? {
      guard let treeIndex = try tree?.treeIndex(ofRow: row, at: coordinate) else { return nil }
      return annotation(ofTreeIndex: treeIndex)
    }

    private func annotation(ofTreeIndex treeIndex: Int) -> ClusterAnnotation? {
      // Until a new tree is shown, the badges on the map belong to the previous tree.
      guard let tree, let scene = animator?.scene, scene.shows(tree) else { return nil }
      return scene.badge(containingTreeIndex: treeIndex).flatMap { annotationsByBadge[$0.id] }
    }

    /// Selects a point. If a cluster contains the point, the badge of this cluster is selected. The point stays
    /// selected when clusters split and merge, and while the point is out of view.
    ///
    /// - Parameters:
    ///   - row: Row of the point.
    ///   - coordinate: Coordinate of the point when the tree was built.
    /// - Returns: Whether the tree contains the point.
    @discardableResult public func select(row: Int, at coordinate: Coordinate) throws -> Bool {
      guard let tree, let treeIndex = try tree.treeIndex(ofRow: row, at: coordinate) else { return false }
      selection.select(treeIndex, of: tree)
      followSelection()
      return true
    }

    /// Selects a point and zooms in until the point is shown unclustered. If the cut has only a limit, or if no zoom
    /// shows the point unclustered, the map moves to the point without zooming.
    ///
    /// - Parameters:
    ///   - row: Row of the point.
    ///   - coordinate: Coordinate of the point when the tree was built.
    ///   - animated: Whether the map flies to the point.
    public func reveal(row: Int, at coordinate: Coordinate, animated: Bool = true) throws {
      guard try select(row: row, at: coordinate), let tree, let treeIndex = selection.treeIndex else { return }
      let cut = feed.shownCut
      let zoom = cut.isByPixels ? try tree.unclusteredZoom(ofTreeIndex: treeIndex, for: cut) : nil
      // The map zooms slightly further, so that rounding does not stop the zoom just before the point is shown alone.
      fly(to: coordinate, zoom: max(zoom.map { $0 + 0.01 } ?? 0, currentZoom), animated: animated)
    }

    /// Zooms in until a cluster splits into its parts. If the cut has only a limit, zooms to the bounds of the
    /// cluster's points. A single point and a stack (several points at one position) never split, so the map moves to
    /// their position without zooming.
    public func zoom(into annotation: ClusterAnnotation, animated: Bool = true) {
      guard let tree = tree(of: annotation) else { return }
      let cut = feed.shownCut
      if cut.isByPixels, let zoom = try? tree.separationZoom(of: annotation.cluster.id, for: cut) {
        // The map zooms slightly beyond the split, so that rounding does not stop the zoom just before the split.
        fly(to: annotation.badge.destination, zoom: max(zoom, currentZoom) + 0.01, animated: animated)
      } else if annotation.cluster.rect.isPoint {
        // MapKit cannot show a rectangle without width and height.
        fly(to: annotation.badge.destination, zoom: currentZoom, animated: animated)
      } else {
        mapView.setVisibleMapRect(
          MKMapRect(annotation.cluster.bounds), edgePadding: UIEdgeInsets(top: 44, left: 44, bottom: 44, right: 44),
          animated: animated)
      }
    }

    private var currentZoom: Double { mapView.zoomAtCenter ?? 0 }

    private func fly(to coordinate: Coordinate, zoom: Double, animated: Bool) {
      // The map view fits the rectangle into the area between its layout margins, so that no bar covers the rectangle.
      // Therefore the rectangle must have the size of this area. With the size of the whole map view, the zoom would
      // be too low.
      let (size, margins) = (mapView.bounds.size, mapView.layoutMargins)
      let rect = MKMapRect(
        center: coordinate, zoom: min(zoom, 20), width: max(size.width - margins.left - margins.right, 1),
        height: max(size.height - margins.top - margins.bottom, 1))
      mapView.setVisibleMapRect(rect, animated: animated)
    }

    func didTap(_ annotation: ClusterAnnotation) {
      let cluster = annotation.cluster
      // If the badge belongs to a tree that is being replaced, the badge is about to leave the map.
      guard let shown = self.tree(of: annotation), let tree, shown.isSame(as: tree) else {
        return deselect(annotation)
      }
      if cluster.isStack {
        open(annotation)
      } else if cluster.pointCount > 1 && options.zoomsIntoClusters {
        deselect(annotation)
        zoom(into: annotation)
        return
      }
      if let treeIndex = cluster.pointToSelect(in: tree) { selection.select(treeIndex, of: tree) }
      followEllipses()
      delegate?.adapter(self, didSelect: annotation)
    }

    /// Returns whether a badge contains the selected point.
    func isSelected(_ annotation: ClusterAnnotation) -> Bool {
      selection.treeIndex.flatMap { self.annotation(ofTreeIndex: $0) } === annotation
    }

    /// Returns whether the deselection of a badge ends the selection of the point. The point stays selected if the
    /// adapter deselects the badge, or if the badge was removed or belongs to an earlier tree. A badge that leaves the
    /// map after a split or a merge stays selected until the next badge that contains the point is drawn. If the
    /// leaving badge is deselected before the next badge is drawn, the selection of the point ends.
    func endsSelection(_ annotation: ClusterAnnotation) -> Bool {
      guard let treeIndex = selection.treeIndex, !isDeselecting else { return false }
      return annotationsByBadge[annotation.badge.id] === annotation && !annotation.badge.isForeign
        && annotation.cluster.range.contains(treeIndex)
    }

    private func deselect(_ annotation: any MKAnnotation) {
      keepingSelection { mapView.deselectAnnotation(annotation, animated: false) }
    }

    /// Calls a function that deselects annotations. The selected point stays selected, although its annotation may be
    /// deselected.
    func keepingSelection(_ body: () -> Void) {
      isDeselecting = true
      defer { isDeselecting = false }
      body()
    }

    private func deselectAnnotations() {
      for other in mapView.selectedAnnotations where other is ClusterAnnotation { deselect(other) }
    }

    /// Selects the badge that contains the selected point. Until this badge is drawn and has a view, the previous
    /// badge stays selected.
    func followSelection() {
      if selection.follow(tree) { return deselectAnnotations() }
      guard let treeIndex = selection.treeIndex, let annotation = annotation(ofTreeIndex: treeIndex),
        annotation.badge.appearance.isVisible, mapView.view(for: annotation) != nil,
        !mapView.selectedAnnotations.contains(where: { $0 === annotation })
      else { return }
      deselectAnnotations()
      mapView.selectAnnotation(annotation, animated: false)
      delegate?.adapter(self, didSelect: annotation)
    }
  }
#endif
