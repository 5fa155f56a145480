#if canImport(MapKit) && canImport(UIKit)
  import MapKit
  import Treeline
  import TreelineMap

  /// Shows the clusters of a tree on an `MKMapView`, and has them split and merge as the map zooms.
  ///
  /// ```swift
  /// let adapter = MapViewAdapter(mapView, tree: hotels.tree, cut: .badges(), texts: texts)
  /// mapView.delegate = adapter
  /// ```
  ///
  /// Keep the adapter as long as the map is shown. Annotations of your own stay as you add them: they are the points
  /// that are never clustered. Give their views the `displayPriority` `.required`, or MapKit hides markers where there
  /// are badges. If you need the map's delegate yourself, call the adapter's methods of `MKMapViewDelegate` from yours.
  @MainActor public final class MapViewAdapter: NSObject {
    /// How the adapter behaves.
    public struct Options: Sendable {
      /// Whether badges move to where they belong; with Reduce Motion they never do.
      public var isAnimated = true
      /// Whether badges, and what keeps them apart, grow with the user's text size, up to half as large again.
      public var scalesWithTextSize = true
      /// Whether a tap on a cluster zooms to where it falls apart, in place of selecting it.
      public var zoomsIntoClusters = true
      /// What a tap on a stack does: several points at one position, which no zoom tells apart.
      public var stacks = StackDisplay.spread(atMost: 40)
      /// Of which clusters an ellipse tells how their points spread.
      public var ellipses = EllipseDisplay.none

      /// The usual ones.
      public init() {}
    }

    /// What a tap on a stack does.
    public enum StackDisplay: Hashable, Sendable {
      /// Its points are shown around it, the first so many.
      case spread(atMost: Int)
      /// The delegate is told, which may list them.
      case told
    }

    /// Of which clusters there are ellipses.
    public enum EllipseDisplay: Hashable, Sendable {
      /// Of none.
      case none
      /// Of that which is selected.
      case selected
      /// Of all.
      case all
    }

    /// What it draws on.
    public let mapView: MKMapView

    /// Where answers come from. A tree whose rows number other values is shown by `show(_:texts:)`, not here.
    public let feed: MapFeed

    /// What badges say, of the tree that is shown; see `show(_:texts:)`.
    public var texts: BadgeTexts { treeTexts.current }

    /// How it behaves, from the next change on.
    public var options: Options

    /// Is asked for views, and told of what happens.
    public weak var delegate: (any MapViewAdapterDelegate)?

    /// How finely points are told apart, at the usual text size.
    public var cut: Cut { didSet { refresh() } }

    /// The point that is selected, by its index in tree order, by itself or in a cluster; see `select(row:at:)`.
    public internal(set) var selectedTreeIndex: Int? { didSet { selectedTree = tree } }

    /// Of which tree that is.
    private(set) var selectedTree: ClusterTree?

    /// Whether it is the adapter that deselects an annotation.
    var isDeselecting = false

    var animator: MapAnimator?
    private var treeTexts: TreeTexts
    /// The text scale that views were drawn by.
    private var drawnTextScale = 1.0
    /// Whether a badge has come, gone or changed since the delegate was told.
    private var hasNews = false
    var annotationsByBadge: [MapBadge.ID: ClusterAnnotation] = [:]
    var openStack: OpenStack?
    var ellipses: [MapBadge.ID: (cluster: Cluster, polygon: MKPolygon)] = [:]

    /// - Parameters:
    ///   - mapView: What it draws on.
    ///   - tree: Of your points; nil for one that comes later, as `tree`.
    ///   - cut: How finely points are told apart. The tree must support it.
    ///   - texts: What badges say.
    ///   - options: How it behaves.
    public convenience init(
      _ mapView: MKMapView, tree: ClusterTree? = nil, cut: Cut, texts: BadgeTexts = BadgeTexts(),
      options: Options = Options()
    ) { self.init(mapView, feed: MapFeed(tree, cut: cut), texts: texts, options: options) }

    /// - Parameters:
    ///   - mapView: What it draws on.
    ///   - feed: Where answers come from; nobody else reads them.
    ///   - texts: What badges say.
    ///   - options: How it behaves.
    public convenience init(
      _ mapView: MKMapView, feed: MapFeed, texts: BadgeTexts = BadgeTexts(), options: Options = Options()
    ) {
      self.init(mapView, feed: feed, texts: texts, options: options, in: (DisplayFrames(mapView), ContinuousClock()))
    }

    /// - Parameters:
    ///   - mapView: What it draws on.
    ///   - feed: Where answers come from; nobody else reads them.
    ///   - texts: What badges say.
    ///   - options: How it behaves.
    ///   - time: Whose frames are drawn, and by which clock.
    package init(
      _ mapView: MKMapView, feed: MapFeed, texts: BadgeTexts, options: Options,
      in time: (frames: some FrameSource, clock: some Clock<Duration>)
    ) {
      (self.mapView, self.feed, self.options, cut) = (mapView, feed, options, feed.cut)
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

    /// The tree that is shown, or a filtered one; nil for none. What is selected in one tree is not so in another, but
    /// is under another filter, if it passes.
    ///
    /// Its rows number the values that `texts` knows; for others, as where points have come or gone, there is
    /// `show(_:texts:)`.
    public var tree: ClusterTree? {
      get { feed.tree }
      set { replaceTree(by: newValue, nil) }
    }

    /// Shows another tree, whose rows number other values than those before.
    ///
    /// ```swift
    /// adapter.show(hotels.tree, texts: BadgeTexts(hotels, title: { $0.name }))
    /// ```
    ///
    /// - Parameters:
    ///   - tree: Of your points; nil for none.
    ///   - texts: What its badges say, from when they are shown.
    public func show(_ tree: ClusterTree?, texts: BadgeTexts) { replaceTree(by: tree, texts) }

    private func replaceTree(by tree: ClusterTree?, _ texts: BadgeTexts?) {
      guard let animator else { return }
      treeTexts.expect(texts, of: tree, after: animator.scene)
      feed.tree = tree
      if tree == nil { animator.clear() }
      if treeTexts.follow(animator.scene) { update(animator.scene.answerBadges) }
      followScene()
    }

    /// Looks at what the map shows now. The adapter does so whenever the map tells that it has moved.
    public func refresh() {
      animator?.prefersReducedMotion = !options.isAnimated || UIAccessibility.isReduceMotionEnabled
      followTextSize()
      feed.cut = cut.scaled(by: textScale)
      let size = mapView.bounds.size
      feed.viewport = Viewport(
        mapView.visibleMapRect, width: size.width, height: size.height, heading: mapView.camera.heading)
    }

    /// The badges on the map, those among them that only leave.
    public var annotations: [ClusterAnnotation] { Array(annotationsByBadge.values) }

    /// The rows of the points that an annotation stands for, in tree order, for pages of a list.
    public func members(of annotation: ClusterAnnotation) -> RowNumbers? {
      tree(of: annotation)?.members(of: annotation.cluster)
    }

    /// The tree that has an annotation's cluster, which may not be `tree` yet; nil if it is no longer shown.
    func tree(of annotation: ClusterAnnotation) -> ClusterTree? {
      annotation.badge.isForeign ? nil : animator?.scene.tree
    }

    /// By how much the user's text is larger than usual, as far as badges follow.
    var textScale: Double {
      guard options.scalesWithTextSize else { return 1 }
      // A large value, for what is scaled is rounded to pixels.
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
      // What sets out may begin to leave.
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
        annotation.badge = badge
        describe(annotation)
        if let view = mapView.view(for: annotation) { show(annotation, in: view) }
      }
    }

    /// Title and subtitle, which a callout shows.
    private func describe(_ annotation: ClusterAnnotation) {
      guard let tree = tree(of: annotation) else { return }
      annotation.title = texts.title(of: annotation.cluster)
      annotation.subtitle = texts.subtitle(of: annotation.cluster, in: tree)
    }

    /// Has views as large as the text, also those of badges of which nothing else changes.
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
      // What leaves is spoken of no more.
      view.isAccessibilityElement = badge.appearance.isVisible && !badge.isLeaving
      view.accessibilityLabel = [annotation.title, annotation.subtitle].compactMap { $0 }.joined(separator: ", ")
      view.accessibilityHint = texts.accessibilityHint(of: badge.cluster)
      guard let view = view as? ClusterBadgeView else { return }
      let number = badge.appearance.showsCount ? texts.number(of: badge.cluster) : nil
      // By badges the cut has scaled them already.
      let scale = cut.badgeScale == nil ? textScale : 1
      view.show(annotation, number: number, diameter: badge.diameter * scale)
    }
  }
#endif
