import Treeline

/// All clusters of a tree, found by its public navigation, for comparison with definitions. Each cluster has the
/// indices of its children. Takes O(nodes x depth) steps, so this type is only for small trees.
public struct TreeOutline: Sendable {
  public struct Entry: Sendable {
    public var cluster: Cluster
    public var level: Int
    public var parent: Int?
    /// Indices of the children in `entries`: none or two.
    public var children: [Int]
  }

  public let tree: ClusterTree
  /// All clusters. Each cluster comes before its descendants, and the left child comes before the right child.
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
