import Treeline

/// Which points may share a cluster: those of one group.
///
/// ```swift
/// let groups = try PointGroups(["cafe", "bar", "cafe"].map { .named($0) })
/// ```
public struct PointGroups: Hashable, Sendable {
  /// What a point belongs to.
  public enum Group: Hashable, Sendable {
    /// The points of this name, in whose clusters it may be. Those without a group share one whose name is empty.
    case named(String)
    /// It is never in a cluster, unless others that never are have its very position.
    case neverClustered
  }

  /// In the order of their bytes in UTF-8.
  let names: [String]

  /// For each point the number of its name, and behind those of all names that of points that are never clustered.
  let numbers: [UInt32]

  /// - Parameter groups: That of each point, in the order of their coordinates.
  /// - Throws: `BuildError.tooManyGroups` for more than 4096 names.
  public init(_ groups: some Sequence<Group>) throws(BuildError) {
    var known = GroupNumbers()
    let numbers = groups.map { group -> UInt32 in
      switch group {
      case .neverClustered: .max
      case .named(let name): known.number(of: name)
      }
    }
    guard known.count <= TreeGroups.maximumCount else { throw .tooManyGroups(found: known.count) }
    let (names, places) = known.sorted
    self.names = names
    self.numbers = numbers.map { $0 == .max ? UInt32(names.count) : places[Int($0)] }
  }
}
