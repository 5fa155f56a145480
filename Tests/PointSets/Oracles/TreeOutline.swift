import Treeline

/// A whole tree as its public navigation shows it, each cluster with the indices of its children, for comparison with
/// definitions. It takes O(nodes x depth) and is meant for small trees.
public struct TreeOutline: Sendable {
  public struct Entry: Sendable {
    public var cluster: Cluster
    public var level: Int
    public var parent: Int?
    /// None or two, as indices in `entries`.
    public var children: [Int]
  }

  public let tree: ClusterTree
  /// Every cluster, each before its descendants, left before right.
  public private(set) var entries: [Entry] = []

  public init(_ tree: ClusterTree) throws {
    self.tree = tree
    var stack: [(cluster: Cluster, level: Int, parent: Int?)] = []
    if let root = tree.root { stack.append((root, 0, nil)) }
    while let (cluster, level, parent) = stack.popLast() {
      if let parent { entries[parent].children.append(entries.count) }
      for child in try tree.children(of: cluster.id).reversed() { stack.append((child, level + 1, entries.count)) }
      entries.append(Entry(cluster: cluster, level: level, parent: parent, children: []))
    }
  }

  public var leaves: [Entry] { entries.filter { $0.children.isEmpty } }

  public var depth: Int { entries.reduce(0) { max($0, $1.level) } }
}
