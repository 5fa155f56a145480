#if canImport(MapKit) && canImport(UIKit)
  import MapKit
  @_spi(Server) import Treeline
  @_spi(MapLibre) import TreelineMap

  /// Shows the clusters of a tree on an `MKMapView`. The clusters split and merge as the map zooms.
  ///
  /// ```swift
  /// let adapter = MapViewAdapter(mapView, tree: hotels.tree, cut: .badges(), texts: texts)
  /// mapView.delegate = adapter
  /// ```
  ///
  /// Keep a reference to the adapter while the map is shown. The adapter is the map's delegate, and forwards all calls
  /// to its own `delegate`. Annotations that you add are never clustered. Set the `displayPriority` of their views to
  /// `.required`, because MapKit otherwise hides markers next to badges. If the map needs another delegate, call the
  /// adapter's `MKMapViewDelegate` methods from the methods of that delegate. In this case, the adapter forwards
  /// nothing.
  @MainActor public final class MapViewAdapter: NSObject {
    /// Behavior of the adapter.
    public struct Options: Sendable {
      /// Whether badges move to their targets. If Reduce Motion is on, badges always jump.
      public var isAnimated = true
      /// Whether badges and the distances between badges grow with the user's text size, up to 1.5 times.
      public var scalesWithTextSize = true
      /// Whether a tap on a cluster zooms in until the cluster splits. Otherwise a tap selects the cluster.
      public var zoomsIntoClusters = true
      /// What a tap on a stack does. A stack is several points at one position, which no zoom separates.
      public var stacks = StackDisplay.spread(atMost: 40)
      /// The clusters for which an ellipse shows the spread of the points.
      public var ellipses = EllipseDisplay.none

      /// The default behavior.
      public init() {}
    }

    /// What a tap on a stack does.
    public enum StackDisplay: Hashable, Sendable {
      /// At most `atMost` points of the stack are shown around the stack. If the stack has more points, the delegate
      /// is notified as well, and may list all of them.
      case spread(atMost: Int)
      /// The delegate is notified, and may list the points.
      case told
    }

    /// The clusters for which an ellipse is shown.
    public enum EllipseDisplay: Hashable, Sendable {
      /// No cluster.
      case none
      /// The selected cluster.
      case selected
      /// All clusters.
      case all
    }

    /// The map on which the badges are shown.
    public let mapView: MKMapView

    /// The feed that queries the tree for the visible clusters. If a new tree has other row numbers, do not set the
    /// feed's tree, but call `show(_:texts:)`.
    public let feed: MapFeed

    /// Texts on the badges of the shown tree. See `show(_:texts:)`.
    public var texts: BadgeTexts { treeTexts.current }

    /// Behavior of the adapter. A new value takes effect with the next change of the map or of a badge.
    public var options: Options

    /// Receives the events of the adapter, and all calls that the map makes to its delegate.
    public weak var delegate: (any MapViewAdapterDelegate)?

    /// The cut of the tree; nil for the cut that suits the tree best, see `MapFeed.cut`. Sizes in the cut are for the
    /// default text size. With larger texts, these sizes grow if `Options.scalesWithTextSize` is true.
    public var cut: Cut? {
      get { feed.cut }
      set {
        feed.cut = newValue
        refresh()
      }
    }

    /// Row of the selected point, which may be part of a cluster; nil if no point is selected. See `select(row:at:)`.
    public var selectedRow: Int? { selection.row }

    var selection = PointSelection()

    /// Whether the adapter itself is deselecting an annotation.
    var isDeselecting = false

    var animator: MapAnimator?
    private var treeTexts: TreeTexts
    /// Text scale with which views were last drawn.
    private var drawnTextScale = 1.0
    /// Whether a badge was added, removed or updated since the delegate was last notified.
    private var hasNews = false
    var annotationsByBadge: [MapBadge.ID: ClusterAnnotation] = [:]
    var openStack: OpenStack?
    var ellipses: [MapBadge.ID: (cluster: Cluster, polygon: MKPolygon)] = [:]

    /// Creates an adapter with its own feed.
    ///
    /// - Parameters:
    ///   - mapView: The map on which badges are shown.
    ///   - tree: Tree of your points; nil if you set `tree` later.
    ///   - cut: The cut of the tree, which the tree must support; nil for the cut that suits the tree best.
    ///   - texts: Texts on badges.
    ///   - options: Behavior of the adapter.
    public convenience init(
      _ mapView: MKMapView, tree: ClusterTree?, cut: Cut? = nil, texts: BadgeTexts = BadgeTexts(),
      options: Options = Options()
    ) { self.init(mapView, feed: MapFeed(tree, cut: cut, for: texts), texts: texts, options: options) }

    /// Creates an adapter with a feed.
    ///
    /// - Parameters:
    ///   - mapView: The map on which badges are shown.
    ///   - feed: The feed that queries the tree. No other code may read answers from this feed.
    ///   - texts: Texts on badges.
    ///   - options: Behavior of the adapter.
    public convenience init(
      _ mapView: MKMapView, feed: MapFeed, texts: BadgeTexts = BadgeTexts(), options: Options = Options()
    ) {
      self.init(mapView, feed: feed, texts: texts, options: options, in: (DisplayFrames(mapView), ContinuousClock()))
    }

    /// Creates an adapter with a feed and a clock.
    ///
    /// - Parameters:
    ///   - mapView: The map on which badges are shown.
    ///   - feed: The feed that queries the tree. No other code may read answers from this feed.
    ///   - texts: Texts on badges.
    ///   - options: Behavior of the adapter.
    ///   - time: The source of frames, and a clock.
    package init(
      _ mapView: MKMapView, feed: MapFeed, texts: BadgeTexts, options: Options,
      in time: (frames: some FrameSource, clock: some Clock<Duration>)
    ) {
      (self.mapView, self.feed, self.options) = (mapView, feed, options)
      treeTexts = TreeTexts(texts)
      super.init()
      let animator = MapAnimator(feed, clock: time.clock) { [weak self] in self?.apply($0) }
      animator.onError = { [weak self] error in
        guard let self else { return }
        self.delegate?.adapter(self, didFail: error)
      }
      animator.drawFrames(of: time.frames) { [weak self] in self?.didDrawFrame() }
      self.animator = animator
      mapView.registerForTraitChanges([UITraitPreferredContentSizeCategory.self]) {
        [weak self] (_: MKMapView, _: UITraitCollection) in self?.refresh()
      }
      refresh()
    }

    /// The shown tree, which may have a filter; nil if no tree is shown. If you set another tree, the selection ends,
    /// unless the new tree is an edit of the same map. If you set the same tree with another filter, the selection
    /// stays if the selected point passes the filter.
    ///
    /// Each point must have the same row number as in the previous tree, because `texts` finds texts by row. If rows
    /// have changed, for example because points were added or removed, call `show(_:texts:)` instead.
    public var tree: ClusterTree? {
      get { feed.tree }
      set { replaceTree(by: newValue, nil) }
    }

    /// Shows another tree, with texts for the rows of this tree.
    ///
    /// ```swift
    /// adapter.show(hotels.tree, texts: BadgeTexts(hotels, title: { $0.name }))
    /// ```
    ///
    /// - Parameters:
    ///   - tree: Tree of your points; nil to show no tree.
    ///   - texts: Texts on the badges of the tree. They are used as soon as the tree is shown.
    public func show(_ tree: ClusterTree?, texts: BadgeTexts) { replaceTree(by: tree, texts) }

    /// Shows each map of a sequence as soon as the map arrives. The sequence may be a `LiveMap`. A badge stays on the
    /// screen if it keeps most of its points. The selected point stays selected. Returns when the sequence ends or the
    /// task is cancelled.
    ///
    /// ```swift
    /// let following = Task { try await adapter.follow(live) { BadgeTexts($0, title: { $0.name }) } }
    /// try await live.update(inserting: [bus])    // the map shows the bus
    /// ```
    ///
    /// - Parameters:
    ///   - maps: The maps.
    ///   - texts: Returns the texts on the badges of a map.
    public func follow<Maps: AsyncSequence, Value>(
      _ maps: Maps, texts: (ClusterMap<Value>) -> BadgeTexts = { _ in BadgeTexts() }
    ) async throws where Maps.Element == ClusterMap<Value> {
      for try await map in maps { show(map.tree, texts: texts(map)) }
    }

    private func replaceTree(by tree: ClusterTree?, _ texts: BadgeTexts?) {
      guard let animator else { return }
      treeTexts.expect(texts, of: tree, after: animator.scene)
      feed.tree = tree
      if tree == nil { animator.clear() }
      if treeTexts.follow(animator.scene) { update(animator.scene.answerBadges) }
      followScene()
    }

    /// Reads the visible part of the map. The adapter calls this method whenever the map reports a movement.
    public func refresh() {
      animator?.prefersReducedMotion = !options.isAnimated || UIAccessibility.isReduceMotionEnabled
      followTextSize()
      feed.scale = textScale
      feed.viewport = Viewport(mapView)
    }

    /// The annotations of all badges on the map, including badges that are leaving.
    public var annotations: [ClusterAnnotation] { Array(annotationsByBadge.values) }

    /// Returns the rows of an annotation's points, in tree order; nil if the annotation is no longer shown. Use the
    /// rows, for example, to list the points in pages.
    public func members(of annotation: ClusterAnnotation) -> RowNumbers? {
      tree(of: annotation)?.members(of: annotation.cluster)
    }

    /// Returns the tree that contains an annotation's cluster; nil if the annotation is no longer shown. The result
    /// differs from `tree` while a new tree is set but not shown yet.
    func tree(of annotation: ClusterAnnotation) -> ClusterTree? {
      annotation.badge.isForeign ? nil : animator?.scene.tree
    }

    /// Factor between the user's text size and the default text size, limited to the range that badges support.
    var textScale: Double {
      guard options.scalesWithTextSize else { return 1 }
      // The system rounds a scaled value to pixels. The relative error is small for a large value, so 100 is scaled
      // instead of 1.
      let scaled = UIFontMetrics(forTextStyle: .caption1).scaledValue(
        for: 100, compatibleWith: mapView.traitCollection)
      return min(max(scaled / 100, 1), 1.5)
    }
  }

  // MARK: - Drawing

  extension MapViewAdapter {
    private func apply(_ change: MapChange) {
      let haveOtherTexts = animator.map { treeTexts.follow($0.scene) } ?? false
      remove(change.removed)
      add(change.added)
      move(change.moved)
      // A badge with a new target may have begun to leave. The view must show this.
      update(change.retargeted)
      update(change.updated)
      if haveOtherTexts { update(animator?.scene.answerBadges ?? []) }
      hasNews = hasNews || !(change.removed.isEmpty && change.added.isEmpty && change.updated.isEmpty)
    }

    private func didDrawFrame() {
      guard let animator else { return }
      if hasNews { followScene() }
      if hasNews && animator.scene.isComplete {
        hasNews = false
        delegate?.adapterDidUpdate(self)
      }
      if !animator.needsFrames { delegate?.adapterDidComeToRest(self) }
    }

    private func followScene() {
      followSelection()
      followStack()
      followEllipses()
    }

    private func add(_ badges: [MapBadge]) {
      guard !badges.isEmpty else { return }
      let added = badges.map { badge in
        let annotation = ClusterAnnotation(badge)
        describe(annotation)
        annotationsByBadge[badge.id] = annotation
        return annotation
      }
      mapView.addAnnotations(added)
    }

    private func remove(_ badges: [MapBadge.ID]) {
      guard !badges.isEmpty else { return }
      let removed = badges.compactMap { annotationsByBadge.removeValue(forKey: $0) }
      mapView.removeAnnotations(removed)
    }

    private func move(_ moves: [MapChange.Move]) {
      for move in moves {
        guard let annotation = annotationsByBadge[move.id] else { continue }
        annotation.coordinate = CLLocationCoordinate2D(move.coordinate)
        annotation.place = move.place
        if let view = mapView.view(for: annotation) { draw(annotation, in: view) }
      }
    }

    private func update(_ badges: [MapBadge]) {
      for badge in badges {
        guard let annotation = annotationsByBadge[badge.id] else { continue }
        let before = annotation.texts
        annotation.badge = badge
        describe(annotation)
        guard let view = mapView.view(for: annotation) else { continue }
        show(annotation, in: view)
        if !(view is ClusterBadgeView), annotation.texts != before { update(view, for: annotation) }
      }
    }

    /// Lets the app update its own view after the number of points, the title or the subtitle has changed.
    private func update(_ view: MKAnnotationView, for annotation: ClusterAnnotation) {
      guard let delegate else { return replaceView(of: annotation) }
      delegate.adapter(self, update: view, for: annotation)
    }

    /// Makes the map request a new view of an annotation. A map requests a view only when an annotation is added, so
    /// the annotation is removed and added again.
    func replaceView(of annotation: ClusterAnnotation) {
      keepingSelection { mapView.removeAnnotation(annotation) }
      mapView.addAnnotation(annotation)
    }

    /// Sets the title and subtitle that a callout shows.
    private func describe(_ annotation: ClusterAnnotation) {
      guard let tree = tree(of: annotation) else { return }
      annotation.title = texts.title(of: annotation.cluster, values: annotation.badge.values)
      annotation.subtitle = texts.subtitle(of: annotation.cluster, in: tree)
    }

    /// Redraws all views if the text size has changed, even if the badges themselves have not changed.
    private func followTextSize() {
      guard textScale != drawnTextScale else { return }
      drawnTextScale = textScale
      for annotation in annotationsByBadge.values {
        if let view = mapView.view(for: annotation) { show(annotation, in: view) }
      }
    }

    func draw(_ annotation: ClusterAnnotation, in view: MKAnnotationView) {
      view.transform = CGAffineTransform(scaleX: annotation.place.scale, y: annotation.place.scale)
      view.alpha = annotation.place.opacity
    }

    func show(_ annotation: ClusterAnnotation, in view: MKAnnotationView) {
      let badge = annotation.badge
      view.isHidden = !badge.appearance.isVisible
      // An app's own view keeps its labels, its callout and its drawing.
      guard let view = view as? ClusterBadgeView else { return }
      // VoiceOver skips badges that are leaving.
      view.isAccessibilityElement = badge.appearance.isVisible && !badge.isLeaving
      view.accessibilityLabel = [annotation.title, annotation.subtitle].compactMap { $0 }.joined(separator: ", ")
      view.accessibilityHint = texts.accessibilityHint(of: badge.cluster)
      let number = badge.appearance.showsCount ? texts.number(of: badge.cluster) : nil
      // With a `badges` cut, the diameters of badges already include the text scale.
      let scale = feed.shownCut.badgeScale == nil ? textScale : 1
      view.show(annotation, number: number, diameter: badge.diameter * scale)
    }
  }

  extension ClusterAnnotation {
    /// The texts that an app's own view may show.
    fileprivate var texts: [String?] { ["\(pointCount)", title, subtitle] }
  }
#endif
