import MapLibre
import Treeline
import TreelineMap
@_spi(MapLibre) import TreelineMapKit

/// Shows the clusters of a tree on MapLibre Native's map, as the features of a source, and has them split and merge as
/// the map zooms.
///
/// Call ``refresh()`` whenever the map moves, and ``add(to:)`` for each style that it loads; layers draw the source:
///
/// ```swift
/// func mapView(_ mapView: MLNMapView, didFinishLoading style: MLNStyle) {
///   let source = adapter.add(to: style)
///   let badges = MLNCircleStyleLayer(identifier: "badges", source: source)
///   badges.circleRadius = NSExpression(format: "diameter / 2")
///   badges.circleOpacity = NSExpression(forKeyPath: "opacity")
///   style.addLayer(badges)
///   let numbers = MLNSymbolStyleLayer(identifier: "numbers", source: source)
///   numbers.text = NSExpression(forKeyPath: "number")
///   numbers.textAllowsOverlap = NSExpression(forConstantValue: true)
///   style.addLayer(numbers)
/// }
/// func mapViewRegionIsChanging(_ mapView: MLNMapView) { adapter.refresh() }
/// func mapView(_ mapView: MLNMapView, regionDidChangeAnimated animated: Bool) { adapter.refresh() }
/// ```
///
/// A feature's attributes are `number`, which is empty on the dot of a point and while its points are in the numbers of
/// others; `diameter` in points; `opacity`; `above`, 1 of what is to be drawn over the others; and, as of supercluster,
/// `cluster`, `cluster_id` and `point_count`. Its `title` is that of the texts.
@MainActor public final class MapLibreAdapter {
  /// What it draws on.
  public let mapView: MLNMapView

  /// What layers draw, of the latest style.
  public private(set) var source: MLNShapeSource?

  /// Where answers come from.
  public let feed: MapFeed

  /// What badges say, of the tree that is shown; see `show(_:texts:)`.
  public var texts: BadgeTexts { treeTexts.current }

  /// Told why there is no answer, as where the tree lacks what the cut needs.
  public var onError: (any Error) -> Void = { _ in }

  private let identifier: String
  private var animator: MapAnimator?
  private var treeTexts: TreeTexts
  private var features: [MapBadge.ID: MLNPointFeature] = [:]
  /// Whether the source is to be told.
  private var hasChanged = false

  /// - Parameters:
  ///   - mapView: What it draws on.
  ///   - tree: Of your points; nil for one that comes later, as `tree`.
  ///   - cut: How finely points are told apart. The tree must support it.
  ///   - texts: What badges say.
  ///   - identifier: Of the source.
  public convenience init(
    _ mapView: MLNMapView, tree: ClusterTree? = nil, cut: Cut, texts: BadgeTexts = BadgeTexts(),
    identifier: String = "treeline"
  ) {
    self.init(
      mapView, feed: MapFeed(tree, cut: cut), texts: texts, identifier: identifier,
      in: (DisplayFrames(mapView), ContinuousClock()))
  }

  /// - Parameters:
  ///   - mapView: What it draws on.
  ///   - feed: Where answers come from; nobody else reads them.
  ///   - texts: What badges say.
  ///   - identifier: Of the source.
  ///   - time: Whose frames are drawn, and by which clock.
  init(
    _ mapView: MLNMapView, feed: MapFeed, texts: BadgeTexts, identifier: String,
    in time: (frames: some FrameSource, clock: some Clock<Duration>)
  ) {
    (self.mapView, self.feed, self.identifier, treeTexts) = (mapView, feed, identifier, TreeTexts(texts))
    let animator = MapAnimator(feed, clock: time.clock) { [weak self] in self?.apply($0) }
    animator.onError = { [weak self] in self?.onError($0) }
    animator.drawFrames(of: time.frames) { [weak self] in self?.draw() }
    self.animator = animator
    refresh()
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
    followTexts()
    draw()
  }

  /// Adds a source to a style. A map that loads another style needs it anew, for a source is of one style alone.
  @discardableResult public func add(to style: MLNStyle) -> MLNShapeSource {
    let source = MLNShapeSource(identifier: identifier, shape: nil, options: nil)
    style.addSource(source)
    self.source = source
    hasChanged = true
    draw()
    return source
  }

  /// Looks at what the map shows now.
  public func refresh() {
    animator?.prefersReducedMotion = UIAccessibility.isReduceMotionEnabled
    let (bounds, size) = (mapView.visibleCoordinateBounds, mapView.bounds.size)
    guard size.width > 0 && size.height > 0 else { return feed.viewport = nil }
    // Longitudes beyond 180 degrees are those of other turns, as a viewport has them.
    let box = BoundingBox(
      west: bounds.sw.longitude, south: bounds.sw.latitude, east: bounds.ne.longitude, north: bounds.ne.latitude)
    feed.viewport = Viewport(box, zoom: mapView.zoomLevel, tileSize: .pixels512)
  }

  /// The cluster of a feature of the source, such as one that was tapped; nil of others.
  public func cluster(of feature: any MLNFeature) -> Cluster? {
    guard let id = feature.attribute(forKey: "cluster_id") as? NSNumber else { return nil }
    return try? animator?.scene.tree?.cluster(ClusterID(rawValue: id.uint64Value))
  }

  /// Zooms to where a cluster falls apart. By a limit, and of a stack, the map only moves there.
  public func zoom(into cluster: Cluster, animated: Bool = true) {
    let zoom = try? animator?.scene.tree?.expansionZoom(of: cluster.id, by: feed.cut, tileSize: .pixels512)
    // A hair more, lest the map stop just before.
    let target = max(zoom ?? 0, mapView.zoomLevel) + (zoom == nil ? 0 : 0.01)
    mapView.setCenter(CLLocationCoordinate2D(cluster.coordinate), zoomLevel: target, animated: animated)
  }

  // MARK: - Three verbs

  private func apply(_ change: MapChange) {
    followTexts()
    for id in change.removed { features[id] = nil }
    for badge in change.added {
      let feature = MLNPointFeature()
      feature.coordinate = CLLocationCoordinate2D(badge.coordinate)
      features[badge.id] = feature
      describe(feature, badge, at: badge.appearance.place)
    }
    for move in change.moved {
      guard let feature = features[move.id] else { continue }
      feature.coordinate = CLLocationCoordinate2D(move.coordinate)
      feature.attributes["opacity"] = move.place.opacity
      feature.attributes["diameter"] = (feature.attributes["full_diameter"] as? Double ?? 0) * move.place.scale
    }
    for badge in change.retargeted + change.updated {
      if let feature = features[badge.id] { describe(feature, badge, at: badge.appearance.place) }
    }
    hasChanged = true
  }

  /// Has badges say what those of the tree say that is shown by now.
  private func followTexts() {
    guard let scene = animator?.scene, treeTexts.follow(scene) else { return }
    for badge in scene.answerBadges {
      features[badge.id]?.attributes["title"] = texts.title(of: badge.cluster) ?? ""
    }
    hasChanged = true
  }

  private func describe(_ feature: MLNPointFeature, _ badge: MapBadge, at place: MapMotion.Place) {
    let (cluster, isVisible) = (badge.cluster, badge.appearance.isVisible)
    // What is of a tree that is no longer shown says what it said before.
    let title = badge.isForeign ? feature.attributes["title"] : texts.title(of: cluster)
    feature.attributes = [
      "cluster": cluster.pointCount > 1, "cluster_id": NSNumber(value: cluster.id.rawValue),
      "point_count": cluster.pointCount,
      "number": isVisible && badge.appearance.showsCount ? texts.number(of: cluster) ?? "" : "",
      "title": title ?? "", "above": badge.isAbove ? 1 : 0,
      "full_diameter": isVisible ? badge.diameter : 0, "diameter": isVisible ? badge.diameter * place.scale : 0,
      "opacity": place.opacity,
    ]
  }

  /// A source takes all features at once.
  private func draw() {
    guard hasChanged, let source else { return }
    hasChanged = false
    let inOrder = features.sorted { $0.key < $1.key }.map(\.value)
    source.shape = MLNShapeCollectionFeature(shapes: inOrder)
  }
}
