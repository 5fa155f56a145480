import Treeline
import TreelineMap

/// The texts on badges: the number, the title and subtitle of the callout, and what VoiceOver reads.
///
/// ```swift
/// var texts = BadgeTexts(hotels, title: \.name, subtitle: \.phone)
/// texts.clusterTitle = "{count} hotels"
/// ```
public struct BadgeTexts: Sendable {
  /// Title of a cluster. `{count}` is replaced by its number of points, and `{abbreviated}` by the short form.
  public var clusterTitle = "{count} places"

  /// Aggregates whose values `titleOfCluster` gets, such as `.first("name", by: "population")`.
  ///
  /// A map adapter or model that makes its own feed evaluates them with each answer. For a feed that you make, set the
  /// same aggregates in `MapFeed.Options`.
  public var aggregates: [Aggregate] = []

  /// Returns the title of a cluster, given the values of `aggregates`. If this is nil, titles are made from
  /// `clusterTitle`.
  ///
  /// ```swift
  /// texts.aggregates = [.first("name", by: "population")]
  /// texts.titleOfCluster = { cluster, values in "\(values[0]) and \(cluster.pointCount - 1) more" }
  /// ```
  public var titleOfCluster: (@Sendable (_ cluster: Cluster, _ values: [AggregateValue]) -> String?)?

  /// Number of point titles in a cluster's subtitle, in tree order; 0 for no subtitle.
  public var namedMemberCount = 3

  /// Ending of a cluster's subtitle if the cluster has more points. `{count}` is replaced by the number of other
  /// points.
  public var moreMembers = "{count} more"

  /// VoiceOver's hint of what a double tap on a cluster does.
  public var clusterHint = "Zooms in"

  /// VoiceOver's hint of what a double tap does on a stack, which is several points at one position.
  public var stackHint = "Shows all"

  /// Returns the title and subtitle of a point.
  private let ofPoint: (@Sendable (_ row: Int) -> (title: String?, subtitle: String?))?

  /// Creates texts for clusters only: points have no texts.
  public init() { ofPoint = nil }

  /// - Parameters:
  ///   - map: The values to which the row numbers of the tree refer.
  ///   - title: Returns the title of a value; a key path works, too.
  ///   - subtitle: Returns the subtitle of a value; a key path works, too.
  public init<Value>(
    _ map: ClusterMap<Value>, title: @escaping @Sendable (Value) -> String,
    subtitle: @escaping @Sendable (Value) -> String? = { _ in nil }
  ) {
    let values = map.values
    self.init { (title(values[$0]), subtitle(values[$0])) }
  }

  /// - Parameter ofPoint: Returns the title and subtitle of the point with a row number.
  public init(ofPoint: @escaping @Sendable (_ row: Int) -> (title: String?, subtitle: String?)) {
    self.ofPoint = ofPoint
  }

  /// Returns the number on a badge; nil for the dot of a single point.
  public func number(of cluster: Cluster) -> String? {
    cluster.pointCount > 1 ? BadgeText.abbreviated(cluster.pointCount) : nil
  }

  /// Returns the title of a point, or the title of a cluster made by `titleOfCluster` or from `clusterTitle`.
  ///
  /// - Parameter values: Values of `aggregates`. If there are no values, the title is made from `clusterTitle`.
  public func title(of cluster: Cluster, values: [AggregateValue] = []) -> String? {
    if let row = cluster.row { return ofPoint?(row).title }
    if let titleOfCluster, values.count == aggregates.count { return titleOfCluster(cluster, values) }
    return BadgeText.title(clusterTitle, pointCount: cluster.pointCount)
  }

  /// Returns the subtitle of a point, or the first titles in a cluster.
  ///
  /// - Complexity: O(`namedMemberCount`), for any number of points.
  public func subtitle(of cluster: Cluster, in tree: ClusterTree) -> String? {
    if let row = cluster.row { return ofPoint?(row).subtitle }
    guard let ofPoint, namedMemberCount > 0 else { return nil }
    let names = tree.members(of: cluster).prefix(namedMemberCount).compactMap { ofPoint($0).title }
    guard !names.isEmpty else { return nil }
    let rest = cluster.pointCount - names.count
    let more = rest > 0 ? [BadgeText.title(moreMembers, pointCount: rest)] : []
    return (names + more).joined(separator: ", ")
  }

  /// Returns the title of the point with a row number, for example in an open stack.
  public func title(ofRow row: Int) -> String? { ofPoint?(row).title }

  /// Returns the subtitle of the point with a row number.
  public func subtitle(ofRow row: Int) -> String? { ofPoint?(row).subtitle }

  /// Returns the text that VoiceOver reads for a badge.
  ///
  /// - Parameter values: Values of `aggregates`.
  public func accessibilityLabel(of cluster: Cluster, in tree: ClusterTree, values: [AggregateValue] = []) -> String {
    [title(of: cluster, values: values), subtitle(of: cluster, in: tree)].compactMap { $0 }.joined(separator: ", ")
  }

  /// Returns VoiceOver's hint of what a double tap does; nil for a single point.
  public func accessibilityHint(of cluster: Cluster) -> String? {
    cluster.pointCount == 1 ? nil : cluster.isStack ? stackHint : clusterHint
  }
}

extension MapFeed {
  /// Creates a feed that evaluates the aggregates of some texts.
  @_spi(MapLibre) public convenience init(_ tree: ClusterTree?, cut: Cut, for texts: BadgeTexts) {
    var options = Options()
    options.aggregates = texts.aggregates
    self.init(tree, cut: cut, options: options)
  }
}
