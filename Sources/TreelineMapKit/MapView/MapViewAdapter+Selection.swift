#if canImport(MapKit) && canImport(UIKit)
  import MapKit
  import Treeline
  import TreelineMap

  extension MapViewAdapter {
    /// The badge that stands for a point, whether by itself or in a cluster; nil where none does.
    ///
    /// - Parameters:
    ///   - row: The point's row number.
    ///   - coordinate: The one that it was given with.
    public func annotation(ofRow row: Int, at coordinate: Coordinate) throws -> ClusterAnnotation? {
      guard let treeIndex = try tree?.treeIndex(ofRow: row, at: coordinate) else { return nil }
      return annotation(ofTreeIndex: treeIndex)
    }

    private func annotation(ofTreeIndex treeIndex: Int) -> ClusterAnnotation? {
      // Until the tree is shown, badges are those of another.
      guard let tree, let scene = animator?.scene, scene.shows(tree) else { return nil }
      return scene.badge(containingTreeIndex: treeIndex).flatMap { annotationsByBadge[$0.id] }
    }

    /// Selects a point, or the cluster that it is in. It stays selected, whatever splits and merges, and also while it
    /// is out of view.
    ///
    /// - Parameters:
    ///   - row: The point's row number.
    ///   - coordinate: The one that it was given with.
    /// - Returns: Whether it is on the map.
    @discardableResult public func select(row: Int, at coordinate: Coordinate) throws -> Bool {
      guard let treeIndex = try tree?.treeIndex(ofRow: row, at: coordinate) else { return false }
      selectedTreeIndex = treeIndex
      followSelection()
      return true
    }

    /// Zooms to where a point is shown by itself, and selects it. By a limit, and where it is at no zoom, the map only
    /// moves there.
    ///
    /// - Parameters:
    ///   - row: The point's row number.
    ///   - coordinate: The one that it was given with.
    ///   - animated: Whether the map flies there.
    public func reveal(row: Int, at coordinate: Coordinate, animated: Bool = true) throws {
      guard try select(row: row, at: coordinate), let tree, let treeIndex = selectedTreeIndex else { return }
      let zoom = feed.cut.isByPixels ? try tree.unclusteredZoom(ofTreeIndex: treeIndex, by: feed.cut) : nil
      fly(to: coordinate, zoom: max(zoom ?? 0, currentZoom), animated: animated)
    }

    /// Zooms to where a cluster falls apart: to its parts, or by a limit to its points. To a stack, and to a point, the
    /// map only moves.
    public func zoom(into annotation: ClusterAnnotation, animated: Bool = true) {
      guard let tree = tree(of: annotation) else { return }
      if feed.cut.isByPixels, let zoom = try? tree.expansionZoom(of: annotation.cluster.id, by: feed.cut) {
        // A hair more, lest the map stop just before.
        fly(to: annotation.badge.destination, zoom: max(zoom, currentZoom) + 0.01, animated: animated)
      } else if annotation.cluster.rect.isPoint {
        // MapKit shows no rectangle without an extent.
        fly(to: annotation.badge.destination, zoom: currentZoom, animated: animated)
      } else {
        mapView.setVisibleMapRect(
          MKMapRect(annotation.cluster.bounds), edgePadding: UIEdgeInsets(top: 44, left: 44, bottom: 44, right: 44),
          animated: animated)
      }
    }

    private var currentZoom: Double {
      let size = mapView.bounds.size
      return mapView.visibleMapRect.zoom(
        width: size.width, height: size.height, heading: mapView.camera.heading) ?? 0
    }

    private func fly(to coordinate: Coordinate, zoom: Double, animated: Bool) {
      // The map fits it in between its margins, clear of bars: one for the whole map would be shown at a lower zoom.
      let (size, margins) = (mapView.bounds.size, mapView.layoutMargins)
      let rect = MKMapRect(
        center: coordinate, zoom: min(zoom, 20), width: max(size.width - margins.left - margins.right, 1),
        height: max(size.height - margins.top - margins.bottom, 1))
      mapView.setVisibleMapRect(rect, animated: animated)
    }

    func didTap(_ annotation: ClusterAnnotation) {
      let cluster = annotation.cluster
      // What is of a tree that is replaced is on its way out.
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
      // Of a cluster the point in its middle, so that what is selected stays in the middle as it splits.
      selectedTreeIndex = cluster.treeIndex ?? (try? tree.nearestMember(of: cluster.id))
      followEllipses()
      delegate?.adapter(self, didSelect: annotation)
    }

    /// Whether a badge stands for the point that is selected.
    func isSelected(_ annotation: ClusterAnnotation) -> Bool {
      selectedTreeIndex.flatMap { self.annotation(ofTreeIndex: $0) } === annotation
    }

    /// Whether what is selected counts in the tree that is asked by now.
    private var isSelectionOfTree: Bool {
      guard let selectedTreeIndex, let selectedTree, let tree, tree.isSame(as: selectedTree) else { return false }
      return tree.passes(selectedTreeIndex)
    }

    /// Whether a badge that is deselected takes the selection with it: not where the adapter does it, and not where the
    /// badge goes. A badge that leaves still has the selection until the next one is drawn.
    func endsSelection(_ annotation: ClusterAnnotation) -> Bool {
      guard let selectedTreeIndex, !isDeselecting else { return false }
      return annotationsByBadge[annotation.badge.id] === annotation && !annotation.badge.isForeign
        && annotation.cluster.range.contains(selectedTreeIndex)
    }

    private func deselect(_ annotation: any MKAnnotation) {
      isDeselecting = true
      defer { isDeselecting = false }
      mapView.deselectAnnotation(annotation, animated: false)
    }

    private func deselectAnnotations() {
      for other in mapView.selectedAnnotations where other is ClusterAnnotation { deselect(other) }
    }

    /// Has that badge selected which stands for the point that is. A whole that has not formed yet, or a part that has
    /// no view yet, is not: until then that which leaves is.
    func followSelection() {
      guard let selectedTreeIndex else { return }
      guard isSelectionOfTree else {
        self.selectedTreeIndex = nil
        return deselectAnnotations()
      }
      guard let annotation = annotation(ofTreeIndex: selectedTreeIndex),
        annotation.badge.appearance.isVisible, mapView.view(for: annotation) != nil,
        !mapView.selectedAnnotations.contains(where: { $0 === annotation })
      else { return }
      deselectAnnotations()
      mapView.selectAnnotation(annotation, animated: false)
      delegate?.adapter(self, didSelect: annotation)
    }
  }
#endif
