#if canImport(SwiftUI) && canImport(MapKit)
  import MapKit
  import Observation
  import SwiftUI
  @_spi(Server) import Treeline
  @_spi(MapLibre) import TreelineMap

  /// The clusters of a tree, as badges on SwiftUI's `Map`. The badges split and merge as the map zooms.
  ///
  /// ```swift
  /// @Bindable var model: MapModel
  ///
  /// var body: some View {
  ///   Map(position: $model.position, selection: $model.selection) {
  ///     ForEach(model.badges) { badge in
  ///       Annotation(badge.title, coordinate: badge.coordinate) { ClusterBadge(badge) }.annotationTitles(.hidden)
  ///     }
  ///   }
  ///   .updates(model)
  /// }
  /// ```
  ///
  /// A stack is a cluster of several points at one position. A tap on a stack shows the points of the stack around it.
  /// A tap on any other cluster zooms in until the cluster splits. A tap on a point selects the point. The point stays
  /// selected when clusters split and merge.
  ///
  /// A badge keeps its id when it moves, so SwiftUI moves the view of the badge and does not replace the view. While
  /// badges move, the array `badges` changes in each frame.
  @MainActor @Observable public final class MapModel {
    /// A badge as it is drawn now: a cluster, a single point, or a point of the open stack.
    public struct Badge: Identifiable, Sendable {
      /// Identifier of a badge. It does not change while the badge is on the map.
      public struct ID: Hashable, Sendable {
        let badge: MapBadge.ID
        /// Index of the point in tree order, if the badge is a point of the open stack; otherwise nil.
        var member: Int?
      }

      /// Identifier of the badge.
      public let id: ID
      /// The cluster that the badge shows. For a point of the open stack, this is the stack.
      public internal(set) var cluster: Cluster
      /// Row of the point; nil if the badge shows several points.
      public internal(set) var row: Int?
      /// Current position. A point of the open stack lies beside the stack, at a distance that is constant on the
      /// screen.
      public internal(set) var coordinate: CLLocationCoordinate2D
      /// The number on the badge; nil for the dot of a single point. The number is also nil while other badges count
      /// the points of this badge, so that no point is counted twice.
      public internal(set) var number: String?
      /// Name of the point or of the cluster.
      public internal(set) var title: String
      /// Text that VoiceOver reads.
      public internal(set) var accessibilityLabel: String
      /// Current diameter in points, including the current scale of an animation.
      public internal(set) var diameter: Double
      /// Opacity, from 0 to 1.
      public internal(set) var opacity: Double
      /// Whether the badge is leaving the map.
      public internal(set) var isLeaving: Bool
      /// Whether the badge is selected.
      public internal(set) var isSelected = false
      /// Whether the cluster of the badge belongs to a tree that is no longer shown.
      var isForeign = false
    }

    /// All badges that are drawn, from bottom to top.
    public private(set) var badges: [Badge] = []

    /// Error of the latest query; nil if the query has not failed. A query fails, for example, if the tree lacks data
    /// that the cut needs. A failed query does not change the badges. The error stays until a query succeeds, or until
    /// no tree is shown.
    public private(set) var error: (any Error)?

    /// The feed that queries the tree for the visible clusters.
    @ObservationIgnored public let feed: MapFeed

    /// Texts on the badges of the shown tree. See `show(_:texts:)`.
    public var texts: BadgeTexts { treeTexts.current }

    /// Position of the map's camera. At first, the camera shows all points of the first tree. `reveal` and taps on
    /// clusters move the camera.
    public var position = MapCameraPosition.rect(.world) { didSet { isAtStart = false } }

    /// Whether `position` still has its initial value.
    @ObservationIgnored private var isAtStart = true

    /// The selected badge, for the `selection` of a `Map`; nil if no badge is selected. Setting a badge has the same
    /// effect as a tap on this badge.
    public var selection: Badge.ID? {
      get { selectedBadge }
      set { if newValue != selectedBadge { tap(newValue) } }
    }

    /// Row of the selected point; nil if no point is selected. The point may be part of a cluster, and may be out of
    /// view.
    public var selectedRow: Int? { selected.row }

    /// Whether a tap on a cluster zooms in until the cluster splits. If false, a tap selects the point nearest to the
    /// center of the cluster.
    @ObservationIgnored public var zoomsIntoClusters = true

    /// Greatest number of points that are shown around an open stack.
    @ObservationIgnored public var stackLimit = 40

    /// The rows of all points of the open stack, for example to list them; nil if no stack is open.
    public var openStack: RowNumbers? { stack.map { $0.tree.members(of: $0.cluster) } }

    /// Size of the map in points. Badges are shown only after this size is set, because the zoom depends on the size.
    @ObservationIgnored public var size = CGSize.zero { didSet { refresh() } }

    /// Whether badges jump to their targets instead of moving there.
    @ObservationIgnored public var prefersReducedMotion = false {
      didSet { animator?.prefersReducedMotion = prefersReducedMotion }
    }

    var selectedBadge: Badge.ID?
    var selected = PointSelection()
    var stack: OpenStack?

    /// The visible rectangle, the heading in degrees, and a function that measures the zoom for a given size of the
    /// map.
    @ObservationIgnored private(set) var camera: (rect: MKMapRect, heading: Double, zoom: (CGSize) -> Double?)?
    @ObservationIgnored private var animator: MapAnimator?
    @ObservationIgnored private var treeTexts: TreeTexts

    /// Creates a model with its own feed.
    ///
    /// - Parameters:
    ///   - tree: Tree of your points; nil if you set `tree` later.
    ///   - cut: Cut of the tree; nil for the cut that suits the tree best. The tree must support the cut.
    ///   - texts: Texts on badges.
    public convenience init(_ tree: ClusterTree?, cut: Cut? = nil, texts: BadgeTexts = BadgeTexts()) {
      self.init(MapFeed(tree, cut: cut, for: texts), texts: texts)
    }

    /// Creates a model with a feed.
    ///
    /// - Parameters:
    ///   - feed: The feed that queries the tree. No other code may read answers from this feed.
    ///   - texts: Texts on badges.
    public convenience init(_ feed: MapFeed, texts: BadgeTexts = BadgeTexts()) {
      self.init(feed, texts: texts, in: (TimedFrames(), ContinuousClock()))
    }

    /// Creates a model with a feed and a clock.
    ///
    /// - Parameters:
    ///   - feed: The feed that queries the tree. No other code may read answers from this feed.
    ///   - texts: Texts on badges.
    ///   - time: Source of frames, and clock of the animations.
    package init(
      _ feed: MapFeed, texts: BadgeTexts, in time: (frames: some FrameSource, clock: some Clock<Duration>)
    ) {
      (self.feed, treeTexts) = (feed, TreeTexts(texts))
      // The animator reports the changes of single badges to a closure. The closure ignores these changes, because
      // `draw()` replaces the whole array `badges` once per frame.
      let animator = MapAnimator(feed, clock: time.clock) { _ in }
      animator.onError = { [weak self] in self?.error = $0 }
      animator.onSuccess = { [weak self] in self?.clearError() }
      animator.drawFrames(of: time.frames) { [weak self] in self?.draw() }
      self.animator = animator
      showAllPoints(of: feed.tree)
    }

    /// Views that show the error are drawn again only if there is an error to remove.
    private func clearError() {
      if error != nil { error = nil }
    }

    private func showAllPoints(of tree: ClusterTree?) {
      guard isAtStart, let bounds = tree?.root.map({ MKMapRect($0.bounds) }) else { return }
      // MapKit cannot show a rectangle without width and height.
      guard bounds.width > 0 || bounds.height > 0 else { return }
      position = .rect(bounds)
    }

    /// The shown tree; nil if no tree is shown. To change the filter, assign the same tree with another filter.
    ///
    /// Each point must have the same row number as in the previous tree, because `texts` finds texts by row. If rows
    /// have changed, for example because points were added or removed, call `show(_:texts:)` instead.
    public var tree: ClusterTree? {
      get { feed.tree }
      set { replaceTree(by: newValue, nil) }
    }

    /// Shows another tree, and the texts for its rows.
    ///
    /// - Parameters:
    ///   - tree: Tree of your points; nil to show no tree.
    ///   - texts: Texts on the badges of the tree. They are used as soon as the tree is shown.
    public func show(_ tree: ClusterTree?, texts: BadgeTexts) { replaceTree(by: tree, texts) }

    /// Shows each map of a sequence as soon as the map arrives. The sequence may be a `LiveMap`. A badge stays on the
    /// screen if it keeps most of its points. Returns when the sequence ends or the task is cancelled.
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
      showAllPoints(of: tree)
      if tree == nil {
        animator.clear()
        clearError()
      }
      if tree == nil || texts != nil { draw() }
    }

    /// The cut of the tree; nil for the cut that suits the tree best, see `MapFeed.cut`.
    public var cut: Cut? {
      get { feed.cut }
      set { feed.cut = newValue }
    }

    /// Sets the visible part of the map after a change of the camera. `View.updates(_:)` calls this method.
    ///
    /// - Parameters:
    ///   - context: The change.
    ///   - proxy: Proxy of the map, from a `MapReader`. The model measures the zoom through the proxy, so the map may
    ///     be turned and tilted.
    public func show(_ context: MapCameraUpdateContext, through proxy: MapProxy) {
      camera = (
        context.rect, context.camera.heading,
        { size in
          MKMapRect.zoom(at: CGPoint(x: size.width / 2, y: size.height / 2)) { proxy.convert($0, from: .local) }
            ?? context.rect.zoom(width: size.width)
        }
      )
      refresh()
    }

    /// Sets the visible part of a map that is neither turned nor tilted.
    public func show(_ rect: MKMapRect) {
      camera = (rect, 0, { rect.zoom(width: $0.width) })
      refresh()
    }

    private func refresh() {
      guard let camera, let box = BoundingBox(camera.rect), let zoom = camera.zoom(size) else {
        return feed.viewport = nil
      }
      feed.viewport = Viewport(box, zoom: zoom)
      // The points of an open stack keep their distances on the screen, so their coordinates change with the zoom.
      if stack != nil { draw() }
    }

    /// Zooms in until a cluster splits into its parts. If the cut limits only the number of clusters, zooms to the
    /// bounds of the cluster's points. If the badge is a stack or a single point, moves the map there without zooming.
    public func zoom(into badge: Badge) {
      guard let tree = tree(of: badge) else { return }
      let cluster = badge.cluster
      let cut = feed.shownCut
      if cut.isByPixels, let zoom = try? tree.separationZoom(of: cluster.id, for: cut) {
        // The map zooms slightly beyond the zoom at which the cluster splits, because otherwise rounding might stop
        // the map just before this zoom.
        fly(to: cluster.coordinate, zoom: max(zoom, currentZoom) + 0.01)
      } else if cluster.rect.isPoint {
        fly(to: cluster.coordinate, zoom: currentZoom)
      } else {
        withAnimation { position = .rect(MKMapRect(cluster.bounds)) }
      }
    }

    var currentZoom: Double { feed.viewport?.zoom ?? 0 }

    func fly(to coordinate: Coordinate, zoom: Double) {
      // Until the map has a size, the size of a phone is assumed.
      let size = size.width > 0 && size.height > 0 ? size : CGSize(width: 390, height: 844)
      let rect = MKMapRect(
        center: coordinate, zoom: min(zoom, 20), width: size.width * Self.clearOfBars,
        height: size.height * Self.clearOfBars)
      withAnimation { position = .rect(rect) }
    }

    /// Fraction of the map's size that a cluster may fill. Bars may cover the rest of the map.
    private static let clearOfBars = 0.75

    /// Returns the rows of a badge's points, in tree order; nil if the badge is no longer shown. Use the rows, for
    /// example, to list the points in pages.
    public func members(of badge: Badge) -> RowNumbers? { tree(of: badge)?.members(of: badge.cluster) }

    /// Returns the tree that contains a badge's cluster; nil if the badge is no longer shown. The result differs from
    /// `tree` while a new tree is set but not shown yet.
    func tree(of badge: Badge) -> ClusterTree? { badge.isForeign ? nil : animator?.scene.tree }

    func draw() {
      guard let scene = animator?.scene else { return }
      let haveOtherTexts = treeTexts.follow(scene)
      followStack(scene)
      followSelection(scene)
      var before: [Badge.ID: Badge] = [:]
      for badge in badges { before[badge.id] = badge }
      let ofAnswers = scene.badges.filter(\.appearance.isVisible).compactMap { badge -> Badge? in
        let old = before[Badge.ID(badge: badge.id)]
        // A badge of an earlier tree keeps the texts with which it was drawn before.
        if badge.isForeign { return old.map { drawn(badge, as: $0) } }
        let same = haveOtherTexts ? nil : old.flatMap { $0.cluster == badge.cluster ? $0 : nil }
        return drawn(badge, as: same ?? described(badge, in: scene))
      }
      badges = ofAnswers + drawnStack(scene)
    }

    /// Returns a badge with the texts of its cluster.
    private func described(_ badge: MapBadge, in scene: MapScene) -> Badge {
      let cluster = badge.cluster
      let label = scene.tree.map { texts.accessibilityLabel(of: cluster, in: $0, values: badge.values) }
      return Badge(
        id: Badge.ID(badge: badge.id), cluster: cluster, row: cluster.row, coordinate: CLLocationCoordinate2D(),
        number: nil, title: texts.title(of: cluster, values: badge.values) ?? "", accessibilityLabel: label ?? "",
        diameter: 0, opacity: 0, isLeaving: false)
    }

    /// Returns a badge as it is drawn now. Its cluster and its texts are taken from `words`.
    private func drawn(_ badge: MapBadge, as words: Badge) -> Badge {
      let place = badge.appearance.place
      var drawn = words
      drawn.coordinate = CLLocationCoordinate2D(badge.coordinate)
      drawn.number = badge.appearance.showsCount ? texts.number(of: badge.cluster) : nil
      drawn.diameter = badge.diameter * place.scale
      drawn.opacity = place.opacity
      (drawn.isLeaving, drawn.isForeign) = (badge.isLeaving, badge.isForeign)
      drawn.isSelected = words.id == selectedBadge
      return drawn
    }
  }
#endif
