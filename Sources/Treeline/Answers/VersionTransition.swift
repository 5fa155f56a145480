/// The changes between an answer of one map and an answer of another map of the same things. The two maps may be
/// versions of an edited map; see `ClusterMap.updating(inserting:removing:moving:)`.
///
/// Clusters of two maps are compared by the keys of their points. A point that has moved has the same key in both
/// maps. A cluster of the first answer can be matched with a cluster of the second answer if the two clusters have
/// points in common. Pairs with the most points in common are matched first. A cluster may be matched with several
/// clusters. Each of these several clusters is then matched only with this one cluster. If two clusters are matched,
/// the cluster of the second answer *continues* the cluster of the first answer.
///
/// Every cluster of both answers occurs exactly once in `kept`, `changes`, `entered` and `exited`. A transition in the
/// opposite direction matches the same clusters, so an edit that is undone looks like the edit in reverse.
///
/// ```swift
/// let later = try vehicles.updating(inserting: [bus], removing: [tram.id])
/// let transition = VersionTransition(
///   from: try vehicles.clusters(cut, in: view), to: try later.clusters(cut, in: view))
/// ```
public struct VersionTransition: Sendable {
  /// Clusters of the first answer, and the clusters of the second answer that continue these clusters. At least one of
  /// `before` and `after` has exactly one cluster.
  public struct Change: Sendable {
    /// Clusters of the first answer, in tree order.
    public let before: Clusters
    /// Clusters of the second answer, in tree order.
    public let after: Clusters

    /// Number of points that are in a cluster of `before` and in a cluster of `after`.
    let commonPointCount: Int
    /// Number of points in `before` that the second map does not have.
    public let removedPointCount: Int
    /// Number of points in `after` that the first map does not have.
    public let insertedPointCount: Int
    /// Number of *left* points: points in `before` that are also in the second map, but in no cluster of `after`.
    let leftPointCount: Int
    /// Number of *joined* points: points in `after` that are also in the first map, but in no cluster of `before`.
    ///
    /// Every point in `before` is a common, removed or left point. Every point in `after` is a common, inserted or
    /// joined point.
    let joinedPointCount: Int
  }

  /// The clusters of the second answer whose points are exactly the points of a cluster of the first answer.
  public let kept: Clusters

  /// For each cluster of `kept`, the cluster of the first answer that has the same points.
  public let keptBefore: Clusters

  /// The clusters that have changed: some gained or lost points, some were split, and some were merged.
  public let changes: [Change]

  /// The clusters of the second answer that do not continue any cluster of the first answer.
  public let entered: Clusters

  /// The clusters of the first answer that are not continued by any cluster of the second answer.
  public let exited: Clusters

  /// Finds the changes between any two answers, of different maps or of the same map. Two values count as the same
  /// value if they have the same id.
  ///
  /// - Complexity: O(n + k log k) for n values of both maps and k clusters in both answers.
  public init<Value: Identifiable & Sendable>(
    from first: ClusterMap<Value>.Results, to second: ClusterMap<Value>.Results
  ) { self.init(from: first, to: second, by: \.id) }

  /// Finds the changes between any two answers. Values are compared by a given key.
  ///
  /// - Parameter key: The key of a value. If several values of a map have the same key, only one of these values is
  ///   matched.
  /// - Complexity: O(n + k log k) for n values of both maps and k clusters in both answers.
  public init<Value: Sendable, Key: Hashable>(
    from first: ClusterMap<Value>.Results, to second: ClusterMap<Value>.Results, by key: KeyPath<Value, Key>
  ) {
    self.init(
      VersionComparison(first.clusters, second.clusters, keys: { $0[keyPath: key] }, first.values, second.values),
      first.clusters, second.clusters)
  }

  /// Finds the changes between answers of two versions of an edited map. The values of the map are not needed.
  ///
  /// A value that was removed and later inserted again counts as a new value.
  ///
  /// - Returns: The changes; nil if neither tree knows the other tree as an earlier version of the map. Each version
  ///   knows the 256 versions before it. Only a ``ClusterMap`` that was built from its values has versions:
  ///   `updating(inserting:removing:moving:)` and `LiveMap` make them. The result is nil for maps that were built
  ///   separately, even from the same values. It is always nil for a ``ClusterTree`` that was built or opened without a
  ///   map. For maps, use ``init(from:to:by:)`` instead.
  /// - Complexity: O(p log e + k log k), if both answers have p points and k clusters, and e points were edited.
  public init?(from first: Clusters, to second: Clusters) {
    if let changes = second.tree.rowChanges(since: first.tree) {
      self.init(VersionComparison(first, second, after: changes.rowAfter, before: changes.rowBefore), first, second)
    } else if let changes = first.tree.rowChanges(since: second.tree) {
      self.init(VersionComparison(first, second, after: changes.rowBefore, before: changes.rowAfter), first, second)
    } else {
      return nil
    }
  }

  private init(_ comparison: VersionComparison, _ first: Clusters, _ second: Clusters) {
    var comparison = comparison
    comparison.match()
    let stars = comparison.stars
    let kept = stars.filter(\.isKept)
    self.kept = second.with(kept.map { second.nodes[$0.after[0]] })
    keptBefore = first.with(kept.map { first.nodes[$0.before[0]] })
    self.changes = stars.filter { !$0.isKept && !$0.before.isEmpty && !$0.after.isEmpty }.map { star in
      Change(
        before: first.with(star.before.map { first.nodes[$0] }),
        after: second.with(star.after.map { second.nodes[$0] }),
        commonPointCount: star.commonCount, removedPointCount: star.removedCount,
        insertedPointCount: star.insertedCount, leftPointCount: star.beforeCount - star.commonCount - star.removedCount,
        joinedPointCount: star.afterCount - star.commonCount - star.insertedCount)
    }
    entered = second.with(stars.filter(\.before.isEmpty).map { second.nodes[$0.after[0]] })
    exited = first.with(stars.filter(\.after.isEmpty).map { first.nodes[$0.before[0]] })
  }
}

extension [RowChange] {
  /// Returns the number that a row has after all changes; nil if a change removes the row.
  fileprivate func rowAfter(_ row: Int) -> Int? {
    reduce(Optional(row)) { row, change in row.flatMap { change.row(after: $0) } }
  }

  /// Returns the number that a row had before all changes; nil if a change inserts the row.
  fileprivate func rowBefore(_ row: Int) -> Int? {
    reversed().reduce(Optional(row)) { row, change in row.flatMap { change.row(before: $0) } }
  }
}

/// Compares the clusters of two answers. Clusters that have points in common are matched with each other.
private struct VersionComparison {
  /// A cluster of one answer, and the clusters of the other answer that are matched with this cluster. All clusters
  /// are stored as indices in the answers.
  struct Star {
    var before: [Int] = []
    var after: [Int] = []
    var commonCount = 0
    var beforeCount = 0
    var afterCount = 0
    var removedCount = 0
    var insertedCount = 0

    /// Whether the star has one cluster of each answer, and both clusters have the same points.
    var isKept: Bool {
      before.count == 1 && after.count == 1 && commonCount == beforeCount && commonCount == afterCount
    }
  }

  /// The result of `match()`. A star has matched clusters, or one cluster without a match. Each cluster of both
  /// answers is in exactly one star. The stars are in the order of their first clusters in the second answer. Stars
  /// without a cluster in the second answer come last.
  private(set) var stars: [Star] = []

  private struct Pair {
    let before: Int
    let after: Int
    var count: Int
  }

  /// Pairs of clusters with points in common.
  private var pairs: [Pair] = []
  private var removedCounts: [Int]
  private var insertedCounts: [Int]
  private let pointCounts: (before: [Int], after: [Int])
  /// Whether pairs with equally many points in common are matched in the order of the first answer, not of the second
  /// answer. The opposite comparison has the opposite value, so it matches the same pairs.
  private let isInOrderOfFirst: Bool

  private init(_ first: Clusters, _ second: Clusters) {
    pointCounts = (first.map(\.pointCount), second.map(\.pointCount))
    isInOrderOfFirst = Self.places(of: second).lexicographicallyPrecedes(Self.places(of: first))
    removedCounts = Array(repeating: 0, count: first.count)
    insertedCounts = Array(repeating: 0, count: second.count)
  }

  private static func places(of clusters: Clusters) -> [Double] {
    clusters.flatMap { [Double($0.pointCount), $0.coordinate.longitude, $0.coordinate.latitude] }
  }

  /// Compares two versions of a map.
  ///
  /// - Parameters:
  ///   - rowAfter: Converts the row of a point in the first tree to its row in the second tree. Returns nil if the
  ///     second tree does not have the point.
  ///   - rowBefore: Converts the row of a point in the second tree to its row in the first tree. Returns nil if the
  ///     first tree does not have the point.
  init(
    _ first: Clusters, _ second: Clusters, after rowAfter: (Int) -> Int?, before rowBefore: (Int) -> Int?
  ) {
    self.init(first, second)
    // Maps each row of the first answer to the index of its cluster. Rows that the second tree does not have are left
    // out.
    var numbers = [Int: Int](minimumCapacity: pointCounts.before.reduce(0, +))
    for (number, cluster) in first.enumerated() {
      for row in first.tree.members(of: cluster) {
        if rowAfter(row) == nil {
          removedCounts[number] += 1
        } else {
          numbers[row] = number
        }
      }
    }
    for (after, cluster) in second.enumerated() {
      var counts: [Int: Int] = [:]
      for row in second.tree.members(of: cluster) {
        if let old = rowBefore(row) {
          if let before = numbers[old] { counts[before, default: 0] += 1 }
        } else {
          insertedCounts[after] += 1
        }
      }
      pairs += counts.map { Pair(before: $0.key, after: after, count: $0.value) }
    }
  }

  /// Compares any two maps by the keys of their values.
  init<Value, Key: Hashable>(
    _ first: Clusters, _ second: Clusters, keys key: (Value) -> Key, _ firstValues: [Value], _ secondValues: [Value]
  ) {
    self.init(first, second)
    // Maps the key of each value in the first answer to the index of the cluster that contains the value. A key is
    // removed when a value with this key is found in the second answer.
    var before = [Key: Int](minimumCapacity: pointCounts.before.reduce(0, +))
    for (number, cluster) in first.enumerated() {
      for row in first.tree.members(of: cluster) { before[key(firstValues[row])] = number }
    }
    var after: [Key: Int] = [:]
    for (number, cluster) in second.enumerated() {
      var counts: [Int: Int] = [:]
      for row in second.tree.members(of: cluster) {
        let key = key(secondValues[row])
        if let before = before.removeValue(forKey: key) {
          counts[before, default: 0] += 1
        } else {
          after[key] = number
        }
      }
      pairs += counts.map { Pair(before: $0.key, after: number, count: $0.value) }
    }
    // Each key that remains in `before` or `after` is in only one of the two answers. The map of the other answer may
    // still have a value with this key, outside the answer. Such a value was neither removed nor inserted, so its key
    // is dropped. Then only the keys of removed and inserted points are left.
    if !before.isEmpty { for value in secondValues { before[key(value)] = nil } }
    if !after.isEmpty { for value in firstValues { after[key(value)] = nil } }
    for number in before.values { removedCounts[number] += 1 }
    for number in after.values { insertedCounts[number] += 1 }
  }

  /// Matches clusters and stores the matches as stars. Pairs of clusters with more points in common are matched first.
  mutating func match() {
    pairs.sort { a, b in
      if a.count != b.count { return a.count > b.count }
      return isInOrderOfFirst ? (a.before, a.after) < (b.before, b.after) : (a.after, a.before) < (b.after, b.before)
    }
    var starsBefore = [Int?](repeating: nil, count: removedCounts.count)
    var starsAfter = [Int?](repeating: nil, count: insertedCounts.count)
    for pair in pairs {
      switch (starsBefore[pair.before], starsAfter[pair.after]) {
      case (nil, nil):
        (starsBefore[pair.before], starsAfter[pair.after]) = (stars.count, stars.count)
        stars.append(Star(before: [pair.before], after: [pair.after], commonCount: pair.count))
      case (nil, let star?) where stars[star].after.count == 1:
        starsBefore[pair.before] = star
        stars[star].before.append(pair.before)
        stars[star].commonCount += pair.count
      case (let star?, nil) where stars[star].before.count == 1:
        starsAfter[pair.after] = star
        stars[star].after.append(pair.after)
        stars[star].commonCount += pair.count
      default: break
      }
    }
    stars += starsBefore.indices.filter { starsBefore[$0] == nil }.map { Star(before: [$0]) }
    stars += starsAfter.indices.filter { starsAfter[$0] == nil }.map { Star(after: [$0]) }
    for index in stars.indices {
      stars[index].before.sort()
      stars[index].after.sort()
      stars[index].beforeCount = stars[index].before.reduce(0) { $0 + pointCounts.before[$1] }
      stars[index].afterCount = stars[index].after.reduce(0) { $0 + pointCounts.after[$1] }
      stars[index].removedCount = stars[index].before.reduce(0) { $0 + removedCounts[$1] }
      stars[index].insertedCount = stars[index].after.reduce(0) { $0 + insertedCounts[$1] }
    }
    let end = insertedCounts.count
    stars.sort { ($0.after.first ?? end, $0.before.first ?? 0) < ($1.after.first ?? end, $1.before.first ?? 0) }
  }
}
