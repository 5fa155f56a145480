/// The reason why a file cannot be opened as an index, or a description of the file's damage. Each case names the
/// file.
public enum IndexError: Error, Hashable, Sendable {
  /// The file cannot be opened or mapped.
  @_spi(Server) case unopenable(path: String, reason: String)
  /// The file does not begin like an index.
  @_spi(Server) case notAnIndex(path: String, found: String)
  /// The index is of a version that this reader does not know.
  @_spi(Server) case unknownVersion(path: String, major: UInt16, minor: UInt16)
  /// The index requires a section that this reader does not know.
  @_spi(Server) case unknownSection(path: String, kind: UInt32)
  /// The bytes at an offset contradict the format or the rest of the file.
  @_spi(Server) case malformed(path: String, offset: UInt64, expected: String, found: String)
  /// A node record is not valid, or contradicts other node records. The record is given by its number and by its
  /// offset in the file. The root's record has number 0.
  @_spi(Server) case damagedNode(path: String, record: Int, offset: UInt64, expected: String, found: String)
}

extension IndexError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unopenable(let path, let reason): "\(path): cannot be opened: \(reason)"
    case .notAnIndex(let path, let found):
      "\(path): expected an index, which begins with the bytes 89 54 52 4C 0D 0A 1A 0A, found \(found); "
        + "make an index with 'treelinemap build'"
    case .unknownVersion(let path, let major, let minor):
      "\(path): expected an index of version \(IndexHeader.majorVersion), found version \(major).\(minor); "
        + "build it again or use a later version of Treeline"
    case .unknownSection(let path, let kind):
      "\(path): the index needs section kind \(kind), which this version of Treeline does not know; use a later version"
    case .malformed(let path, let offset, let expected, let found):
      "\(path): the index is damaged at byte \(offset): expected \(expected), found \(found); build it again"
    case .damagedNode(let path, let record, let offset, let expected, let found):
      "\(path): the index is damaged at byte \(offset), node record \(record): expected \(expected), "
        + "found \(found); build it again"
    }
  }
}

/// Functions that make errors about damaged records. These functions are never inlined, so that the loops that check
/// records stay small.
extension TreeStorage {
  @inline(never) func childOutside(_ record: UInt32) -> IndexError {
    damage(
      record, expected: "children within the node section, with the left child at an odd record",
      found: "child offset \(nodes[Int(record)].childOffset) among \(nodeCount) records")
  }

  @inline(never) func tooDeep(_ record: UInt32) -> IndexError {
    damage(
      record, expected: "a tree of at most \(TreeStorage.maximumLevel) levels",
      found: "stored children at level \(Bucket.maximumLevel + 1)")
  }

  @inline(never) func countsDisagree(_ record: UInt32) -> IndexError {
    let left = leftChild(of: record)
    return damage(
      record, expected: "children whose point counts add up to the count of the node",
      found: "a count of \(nodes[Int(record)].count), "
        + "and children of \(nodes[left].count) and \(nodes[left + 1].count)")
  }

  @inline(never) func bucketOverfull(_ record: UInt32) -> IndexError {
    damage(
      record,
      expected: "a bucket of at most \(NodeRecord.bucketCapacity) points (any number if all are at one position)",
      found: "\(nodes[Int(record)].count) points in \(nodes[Int(record)].box)")
  }

  private func damage(_ record: UInt32, expected: String, found: String) -> IndexError {
    .damagedNode(
      path: name, record: Int(record), offset: nodesOffset + UInt64(record) * UInt64(MemoryLayout<NodeRecord>.stride),
      expected: expected, found: found)
  }
}
