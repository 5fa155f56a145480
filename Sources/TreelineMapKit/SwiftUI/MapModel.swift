#if canImport(SwiftUI) && canImport(MapKit)
  import MapKit
  import Observation
  import SwiftUI
  import Treeline
  import TreelineMap

  /// The clusters of a tree for SwiftUI's `Map`: its `badges` split and merge as the map zooms.
  ///
  /// ```swift
  /// Map {
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
    }

    /// All that is drawn, those first that are drawn below others.
    public private(set) var badges: [Badge] = []

    /// Why there is no answer, as where the tree lacks what the cut needs; what was shown stays.
    public private(set) var error: (any Error)?

    /// Where answers come from.
    @ObservationIgnored public let feed: MapFeed

    /// What badges say.
    @ObservationIgnored public let texts: BadgeTexts

    /// The map's, in points: without it nothing is shown, for a zoom is of a size.
    public var size = CGSize.zero { didSet { refresh() } }

    /// Whether badges go to where they belong at once: pass SwiftUI's `accessibilityReduceMotion`.
    public var prefersReducedMotion = false { didSet { animator?.prefersReducedMotion = prefersReducedMotion } }

    @ObservationIgnored private var rect: MKMapRect?
    @ObservationIgnored private var heading = 0.0
    @ObservationIgnored private var animator: MapAnimator?

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
      (self.feed, self.texts) = (feed, texts)
      // Everything that is drawn is in `badges`, which one assignment a frame changes.
      let animator = MapAnimator(feed, clock: time.clock) { _ in }
      animator.onError = { [weak self] in self?.error = $0 }
      animator.drawFrames(of: time.frames) { [weak self] in self?.draw() }
      self.animator = animator
    }

    /// The tree that is shown; another filter is another tree, too.
    public var tree: ClusterTree? {
      get { feed.tree }
      set { feed.tree = newValue }
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
      guard cluster.pointCount > 1, !cluster.isStack, let tree else { return nil }
      guard cut.isByPixels, let zoom = try? tree.expansionZoom(of: cluster.id, by: cut), let rect else {
        return .rect(MKMapRect(cluster.bounds))
      }
      let current = rect.zoom(width: size.width, height: size.height, heading: heading) ?? 0
      return .rect(
        MKMapRect(
          center: cluster.coordinate, zoom: min(max(zoom, current) + 0.01, 20), width: size.width, height: size.height))
    }

    /// The rows of the points that a badge stands for, in tree order, for pages of a list.
    public func members(of badge: Badge) -> RowNumbers? { tree?.members(of: badge.cluster) }

    private func draw() {
      guard let animator, let tree else { return }
      error = nil
      var before: [MapBadge.ID: Badge] = [:]
      for badge in badges { before[badge.id] = badge }
      badges = animator.scene.badges.filter(\.appearance.isVisible).map { badge in
        drawn(badge, before: before[badge.id], in: tree)
      }
    }

    private func drawn(_ badge: MapBadge, before: Badge?, in tree: ClusterTree) -> Badge {
      let (cluster, place) = (badge.cluster, badge.appearance.place)
      var drawn: Badge
      if let before, before.cluster == cluster {
        drawn = before
      } else {
        drawn = Badge(
          id: badge.id, cluster: cluster, coordinate: CLLocationCoordinate2D(), number: nil,
          title: texts.title(of: cluster) ?? "", accessibilityLabel: texts.accessibilityLabel(of: cluster, in: tree),
          diameter: 0, opacity: 0, isLeaving: false)
      }
      drawn.coordinate = CLLocationCoordinate2D(badge.coordinate)
      drawn.number = badge.appearance.showsCount ? texts.number(of: cluster) : nil
      drawn.diameter = badge.diameter * place.scale
      drawn.opacity = place.opacity
      drawn.isLeaving = badge.isLeaving
      return drawn
    }
  }
#endif
