import MapLibre
import Treeline
@_spi(MapLibre) import TreelineMap
@_spi(MapLibre) import TreelineMapKit

/// Shows the clusters of a tree on a map of MapLibre Native, as the features of a source. The clusters split and merge
/// as the map zooms.
///
/// Call ``refresh()`` whenever the map moves, and ``add(to:)`` for each style that the map loads. Layers draw the
/// source:
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
/// A feature has these attributes:
/// - `number`: the number on the badge. It is empty for a single point. It is also empty while other badges count the
///   points of this badge, so that no point is counted twice.
/// - `diameter`: the current diameter in points.
/// - `opacity`: the current opacity from 0 to 1.
/// - `above`: 1 if the feature must be drawn above all others, otherwise 0.
/// - `title`: the title from the texts.
/// - `cluster`, `cluster_id` and `point_count`: as in supercluster.
@MainActor public final class MapLibreAdapter {
  /// The map on which the badges are shown.
  public let mapView: MLNMapView

  /// The source that the layers of the style draw; nil before the first `add(to:)`. The source belongs to the style of
  /// the latest `add(to:)`.
  public private(set) var source: MLNShapeSource?

  /// The feed that queries the tree for the visible clusters.
  public let feed: MapFeed

  /// Texts on the badges of the shown tree. See `show(_:texts:)`.
  public var texts: BadgeTexts { treeTexts.current }

  /// Called with the error of a failed query. A query fails, for example, if the tree lacks data that the cut needs.
  public var onError: (any Error) -> Void = { _ in }

  private let identifier: String
  private var animator: MapAnimator?
  private var treeTexts: TreeTexts
  private var features: [MapBadge.ID: MLNPointFeature] = [:]
  /// Whether features have changed since the source was last updated.
  private var hasChanged = false

  /// Creates an adapter with its own feed.
  ///
  /// - Parameters:
  ///   - mapView: The map on which badges are shown.
  ///   - tree: Tree of your points; nil if you set `tree` later.
  ///   - cut: Cut of the tree; nil for the cut that suits the tree best. The tree must support the cut.
  ///   - texts: Texts on badges.
  ///   - identifier: Identifier of the source.
  public convenience init(
    _ mapView: MLNMapView, tree: ClusterTree?, cut: Cut? = nil, texts: BadgeTexts = BadgeTexts(),
    identifier: String = "treeline"
  ) {
    self.init(
      mapView, feed: MapFeed(tree, cut: cut, for: texts), texts: texts, identifier: identifier,
      in: (DisplayFrames(mapView), ContinuousClock()))
  }

  /// Creates an adapter with a feed and a clock.
  ///
  /// - Parameters:
  ///   - mapView: The map on which badges are shown.
  ///   - feed: The feed that queries the tree. No other code may read answers from this feed.
  ///   - texts: Texts on badges.
  ///   - identifier: Identifier of the source.
  ///   - time: Source of frames, and clock of the animations.
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
    followTexts()
    draw()
  }

  /// Adds the source to a style. Call this method again when the map loads another style, because a source belongs to a
  /// single style.
  @discardableResult public func add(to style: MLNStyle) -> MLNShapeSource {
    let source = MLNShapeSource(identifier: identifier, shape: nil, options: nil)
    style.addSource(source)
    self.source = source
    hasChanged = true
    draw()
    return source
  }

  /// Updates the badges for the part of the map that is visible now.
  public func refresh() {
    animator?.prefersReducedMotion = UIAccessibility.isReduceMotionEnabled
    let (bounds, size) = (mapView.visibleCoordinateBounds, mapView.bounds.size)
    guard size.width > 0 && size.height > 0 else { return feed.viewport = nil }
    // After the user has moved the map around the whole world, the longitudes are beyond 180 degrees. A viewport
    // accepts such longitudes.
    let box = BoundingBox(
      west: bounds.sw.longitude, south: bounds.sw.latitude, east: bounds.ne.longitude, north: bounds.ne.latitude)
    feed.viewport = Viewport(box, zoom: mapView.zoomLevel, tileSize: .pixels512)
  }

  /// Returns the cluster that a feature of the source shows; nil if the feature does not have the id of a cluster. Use
  /// this method, for example, after a tap on a feature.
  public func cluster(of feature: any MLNFeature) -> Cluster? {
    guard let id = feature.attribute(forKey: "cluster_id") as? NSNumber else { return nil }
    return try? animator?.scene.tree?.cluster(ClusterID(rawValue: id.uint64Value))
  }

  /// Zooms in until a cluster splits. A stack (several points at one position) never splits, so the map moves to the
  /// stack without zooming. The map also moves without zooming if the cut limits only the number of clusters.
  public func zoom(into cluster: Cluster, animated: Bool = true) {
    let zoom = try? animator?.scene.tree?.separationZoom(of: cluster.id, for: feed.shownCut, tileSize: .pixels512)
    // The map zooms slightly beyond the split, so that rounding does not stop the map just before the split.
    let target = max(zoom ?? 0, mapView.zoomLevel) + (zoom == nil ? 0 : 0.01)
    mapView.setCenter(CLLocationCoordinate2D(cluster.coordinate), zoomLevel: target, animated: animated)
  }

  // MARK: - Applying changes

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

  /// If the map now shows another tree with other texts, updates the titles of all badges.
  private func followTexts() {
    guard let scene = animator?.scene, treeTexts.follow(scene) else { return }
    for badge in scene.answerBadges {
      features[badge.id]?.attributes["title"] = texts.title(of: badge.cluster, values: badge.values) ?? ""
    }
    hasChanged = true
  }

  private func describe(_ feature: MLNPointFeature, _ badge: MapBadge, at place: MapMotion.Place) {
    let (cluster, isVisible) = (badge.cluster, badge.appearance.isVisible)
    // A badge of an earlier tree keeps its title.
    let title = badge.isForeign ? feature.attributes["title"] : texts.title(of: cluster, values: badge.values)
    feature.attributes = [
      "cluster": cluster.pointCount > 1, "cluster_id": NSNumber(value: cluster.id.rawValue),
      "point_count": cluster.pointCount,
      "number": isVisible && badge.appearance.showsCount ? texts.number(of: cluster) ?? "" : "",
      "title": title ?? "", "above": badge.isAbove ? 1 : 0,
      "full_diameter": isVisible ? badge.diameter : 0, "diameter": isVisible ? badge.diameter * place.scale : 0,
      "opacity": place.opacity,
    ]
  }

  /// Assigns all features to the source, if any feature has changed. A source takes all features at once.
  private func draw() {
    guard hasChanged, let source else { return }
    hasChanged = false
    let inOrder = features.sorted { $0.key < $1.key }.map(\.value)
    source.shape = MLNShapeCollectionFeature(shapes: inOrder)
  }
}
