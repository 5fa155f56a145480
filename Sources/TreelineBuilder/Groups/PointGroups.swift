import Treeline

/// The groups of points. Only points of one group may share a cluster.
///
/// ```swift
/// let groups = try PointGroups(["cafe", "bar", "cafe"].map { .named($0) })
/// ```
public struct PointGroups: Hashable, Sendable {
  /// The group of a point.
  public enum Group: Hashable, Sendable {
    /// The group with this name. The group with the empty name is for points without a group name.
    case named(String)
    /// No group at all. The point shares a cluster only with points at its position that also have no group at all.
    case neverClustered
  }

  /// Names in the order of their bytes in UTF-8.
  let names: [String]

  /// Index of each point's group name in `names`. A point that is never clustered has the index `names.count`.
  let numbers: [UInt32]

  /// The names of the groups and their numbers of points.
  var header: TreeGroups {
    var counts = [UInt32](repeating: 0, count: names.count + 1)
    for number in numbers { counts[Int(number)] += 1 }
    return TreeGroups(names: names, pointCounts: counts.dropLast(), neverClustered: counts.last!)
  }

  /// - Parameter names: Names in the order of their bytes, without repetitions.
  init(names: [String], numbers: [UInt32]) { (self.names, self.numbers) = (names, numbers) }

  /// - Parameter groups: The group of each point, in the order of the coordinates.
  /// - Throws: `BuildError.tooManyGroups` for more than 4096 names.
  public init(_ groups: some Sequence<Group>) throws {
    var known = GroupNumbers()
    let numbers = groups.map { group -> UInt32 in
      switch group {
      case .neverClustered: .max
      case .named(let name): known.number(of: name)
      }
    }
    guard known.count <= TreeGroups.maximumCount else { throw BuildError.tooManyGroups(found: known.count) }
    let (names, places) = known.sorted
    self.names = names
    self.numbers = numbers.map { $0 == .max ? UInt32(names.count) : places[Int($0)] }
  }
}
