/// The rule that chooses the line by which a node is split. The line is perpendicular, exactly or nearly, to the
/// node's principal axis. All points on the line go to the same side, and both children have points.
public struct SplitRule: Hashable, Sendable {
  /// The kinds of rules. The raw value of a kind is its number in an index. The metrics of merging have numbers, too,
  /// and no kind may have the number of a metric (see `Growth.rawKind`). A new kind is added here, with its name and
  /// description.
  package enum Kind: UInt32, CaseIterable, Sendable {
    case mean = 1
    case leastScatter = 2
    case gamma = 3

    /// The name in options and messages. The name `gamma` is followed by a power.
    package var name: String {
      switch self {
      case .mean: "mean"
      case .leastScatter: "least-scatter"
      case .gamma: "gamma"
      }
    }

    /// A description of the rule. In texts, the description follows the name and a comma.
    fileprivate var summary: String {
      switch self {
      case .mean: "at the mean of a node's points, as in Applidium's article"
      case .leastScatter: "where the two halves have the least total scatter"
      case .gamma: "at a mean that weights each point by distance^(g - 1), for g \(gammaDomain)"
      }
    }

    /// An example of a rule of this kind, for lists that compare all kinds.
    package var example: SplitRule { self == .gamma ? .gamma(1.5) : SplitRule(self) }
  }

  package let kind: Kind

  /// The power of a gamma rule, in eighths; 0 for other kinds.
  package let gammaInEighths: UInt32

  private init(_ kind: Kind, gammaInEighths: UInt32 = 0) { (self.kind, self.gammaInEighths) = (kind, gammaInEighths) }

  /// The default rule of a build: `leastScatter`.
  public static let standard = leastScatter

  /// The split at the mean of a node's points. This is the rule of Applidium's article. Building is fastest with this
  /// rule.
  public static let mean = SplitRule(.mean)

  /// The split after which both halves together have the least scatter. Scatter is the sum of the squared distances of
  /// points to the mean of their half. First the best position along the axis is found. If several positions are
  /// equally good, the first of them along the axis is taken. Then points move to the half whose mean is nearer, as
  /// long as such a move lowers the scatter enough.
  ///
  /// Points lie a tenth closer to their clusters than with `mean`. This compares cuts that split the widest clusters
  /// first and have the same number of clusters. Building takes about twice as long as with `mean`. In the worst case,
  /// if distances double from point to point, building takes five times as long.
  public static let leastScatter = SplitRule(.leastScatter)

  /// Returns a rule that splits at the weighted mean of a node's points. The weight of a point is its distance to the
  /// unweighted mean, raised to `power` - 1. The original library, ADClusterMapView, calls `power` the discrimination
  /// power.
  ///
  /// With a power above 1, outliers pull the line towards themselves and are split off earlier. A power of 1 has the
  /// same effect as `mean`. With a power below 1, the line stays where most points are. Every weight is finite and
  /// above 0. The principal axis is the same as for the other rules. Building takes two to three times as long as with
  /// `mean`.
  ///
  /// - Parameter power: From 0 to 4 in steps of 1/8. Weights with such a power need only square roots, products and
  ///   quotients, which IEEE 754 defines to the last bit. With any other power, weights would depend on the C library.
  ///   So the function traps if it is given any other power.
  public static func gamma(_ power: Double) -> SplitRule {
    guard let rule = SplitRule(gamma: power) else {
      preconditionFailure("Expected a gamma \(gammaDomain), found \(power)")
    }
    return rule
  }

  private init?(gamma power: Double) {
    guard let eighths = UInt32(exactly: power * 8) else { return nil }
    self.init(kind: Kind.gamma.rawValue, gammaInEighths: eighths)
  }

  /// Makes a rule from the numbers in an index; nil if there is no such rule.
  package init?(kind: UInt32, gammaInEighths: UInt32) {
    guard let kind = Kind(rawValue: kind), gammaInEighths <= (kind == .gamma ? Self.mostEighths : 0) else { return nil }
    self.init(kind, gammaInEighths: gammaInEighths)
  }

  private static let mostEighths: UInt32 = 32

  private static let gammaDomain = "from 0 to 4 in steps of 1/8"

  /// A list for messages: `'mean', 'least-scatter' or 'gamma:' and a number from 0 to 4 in steps of 1/8`.
  package static let expectation = Kind.allCases.map {
    "'\($0.name)\($0 == .gamma ? ":' and a number \(gammaDomain)" : "'")"
  }.listed()

  /// A list for help texts: each rule with its description. The standard rule comes first.
  package static let summaries = ([standard.kind] + Kind.allCases.filter { $0 != standard.kind }).map {
    "'\($0.name)\($0 == .gamma ? ":g" : "")', \($0.summary)"
  }
  .joined(separator: "; ")
}

/// The text of a rule: `mean`, `least-scatter` or, for example, `gamma:1.5`.
extension SplitRule: LosslessStringConvertible {
  public init?(_ description: String) {
    if let kind = Kind.allCases.first(where: { $0 != .gamma && $0.name == description }) {
      self.init(kind)
      return
    }
    let prefix = Kind.gamma.name + ":"
    guard description.hasPrefix(prefix), let power = Double(description.dropFirst(prefix.count)) else { return nil }
    self.init(gamma: power)
  }

  public var description: String { kind == .gamma ? "\(kind.name):\(Double(gammaInEighths) / 8)" : kind.name }
}
