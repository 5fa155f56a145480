import Treeline

/// A node above or at the root of a piece of work. One thread at a time has it.
final class TopNode: @unchecked Sendable {
  enum Content {
    case unbuilt
    case subtree(NodeArrays)
    case split(spread: NodeSpread, left: TopNode, right: TopNode)
  }

  let segment: Segment<UInt128>
  var content = Content.unbuilt

  init(_ segment: Segment<UInt128>) {
    self.segment = segment
  }

  func split(_ parts: SplitSegment) -> [TopNode] {
    let left = TopNode(parts.left)
    let right = TopNode(parts.right)
    content = .split(spread: parts.spread, left: left, right: right)
    return [left, right]
  }

  /// Lets all go that lies below.
  func removeAll() {
    var stack = [self]
    while let node = stack.popLast() {
      if case .split(_, let left, let right) = node.content { stack += [left, right] }
      node.content = .unbuilt
    }
  }

  /// How many node records there are from here on down.
  var recordCount: Int {
    var count = 0
    var stack = [self]
    while let node = stack.popLast() {
      switch node.content {
      case .unbuilt: preconditionFailure("A piece of work was left undone")
      case .subtree(let nodes): count += nodes.records.count
      case .split(_, let left, let right):
        count += 1
        stack += [right, left]
      }
    }
    return count
  }
}
