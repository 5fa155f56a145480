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
    // Names are told apart by their bytes: strings that are equal in Swift may have different ones.
    var known: [[UInt8]: UInt32] = [:]
    var last: (group: Group, number: UInt32)?
    var numbers: [UInt32] = []
    numbers.reserveCapacity(groups.underestimatedCount)
    for group in groups {
      switch group {
      case .neverClustered: numbers.append(.max)
      case .named(let name):
        if let last, case .named(let lastName) = last.group, lastName.utf8.elementsEqual(name.utf8) {
          numbers.append(last.number)
          continue
        }
        let number = known[Array(name.utf8), default: UInt32(known.count)]
        known[Array(name.utf8)] = number
        last = (group, number)
        numbers.append(number)
      }
    }
    guard known.count <= TreeGroups.maximumCount else { throw .tooManyGroups(found: known.count) }
    let sorted = known.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    names = sorted.map { String(decoding: $0.key, as: UTF8.self) }
    var places = [UInt32](repeating: 0, count: sorted.count)
    for (place, entry) in sorted.enumerated() { places[Int(entry.value)] = UInt32(place) }
    self.numbers = numbers.map { $0 == .max ? UInt32(sorted.count) : places[Int($0)] }
  }
}
