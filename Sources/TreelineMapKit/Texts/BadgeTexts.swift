@_spi(Server) import Treeline
import TreelineMap

/// The texts on badges: the number, the title and subtitle of the callout, and the text that VoiceOver reads.
///
/// ```swift
/// var texts = BadgeTexts(hotels, title: \.name, subtitle: \.phone)
/// texts.clusterTitle = "{count} hotels"
/// ```
public struct BadgeTexts: Sendable {
  /// Title of a cluster. `{count}` stands for the cluster's number of points, and `{abbreviated}` for a short form of
  /// it.
  public var clusterTitle = "{count} places"

  /// Aggregates whose values are passed to `titleOfCluster`, such as `.first("name", by: "population")`.
  ///
  /// A map adapter or model that creates its own feed computes these aggregates for each answer. If you create the
  /// feed, set the same aggregates in `MapFeed.Options`.
  public var aggregates: [Aggregate] = []

  /// Returns the title of a cluster, given the values of `aggregates`. If this closure is nil, titles are made from
  /// `clusterTitle`.
  ///
  /// ```swift
  /// texts.aggregates = [.first("name", by: "population")]
  /// texts.titleOfCluster = { cluster, values in "\(values[0]) and \(cluster.pointCount - 1) more" }
  /// ```
  public var titleOfCluster: (@Sendable (_ cluster: Cluster, _ values: [AggregateValue]) -> String?)?

  /// Number of points whose titles are in the subtitle of a cluster, in tree order; 0 for no subtitle.
  public var namedMemberCount = 3

  /// End of a cluster's subtitle if the cluster has more points than are named. `{count}` stands for their number.
  public var moreMembers = "{count} more"

  /// VoiceOver's hint for a cluster: what a double tap does.
  public var clusterHint = "Zooms in"

  /// VoiceOver's hint for a stack, which is several points at one position: what a double tap does.
  public var stackHint = "Shows all"

  /// Returns the title and subtitle of the point of a row.
  private let ofPoint: (@Sendable (_ row: Int) -> (title: String?, subtitle: String?))?

  /// Creates texts for clusters. Points have no texts.
  public init() { ofPoint = nil }

  /// Creates texts from the values of a map.
  ///
  /// - Parameters:
  ///   - map: The map whose values belong to the rows of the tree.
  ///   - title: Returns the title of a value. You can pass a key path.
  ///   - subtitle: Returns the subtitle of a value. You can pass a key path.
  public init<Value>(
    _ map: ClusterMap<Value>, title: @escaping @Sendable (Value) -> String,
    subtitle: @escaping @Sendable (Value) -> String? = { _ in nil }
  ) {
    let values = map.values
    self.init { (title(values[$0]), subtitle(values[$0])) }
  }

  /// - Parameter ofPoint: Returns the title and subtitle of the point of a row.
  public init(ofPoint: @escaping @Sendable (_ row: Int) -> (title: String?, subtitle: String?)) {
    self.ofPoint = ofPoint
  }

  /// Returns the number on a badge; nil for a single point.
  public func number(of cluster: Cluster) -> String? {
    cluster.pointCount > 1 ? BadgeText.abbreviated(cluster.pointCount) : nil
  }

  /// Returns the title of a point or of a cluster. The title of a cluster comes from `titleOfCluster` or
  /// `clusterTitle`.
  ///
  /// - Parameter values: Values of `aggregates`. If the list is empty, `clusterTitle` is used.
  public func title(of cluster: Cluster, values: [AggregateValue] = []) -> String? {
    if let row = cluster.row { return ofPoint?(row).title }
    if let titleOfCluster, values.count == aggregates.count { return titleOfCluster(cluster, values) }
    return BadgeText.title(clusterTitle, pointCount: cluster.pointCount)
  }

  /// Returns the subtitle of a point, or the first titles of points in a cluster.
  ///
  /// - Complexity: O(`namedMemberCount`). The number of points does not matter.
  public func subtitle(of cluster: Cluster, in tree: ClusterTree) -> String? {
    if let row = cluster.row { return ofPoint?(row).subtitle }
    guard let ofPoint, namedMemberCount > 0 else { return nil }
    let names = tree.members(of: cluster).prefix(namedMemberCount).compactMap { ofPoint($0).title }
    guard !names.isEmpty else { return nil }
    let rest = cluster.pointCount - names.count
    let more = rest > 0 ? [BadgeText.title(moreMembers, pointCount: rest)] : []
    return (names + more).joined(separator: ", ")
  }

  /// Returns the title of the point of a row, for example in an open stack.
  public func title(ofRow row: Int) -> String? { ofPoint?(row).title }

  /// Returns the subtitle of the point of a row.
  public func subtitle(ofRow row: Int) -> String? { ofPoint?(row).subtitle }

  /// Returns the text that VoiceOver reads for a badge.
  ///
  /// - Parameter values: Values of `aggregates`.
  public func accessibilityLabel(of cluster: Cluster, in tree: ClusterTree, values: [AggregateValue] = []) -> String {
    [title(of: cluster, values: values), subtitle(of: cluster, in: tree)].compactMap { $0 }.joined(separator: ", ")
  }

  /// Returns VoiceOver's hint for a badge, which says what a double tap does; nil for a single point.
  public func accessibilityHint(of cluster: Cluster) -> String? {
    cluster.pointCount == 1 ? nil : cluster.isStack ? stackHint : clusterHint
  }
}

extension MapFeed {
  /// Creates a feed that computes the aggregates that the texts need.
  @_spi(MapLibre) public convenience init(_ tree: ClusterTree?, cut: Cut?, for texts: BadgeTexts) {
    var options = Options()
    options.aggregates = texts.aggregates
    self.init(tree, cut: cut, options: options)
  }
}
