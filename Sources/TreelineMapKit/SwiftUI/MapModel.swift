#if canImport(SwiftUI) && canImport(MapKit)
  import MapKit
  import Observation
  import SwiftUI
  @_spi(Server) import Treeline
  @_spi(MapLibre) import TreelineMap

  /// The clusters of a tree for SwiftUI's `Map`. Its `badges` split and merge as the map zooms.
  ///
  /// ```swift
  /// Map(initialPosition: .rect(.world)) {    // an automatic position would follow the badges, which follow the camera
  ///   ForEach(model.badges) { badge in
  ///     Annotation(badge.title, coordinate: badge.coordinate) { ClusterBadge(badge) }.annotationTitles(.hidden)
  ///   }
  /// }
  /// .onMapCameraChange(frequency: .continuous) { model.show($0) }
  /// .onGeometryChange(for: CGSize.self, of: \.size) { model.size = $0 }
  /// ```
  ///
  /// A badge keeps its id when it moves, so SwiftUI moves its view instead of replacing the view. `badges` changes in
  /// each frame while badges move; otherwise it is constant.
  @MainActor @Observable public final class MapModel {
    /// A badge as it is drawn now.
    public struct Badge: Identifiable, Sendable {
      /// Identifier of the badge. It does not change while the badge is on the map.
      public let id: MapBadge.ID
      /// The cluster that the badge shows.
      public internal(set) var cluster: Cluster
      /// Current position.
      public internal(set) var coordinate: CLLocationCoordinate2D
      /// The number on the badge. nil for the dot of a single point, and while other badges count the badge's points.
      public internal(set) var number: String?
      /// Name of the point or of the cluster.
      public internal(set) var title: String
      /// Text that VoiceOver reads.
      public internal(set) var accessibilityLabel: String
      /// Current diameter in points. It includes the scale of the motion.
      public internal(set) var diameter: Double
      /// Opacity, from 0 to 1.
      public internal(set) var opacity: Double
      /// Whether the badge is leaving the map.
      public internal(set) var isLeaving: Bool
      /// Whether the cluster of the badge belongs to a tree that is no longer shown.
      var isForeign = false
    }

    /// All badges that are drawn, from bottom to top.
    public private(set) var badges: [Badge] = []

    /// Error of the latest query, for example because the tree lacks data that the cut needs. If a query fails, the
    /// badges do not change.
    public private(set) var error: (any Error)?

    /// Source of the answers.
    @ObservationIgnored public let feed: MapFeed

    /// Texts on the badges of the shown tree. See `show(_:texts:)`.
    public var texts: BadgeTexts { treeTexts.current }

    /// Size of the map in points. Badges are shown only after you have set the size, because the zoom depends on it.
    public var size = CGSize.zero { didSet { refresh() } }

    /// Whether badges jump to their targets. Set this property to SwiftUI's `accessibilityReduceMotion`.
    public var prefersReducedMotion = false { didSet { animator?.prefersReducedMotion = prefersReducedMotion } }

    @ObservationIgnored private var rect: MKMapRect?
    @ObservationIgnored private var heading = 0.0
    @ObservationIgnored private var animator: MapAnimator?
    @ObservationIgnored private var treeTexts: TreeTexts

    /// Creates a model with its own feed.
    ///
    /// - Parameters:
    ///   - tree: Tree of your points; nil if you set `tree` later.
    ///   - cut: The cut of the tree, which the tree must support; nil for the cut that suits the tree best.
    ///   - texts: Texts on badges.
    public convenience init(_ tree: ClusterTree?, cut: Cut? = nil, texts: BadgeTexts = BadgeTexts()) {
      self.init(MapFeed(tree, cut: cut, for: texts), texts: texts)
    }

    /// Creates a model with a feed.
    ///
    /// - Parameters:
    ///   - feed: Source of the answers. No other code may read answers from this feed.
    ///   - texts: Texts on badges.
    public convenience init(_ feed: MapFeed, texts: BadgeTexts = BadgeTexts()) {
      self.init(feed, texts: texts, in: (TimedFrames(), ContinuousClock()))
    }

    /// Creates a model with a feed and a clock.
    ///
    /// - Parameters:
    ///   - feed: Source of the answers. No other code may read answers from this feed.
    ///   - texts: Texts on badges.
    ///   - time: Source of frames, and clock.
    package init(
      _ feed: MapFeed, texts: BadgeTexts, in time: (frames: some FrameSource, clock: some Clock<Duration>)
    ) {
      (self.feed, treeTexts) = (feed, TreeTexts(texts))
      // The changes are ignored here, because everything that is drawn is in `badges`, which is assigned once per
      // frame.
      let animator = MapAnimator(feed, clock: time.clock) { _ in }
      animator.onError = { [weak self] in self?.error = $0 }
      animator.drawFrames(of: time.frames) { [weak self] in self?.draw() }
      self.animator = animator
    }

    /// The shown tree; nil if no tree is shown. To change the filter, set the tree with another filter.
    ///
    /// Each point must have the same row number as in the previous tree, because `texts` finds texts by row. If rows
    /// have changed, for example because points were added or removed, call `show(_:texts:)` instead.
    public var tree: ClusterTree? {
      get { feed.tree }
      set { replaceTree(by: newValue, nil) }
    }

    /// Shows another tree, with texts for the rows of this tree.
    ///
    /// - Parameters:
    ///   - tree: Tree of your points; nil to show no tree.
    ///   - texts: Texts on the badges of the tree. They are used as soon as the tree is shown.
    public func show(_ tree: ClusterTree?, texts: BadgeTexts) { replaceTree(by: tree, texts) }

    /// Shows each map of a sequence when the map arrives, such as the maps of a `LiveMap`. A badge stays on the map if
    /// it keeps most of its points. Returns when the sequence ends or the task is cancelled.
    ///
    /// ```swift
    /// .task { try? await model.follow(live) { BadgeTexts($0, title: { $0.name }) } }
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
      if tree == nil || texts != nil { draw() }
    }

    /// The cut of the tree; nil for the cut that suits the tree best, see `MapFeed.cut`.
    public var cut: Cut? {
      get { feed.cut }
      set { feed.cut = newValue }
    }

    /// Sets the visible part of the map after a change of the camera.
    public func show(_ context: MapCameraUpdateContext) { show(context.rect, heading: context.camera.heading) }

    /// Sets the visible part of the map.
    ///
    /// - Parameters:
    ///   - rect: The visible rectangle.
    ///   - heading: Heading of the camera in degrees.
    public func show(_ rect: MKMapRect, heading: Double = 0) {
      (self.rect, self.heading) = (rect, heading)
      refresh()
    }

    private func refresh() {
      feed.viewport = rect.flatMap { Viewport($0, width: size.width, height: size.height, heading: heading) }
    }

    /// Returns the map position at which the parts of a cluster are shown; nil for a single point and for a stack. Use
    /// this position when a badge is tapped.
    public func position(inside badge: Badge) -> MapCameraPosition? {
      let cluster = badge.cluster
      guard cluster.pointCount > 1, !cluster.isStack, let tree = tree(of: badge) else { return nil }
      let cut = feed.shownCut
      guard cut.isByPixels, let zoom = try? tree.separationZoom(of: cluster.id, for: cut), let rect else {
        return .rect(MKMapRect(cluster.bounds))
      }
      let current = rect.zoom(width: size.width, height: size.height, heading: heading) ?? 0
      // The zoom is slightly larger, so that the map does not stop just before the split.
      return .rect(
        MKMapRect(
          center: cluster.coordinate, zoom: min(max(zoom, current) + 0.01, 20),
          width: size.width * Self.clearOfBars, height: size.height * Self.clearOfBars))
    }

    /// Fraction of the map's size that a cluster may fill. Bars may cover the rest of the map.
    private static let clearOfBars = 0.75

    /// Returns the rows of the points of a badge, in tree order, for example to list them in pages; nil if the badge is
    /// no longer shown.
    public func members(of badge: Badge) -> RowNumbers? { tree(of: badge)?.members(of: badge.cluster) }

    /// Returns the tree that contains a badge's cluster; nil if the badge is no longer shown. The result differs from
    /// `tree` while a new tree is set but not shown yet.
    private func tree(of badge: Badge) -> ClusterTree? { badge.isForeign ? nil : animator?.scene.tree }

    private func draw() {
      guard let scene = animator?.scene else { return }
      if error != nil { error = nil }
      let haveOtherTexts = treeTexts.follow(scene)
      var before: [MapBadge.ID: Badge] = [:]
      for badge in badges { before[badge.id] = badge }
      badges = scene.badges.filter(\.appearance.isVisible).compactMap { badge in
        // A badge of an earlier tree keeps the texts with which it was drawn before.
        if badge.isForeign { return before[badge.id].map { drawn(badge, as: $0) } }
        let same = haveOtherTexts ? nil : before[badge.id].flatMap { $0.cluster == badge.cluster ? $0 : nil }
        return drawn(badge, as: same ?? described(badge, in: scene))
      }
    }

    /// Returns a badge with the texts of its cluster.
    private func described(_ badge: MapBadge, in scene: MapScene) -> Badge {
      let cluster = badge.cluster
      let label = scene.tree.map { texts.accessibilityLabel(of: cluster, in: $0, values: badge.values) }
      return Badge(
        id: badge.id, cluster: cluster, coordinate: CLLocationCoordinate2D(), number: nil,
        title: texts.title(of: cluster, values: badge.values) ?? "", accessibilityLabel: label ?? "", diameter: 0,
        opacity: 0,
        isLeaving: false)
    }

    /// Returns a badge as it is drawn now, with the texts of `words`.
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
