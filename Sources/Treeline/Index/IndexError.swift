/// What is wrong with an index whose bytes are not those that the builder wrote.
public enum IndexError: Error, Hashable, Sendable {
  /// A node record contradicts the records around it.
  case damagedNode(record: Int, reason: NodeDamage)

  public enum NodeDamage: String, Hashable, Sendable {
    case childOutside = "children within the node section"
    case countsDisagree = "children whose point counts add up to the node's"
    case bucketOverfull = "a bucket of no more points than a bucket holds"
  }
}

extension IndexError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .damagedNode(let record, let reason):
      "the index is damaged at node record \(record): expected \(reason.rawValue); build it anew"
    }
  }
}
