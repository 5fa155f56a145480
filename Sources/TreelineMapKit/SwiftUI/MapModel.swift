#if canImport(SwiftUI) && canImport(MapKit)
  import MapKit
  import Observation
  import SwiftUI
  import Treeline
  import TreelineMap

  /// The clusters of a tree for SwiftUI's `Map`: its `badges` split and merge as the map zooms.
  ///
  /// ```swift
  /// Map(initialPosition: .rect(.world)) {    // an automatic one would follow the badges, which follow the camera
  ///   ForEach(model.badges) { badge in
  ///     Annotation(badge.title, coordinate: badge.coordinate) { ClusterBadge(badge) }.annotationTitles(.hidden)
  ///   }
  /// }
  /// .onMapCameraChange(frequency: .continuous) { model.show($0) }
  /// .onGeometryChange(for: CGSize.self, of: \.size) { model.size = $0 }
  /// ```
  ///
  /// A badge keeps its id wherever it moves, so SwiftUI moves a view and never replaces it. While badges move, `badges`
  /// changes in each frame; it stands still in between.
  @MainActor @Observable public final class MapModel {
    /// A badge as it is drawn now.
    public struct Badge: Identifiable, Sendable {
      /// Which badge it is, as long as it is on the map.
      public let id: MapBadge.ID
      /// What it stands for.
      public internal(set) var cluster: Cluster
      /// Where it is.
      public internal(set) var coordinate: CLLocationCoordinate2D
      /// The number on it; nil for the dot of a point, and while its points are in the numbers of others.
      public internal(set) var number: String?
      /// The name of the point, or of the cluster.
      public internal(set) var title: String
      /// What VoiceOver says.
      public internal(set) var accessibilityLabel: String
      /// In points, its scale included.
      public internal(set) var diameter: Double
      /// From 0 to 1.
      public internal(set) var opacity: Double
      /// Whether it only leaves.
      public internal(set) var isLeaving: Bool
      /// Whether its cluster is of a tree that is no longer shown.
      var isForeign = false
    }

    /// All that is drawn, those first that are drawn below others.
    public private(set) var badges: [Badge] = []

    /// Why there is no answer, as where the tree lacks what the cut needs; what was shown stays.
    public private(set) var error: (any Error)?

    /// Where answers come from.
    @ObservationIgnored public let feed: MapFeed

    /// What badges say, of the tree that is shown; see `show(_:texts:)`.
    public var texts: BadgeTexts { treeTexts.current }

    /// The map's, in points: without it nothing is shown, for a zoom is of a size.
    public var size = CGSize.zero { didSet { refresh() } }

    /// Whether badges go to where they belong at once: pass SwiftUI's `accessibilityReduceMotion`.
    public var prefersReducedMotion = false { didSet { animator?.prefersReducedMotion = prefersReducedMotion } }

    @ObservationIgnored private var rect: MKMapRect?
    @ObservationIgnored private var heading = 0.0
    @ObservationIgnored private var animator: MapAnimator?
    @ObservationIgnored private var treeTexts: TreeTexts

    /// - Parameters:
    ///   - tree: Of your points; nil for one that comes later, as `tree`.
    ///   - cut: How finely points are told apart. The tree must support it.
    ///   - texts: What badges say.
    public convenience init(_ tree: ClusterTree? = nil, cut: Cut, texts: BadgeTexts = BadgeTexts()) {
      self.init(MapFeed(tree, cut: cut), texts: texts)
    }

    /// - Parameters:
    ///   - feed: Where answers come from; nobody else reads them.
    ///   - texts: What badges say.
    public convenience init(_ feed: MapFeed, texts: BadgeTexts = BadgeTexts()) {
      self.init(feed, texts: texts, in: (TimedFrames(), ContinuousClock()))
    }

    /// - Parameters:
    ///   - feed: Where answers come from; nobody else reads them.
    ///   - texts: What badges say.
    ///   - time: Whose frames are drawn, and by which clock.
    package init(
      _ feed: MapFeed, texts: BadgeTexts, in time: (frames: some FrameSource, clock: some Clock<Duration>)
    ) {
      (self.feed, treeTexts) = (feed, TreeTexts(texts))
      // Everything that is drawn is in `badges`, which one assignment a frame changes.
      let animator = MapAnimator(feed, clock: time.clock) { _ in }
      animator.onError = { [weak self] in self?.error = $0 }
      animator.drawFrames(of: time.frames) { [weak self] in self?.draw() }
      self.animator = animator
    }

    /// The tree that is shown, nil for none; another filter is another tree, too.
    ///
    /// Its rows number the values that `texts` knows; for others, as where points have come or gone, there is
    /// `show(_:texts:)`.
    public var tree: ClusterTree? {
      get { feed.tree }
      set { replaceTree(by: newValue, nil) }
    }

    /// Shows another tree, whose rows number other values than those before.
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
      if tree == nil || texts != nil { draw() }
    }

    /// How finely points are told apart.
    public var cut: Cut {
      get { feed.cut }
      set { feed.cut = newValue }
    }

    /// Looks at what a map shows now.
    public func show(_ context: MapCameraUpdateContext) { show(context.rect, heading: context.camera.heading) }

    /// Looks at a part of the map.
    ///
    /// - Parameters:
    ///   - rect: What is shown.
    ///   - heading: The camera's, in degrees.
    public func show(_ rect: MKMapRect, heading: Double = 0) {
      (self.rect, self.heading) = (rect, heading)
      refresh()
    }

    private func refresh() {
      feed.viewport = rect.flatMap { Viewport($0, width: size.width, height: size.height, heading: heading) }
    }

    /// Where a map looks that shows a cluster's parts: set it as the map's position when a badge is tapped. It is nil
    /// for a point, and for a stack, several points at one position.
    public func position(inside badge: Badge) -> MapCameraPosition? {
      let cluster = badge.cluster
      guard cluster.pointCount > 1, !cluster.isStack, let tree = tree(of: badge) else { return nil }
      guard cut.isByPixels, let zoom = try? tree.expansionZoom(of: cluster.id, by: cut), let rect else {
        return .rect(MKMapRect(cluster.bounds))
      }
      let current = rect.zoom(width: size.width, height: size.height, heading: heading) ?? 0
      // A hair more, lest the map stop just before.
      return .rect(
        MKMapRect(
          center: cluster.coordinate, zoom: min(max(zoom, current) + 0.01, 20),
          width: size.width * Self.clearOfBars, height: size.height * Self.clearOfBars))
    }

    /// The share of the map in which it fits a position, at least: bars take the rest.
    private static let clearOfBars = 0.75

    /// The rows of the points that a badge stands for, in tree order, for pages of a list.
    public func members(of badge: Badge) -> RowNumbers? { tree(of: badge)?.members(of: badge.cluster) }

    /// The tree that has a badge's cluster, which may not be `tree` yet; nil if it is no longer shown.
    private func tree(of badge: Badge) -> ClusterTree? { badge.isForeign ? nil : animator?.scene.tree }

    private func draw() {
      guard let scene = animator?.scene else { return }
      if error != nil { error = nil }
      let haveOtherTexts = treeTexts.follow(scene)
      var before: [MapBadge.ID: Badge] = [:]
      for badge in badges { before[badge.id] = badge }
      badges = scene.badges.filter(\.appearance.isVisible).compactMap { badge in
        // What is foreign says what it said before, if it was drawn.
        if badge.isForeign { return before[badge.id].map { drawn(badge, as: $0) } }
        let same = haveOtherTexts ? nil : before[badge.id].flatMap { $0.cluster == badge.cluster ? $0 : nil }
        return drawn(badge, as: same ?? described(badge, in: scene))
      }
    }

    /// A badge with its words.
    private func described(_ badge: MapBadge, in scene: MapScene) -> Badge {
      let cluster = badge.cluster
      let label = scene.tree.map { texts.accessibilityLabel(of: cluster, in: $0) }
      return Badge(
        id: badge.id, cluster: cluster, coordinate: CLLocationCoordinate2D(), number: nil,
        title: texts.title(of: cluster) ?? "", accessibilityLabel: label ?? "", diameter: 0, opacity: 0,
        isLeaving: false)
    }

    /// A badge as it is now, with the words that it has.
    private func drawn(_ badge: MapBadge, as words: Badge) -> Badge {
      let place = badge.appearance.place
      var drawn = words
      drawn.coordinate = CLLocationCoordinate2D(badge.coordinate)
      drawn.number = badge.appearance.showsCount ? texts.number(of: badge.cluster) : nil
      drawn.diameter = badge.diameter * place.scale
      drawn.opacity = place.opacity
      (drawn.isLeaving, drawn.isForeign) = (badge.isLeaving, badge.isForeign)
      return drawn
    }
  }
#endif
