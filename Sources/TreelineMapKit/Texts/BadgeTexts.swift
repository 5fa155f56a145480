import Foundation
@_spi(Server) import Treeline
import TreelineMap

/// The texts on badges: the number, the title and subtitle of the callout, and the text that VoiceOver reads.
///
/// ```swift
/// var texts = BadgeTexts(hotels, title: \.name, subtitle: \.phone)
/// texts.clusterTitle = { cluster, _ in "\(cluster.pointCount.formatted()) hotels" }
/// ```
///
/// If your app has several languages, let `clusterTitle` return `String(localized: "\(cluster.pointCount) hotels")`.
/// With such a string, the plural forms come from the string catalog of the app.
public struct BadgeTexts: Sendable {
  /// Locale in which numbers and lists are written.
  public var locale = Locale.autoupdatingCurrent

  /// Aggregates whose values are passed to `clusterTitle`, such as `.first("name", by: "population")`.
  ///
  /// A map adapter or model that creates its own feed computes these aggregates for each answer. If you create the
  /// feed, set the same aggregates in `MapFeed.Options`.
  public var aggregates: [Aggregate] = []

  /// Returns the title of a cluster, given the values of `aggregates`. If this closure is nil, the title is the number
  /// of points, such as 1,234.
  ///
  /// ```swift
  /// texts.aggregates = [.first("name", by: "population")]
  /// texts.clusterTitle = { cluster, values in "\(values[0]) and \(cluster.pointCount - 1) more" }
  /// ```
  public var clusterTitle: (@Sendable (_ cluster: Cluster, _ values: [AggregateValue]) -> String?)?

  /// Number of points that are named in the subtitle of a cluster; 0 for no subtitle. The named points are the first
  /// points of the cluster in tree order.
  public var namedMemberCount = 3

  /// Returns the end of a cluster's subtitle, given the number of points that are not named. If this closure is nil,
  /// the end is a plus sign and the number, such as +12.
  public var moreMembers: (@Sendable (_ count: Int) -> String)?

  /// VoiceOver's hint for a cluster; nil for no hint. The hint says what a double tap does. The default is English.
  public var clusterHint: String? = "Zooms in"

  /// VoiceOver's hint for a stack (several points at one position); nil for no hint. The hint says what a double tap
  /// does. The default hint is English.
  public var stackHint: String? = "Shows all"

  /// Returns the title and subtitle of the point with a given row number.
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

  /// - Parameter ofPoint: Returns the title and subtitle of the point with a given row number.
  public init(ofPoint: @escaping @Sendable (_ row: Int) -> (title: String?, subtitle: String?)) {
    self.ofPoint = ofPoint
  }

  /// Returns the number on a badge, in about four characters, such as 999 and 1.2k; nil for a single point. `locale`
  /// determines the decimal separator.
  public func number(of cluster: Cluster) -> String? {
    guard cluster.pointCount > 1 else { return nil }
    let text = BadgeText.abbreviated(cluster.pointCount)
    return text.replacing(".", with: locale.decimalSeparator ?? ".")
  }

  /// Returns the title of a point or of a cluster. The title of a cluster comes from `clusterTitle`.
  ///
  /// - Parameter values: Values of `aggregates`. If there are fewer or more values than aggregates, `clusterTitle` is
  ///   not called, and the title is the number of points.
  public func title(of cluster: Cluster, values: [AggregateValue] = []) -> String? {
    if let row = cluster.row { return ofPoint?(row).title }
    if let clusterTitle, values.count == aggregates.count { return clusterTitle(cluster, values) }
    return formatted(cluster.pointCount)
  }

  private func formatted(_ count: Int) -> String { count.formatted(.number.locale(locale)) }

  /// Returns the subtitle of a point or of a cluster. The subtitle of a cluster lists the titles of its first points.
  ///
  /// - Complexity: O(`namedMemberCount`). The number of points in the cluster does not matter.
  public func subtitle(of cluster: Cluster, in tree: ClusterTree) -> String? {
    if let row = cluster.row { return ofPoint?(row).subtitle }
    guard let ofPoint, namedMemberCount > 0 else { return nil }
    let names = tree.members(of: cluster).prefix(namedMemberCount).compactMap { ofPoint($0).title }
    guard !names.isEmpty else { return nil }
    let rest = cluster.pointCount - names.count
    let more = rest > 0 ? [moreMembers.map { $0(rest) } ?? "+\(formatted(rest))"] : []
    return ([names.formatted(.list(type: .and, width: .narrow).locale(locale))] + more).joined(separator: ", ")
  }

  /// Returns the title of the point with a given row number, for example in an open stack.
  public func title(ofRow row: Int) -> String? { ofPoint?(row).title }

  /// Returns the subtitle of the point with a given row number.
  public func subtitle(ofRow row: Int) -> String? { ofPoint?(row).subtitle }

  /// Returns the text that VoiceOver reads for a badge.
  ///
  /// - Parameter values: Values of `aggregates`.
  public func accessibilityLabel(of cluster: Cluster, in tree: ClusterTree, values: [AggregateValue] = []) -> String {
    [title(of: cluster, values: values), subtitle(of: cluster, in: tree)].compactMap { $0 }.joined(separator: ", ")
  }

  /// Returns VoiceOver's hint for a badge; nil for a single point. The hint says what a double tap does.
  public func accessibilityHint(of cluster: Cluster) -> String? {
    cluster.pointCount == 1 ? nil : cluster.isStack ? stackHint : clusterHint
  }
}

extension MapFeed {
  /// Creates a feed that computes the aggregates for given texts.
  @_spi(MapLibre) public convenience init(_ tree: ClusterTree?, cut: Cut?, for texts: BadgeTexts) {
    var options = Options()
    options.aggregates = texts.aggregates
    self.init(tree, cut: cut, options: options)
  }
}
