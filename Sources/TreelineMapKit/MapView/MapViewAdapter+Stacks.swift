#if canImport(MapKit) && canImport(UIKit)
  import MapKit
  import Treeline
  import TreelineMap

  extension MapViewAdapter {
    /// A stack (several points at one position) whose points are shown around this position.
    struct OpenStack {
      let annotation: ClusterAnnotation
      /// Tree that contains the stack.
      let tree: ClusterTree
      let members: [StackMemberAnnotation]

      /// Returns whether an annotation is the stack or one of its points.
      func contains(_ other: any MKAnnotation) -> Bool { other === annotation || members.contains { $0 === other } }
    }

    /// Shows the points of a stack around the stack, or passes the points to the delegate, as the options require.
    /// Closes any other open stack. Once the stack or one of its points has been selected, the stack closes when the
    /// selection ends or moves elsewhere.
    public func open(_ stack: ClusterAnnotation) {
      guard stack.cluster.isStack, openStack?.annotation !== stack, let tree = tree(of: stack) else { return }
      let rows = tree.members(of: stack.cluster)
      closeStack()
      var shown = 0
      if case .spread(let limit) = options.stacks {
        shown = min(rows.count, limit)
        // The spacing is wide enough for fingers. Like the dots of points, the spacing grows with the text size.
        let spread = StackSpread(count: shown, spacing: 32 * textScale)
        let members = zip(rows.prefix(shown), spread).map { row, offset in
          StackMemberAnnotation(row: row, of: stack, offset: offset)
        }
        for member in members {
          member.title = texts.title(ofRow: member.row)
          member.subtitle = texts.subtitle(ofRow: member.row)
        }
        openStack = OpenStack(annotation: stack, tree: tree, members: members)
        mapView.addAnnotations(members)
      }
      if shown < rows.count { delegate?.adapter(self, didOpen: stack, members: rows) }
    }

    /// Removes the points of the open stack from the map.
    public func closeStack() {
      guard let openStack else { return }
      self.openStack = nil
      mapView.removeAnnotations(openStack.members)
    }

    /// Moves the new views of a stack's points away from the stack, each view by the offset of its point.
    func spreadOut(_ views: [MKAnnotationView]) {
      let members = views.compactMap { view in (view.annotation as? StackMemberAnnotation).map { (view, $0.offset) } }
      guard !members.isEmpty else { return }
      func place() { for (view, offset) in members { view.centerOffset = CGPoint(x: offset.x, y: offset.y) } }
      guard let animator, !animator.prefersReducedMotion else { return place() }
      UIView.animate(
        withDuration: MapTiming.standard.move, delay: 0, options: [.curveEaseOut, .allowUserInteraction],
        animations: place)
    }

    /// Closes the open stack if the stack is now part of a cluster or is no longer shown, or if its points have
    /// changed.
    func followStack() {
      guard let openStack else { return }
      let annotation = openStack.annotation
      let isShown = annotationsByBadge[annotation.badge.id] === annotation && !annotation.badge.isLeaving
      let hasSamePoints = tree(of: annotation).map {
        $0.isSame(as: openStack.tree) && $0.countsSamePoints(as: openStack.tree)
      }
      if !isShown || hasSamePoints != true { closeStack() }
    }

    /// Closes the stack if neither the stack nor one of its points is selected after the current turn of the main
    /// actor. A tap on another point of the stack first deselects the previous point, and then selects the tapped
    /// point in the same turn. So this tap does not close the stack.
    func closeStackUnlessSelected() {
      let annotation = openStack?.annotation
      Task { [weak self] in
        guard let self, let openStack, openStack.annotation === annotation else { return }
        if !mapView.selectedAnnotations.contains(where: openStack.contains) { closeStack() }
      }
    }

    func memberView(for annotation: StackMemberAnnotation) -> MKAnnotationView {
      let view =
        mapView.dequeueReusableAnnotationView(withIdentifier: Self.memberIdentifier)
        ?? ClusterBadgeView(annotation: annotation, reuseIdentifier: Self.memberIdentifier)
      view.annotation = annotation
      view.centerOffset = .zero
      view.zPriority = .max
      view.accessibilityLabel = [annotation.title, annotation.subtitle].compactMap { $0 }.joined(separator: ", ")
      (view as? ClusterBadgeView)?.draw(number: nil, diameter: MapAnswer.dotDiameter * 1.5 * textScale)
      return view
    }

    private static let memberIdentifier = "TreelineStackMember"
  }
#endif
