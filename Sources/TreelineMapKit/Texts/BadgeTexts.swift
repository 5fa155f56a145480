import Treeline

/// What badges say: the number on a badge, title and subtitle of its callout, and what VoiceOver reads.
///
/// ```swift
/// var texts = BadgeTexts(hotels, title: \.name, subtitle: \.phone)
/// texts.clusterTitle = "{count} hotels"
/// ```
public struct BadgeTexts: Sendable {
  /// Of a cluster: `{count}` becomes its number of points, and `{abbreviated}` the short form.
  public var clusterTitle = "{count} places"

  /// How many of its points' titles are a cluster's subtitle, in tree order; 0 for none.
  public var namedMemberCount = 3

  /// Behind the names in a cluster's subtitle, if it has more points than these: `{count}` becomes how many.
  public var moreMembers = "{count} more"

  /// What VoiceOver says that a double tap on a cluster does.
  public var clusterHint = "Zooms in"

  /// The same of a stack, several points at one position.
  public var stackHint = "Shows all"

  /// Title and subtitle of a point.
  private let ofPoint: (@Sendable (_ row: Int) -> (title: String?, subtitle: String?))?

  /// Texts of clusters alone: points have none.
  public init() { ofPoint = nil }

  /// - Parameters:
  ///   - map: What rows number.
  ///   - title: Of a value; a key path will do.
  ///   - subtitle: Of a value; a key path will do.
  public init<Value>(
    _ map: ClusterMap<Value>, title: @escaping @Sendable (Value) -> String,
    subtitle: @escaping @Sendable (Value) -> String? = { _ in nil }
  ) {
    let values = map.values
    self.init { (title(values[$0]), subtitle(values[$0])) }
  }

  /// - Parameter ofPoint: Title and subtitle of the point with a row number.
  public init(ofPoint: @escaping @Sendable (_ row: Int) -> (title: String?, subtitle: String?)) {
    self.ofPoint = ofPoint
  }

  /// The number on a badge; nil on the dot of a single point.
  public func number(of cluster: Cluster) -> String? {
    cluster.pointCount > 1 ? BadgeText.abbreviated(cluster.pointCount) : nil
  }

  /// The name of a point, or of a cluster as its template says.
  public func title(of cluster: Cluster) -> String? {
    guard let row = cluster.row else { return BadgeText.title(clusterTitle, pointCount: cluster.pointCount) }
    return ofPoint?(row).title
  }

  /// The subtitle of a point, or the first names in a cluster.
  ///
  /// - Complexity: O(`namedMemberCount`), however many points there are.
  public func subtitle(of cluster: Cluster, in tree: ClusterTree) -> String? {
    if let row = cluster.row { return ofPoint?(row).subtitle }
    guard let ofPoint, namedMemberCount > 0 else { return nil }
    let names = tree.members(of: cluster).prefix(namedMemberCount).compactMap { ofPoint($0).title }
    guard !names.isEmpty else { return nil }
    let rest = cluster.pointCount - names.count
    let more = rest > 0 ? [BadgeText.title(moreMembers, pointCount: rest)] : []
    return (names + more).joined(separator: ", ")
  }

  /// Of the point with a row number, as of one in a stack that is open.
  public func title(ofRow row: Int) -> String? { ofPoint?(row).title }

  /// The same for its subtitle.
  public func subtitle(ofRow row: Int) -> String? { ofPoint?(row).subtitle }

  /// What VoiceOver says of a badge.
  public func accessibilityLabel(of cluster: Cluster, in tree: ClusterTree) -> String {
    [title(of: cluster), subtitle(of: cluster, in: tree)].compactMap { $0 }.joined(separator: ", ")
  }

  /// What VoiceOver says that a double tap does; nil of a single point.
  public func accessibilityHint(of cluster: Cluster) -> String? {
    cluster.pointCount == 1 ? nil : cluster.isStack ? stackHint : clusterHint
  }
}
