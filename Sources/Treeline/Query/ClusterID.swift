/// The name of a cluster: which node of the tree it is.
///
/// A node is fixed by its first point in tree order and its level, the root being level 0. Both fit one number below
/// 2^53, so ids survive JSON and JavaScript. An id means the same over every viewport, limit and zoom of one tree,
/// and nothing in another tree. Ids compare in tree order, an ancestor before what lies below it.
public struct ClusterID: Hashable, Sendable, RawRepresentable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  init(first: UInt32, level: Int) {
    rawValue = UInt64(first) << Self.levelBits | UInt64(level)
  }

  static let levelBits: UInt64 = 10
  var first: UInt64 { rawValue >> Self.levelBits }
  var level: Int { Int(rawValue & (1 << Self.levelBits - 1)) }
}

extension ClusterID: Comparable {
  public static func < (a: ClusterID, b: ClusterID) -> Bool { a.rawValue < b.rawValue }
}

extension ClusterID: CustomStringConvertible {
  public var description: String { String(rawValue) }
}
