import Treeline

/// Builds the nodes over points on the plane: large nodes are split one by one, by whichever thread is free, and what
/// lies below a size is one piece of work.
struct TreeBuilder {
  private let splitter: Splitter
  private let threads: Int

  /// Pieces of work a thread should find at least, so that all end at about the same time.
  private static let piecesPerThread = 16

  init(_ splitter: Splitter, threads: Int) {
    self.splitter = splitter
    self.threads = threads
  }

  /// Brings the points into tree order, notes their gaps, and returns the nodes.
  func build(pointCount: Int) -> NodeArrays {
    let arrays = splitter.arrays
    let box = arrays.box(first: 0, count: pointCount)
    let corner = PlanePoint(x: box.minX, y: box.minY)
    let root = Segment<UInt128>(
      first: 0, moments: arrays.moments(count: pointCount, from: corner, threads: threads), box: box,
      record: 0,
      level: 0)
    let top = TopNode(root)
    let pieceSize = threads == 1 ? pointCount : max(pointCount / (threads * Self.piecesPerThread), 1024)
    WorkQueue([top]).run(threads: threads) { node in
      if node.segment.count > pieceSize, let parts = splitter.split(node.segment) {
        return node.split(parts)
      }
      var nodes = NodeArrays(pointCount: node.segment.count)
      var builder = SubtreeBuilder(splitter)
      builder.build(node.segment, into: &nodes)
      node.content = .subtree(nodes)
      return []
    }
    return top.assembled()
  }
}

/// A node above or at the root of a piece of work. One thread at a time has it.
private final class TopNode: @unchecked Sendable {
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

  func split(_ parts: Splitter.Parts) -> [TopNode] {
    let left = TopNode(parts.left)
    let right = TopNode(parts.right)
    content = .split(spread: parts.spread, left: left, right: right)
    return [left, right]
  }

  /// All nodes in the order in which one thread would have made them.
  func assembled() -> NodeArrays {
    if case .subtree(let nodes) = content { return nodes }
    var nodes = NodeArrays(pointCount: segment.count)
    var stack = [(node: self, record: 0)]
    while let (node, record) = stack.popLast() {
      switch node.content {
      case .unbuilt: preconditionFailure("A piece of work was left undone")
      case .subtree(let subtree): nodes.append(subtree, at: record)
      case .split(let spread, let left, let right):
        var segment = node.segment
        segment.record = record
        let leftRecord = nodes.addChildren(of: segment, spread: spread)
        stack.append((right, leftRecord + 1))
        stack.append((left, leftRecord))
      }
      // The pieces are many and large: each is let go once it is copied.
      node.content = .unbuilt
    }
    return nodes
  }
}

extension NodeArrays {
  /// Puts a subtree's root into a record that awaits it and the rest behind all others.
  fileprivate mutating func append(_ subtree: NodeArrays, at record: Int) {
    records[record] = subtree.records[0]
    if subtree.records[0].childOffset != 0 {
      records[record].childOffset = UInt32(records.count - record)
    }
    records.append(contentsOf: subtree.records.dropFirst())
    sums.append(contentsOf: subtree.sums)
    spreads.append(contentsOf: subtree.spreads)
  }
}

extension PointArrays {
  fileprivate func moments(count: Int, from corner: PlanePoint, threads: Int) -> Moments<UInt128> {
    inChunks(of: count, threads: threads) { range in
      Moments<UInt128>(
        UnsafeBufferPointer(start: points + range.lowerBound, count: range.count), from: corner)
    }.reduce(Moments(), +)
  }
}
