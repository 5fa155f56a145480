import Treeline

/// Builds the nodes over points on the plane. A node of so many points that the others leave a thread with nothing to do is
/// split by all threads together; smaller ones are split by whichever thread is free, and what lies below a size is one
/// piece of work.
struct TreeBuilder<Place: CutPlace> {
  private let splitter: Splitter<Place>
  private let threads: Int

  /// Pieces of work a thread should find at least, so that all end at about the same time.
  private static var piecesPerThread: Int { 16 }

  init(_ splitter: Splitter<Place>, threads: Int) {
    self.splitter = splitter
    self.threads = threads
  }

  /// Brings the points into tree order, notes their gaps, and returns the nodes. Of no use once the build is cancelled.
  func build(pointCount: Int) -> TopNode {
    let arrays = splitter.arrays
    let box = arrays.box(first: 0, count: pointCount, threads: threads, splitter.monitor)
    let corner = PlanePoint(x: box.minX, y: box.minY)
    let root = Segment<UInt128>(
      first: 0,
      moments: arrays.moments(first: 0, count: pointCount, from: corner, threads: threads, splitter.monitor),
      box: box, record: 0, level: 0)
    let top = TopNode(root)
    let pieceSize = threads == 1 ? pointCount : max(pointCount / (threads * Self.piecesPerThread), 1024)
    WorkQueue(splitLargest(top, pieceSize)).run(threads: threads) { node in
      if splitter.monitor.isCancelled { return [] }
      if node.segment.count > pieceSize, let parts = splitter.split(node.segment) {
        return node.split(parts)
      }
      var nodes = NodeArrays(pointCount: node.segment.count)
      var builder = SubtreeBuilder(splitter)
      builder.build(node.segment, into: &nodes)
      node.content = .subtree(nodes)
      return []
    }
    return top
  }

  /// Splits nodes by all threads together as long as one has more points than there are for each thread: as where
  /// splits leave most of the points on one side.
  ///
  /// - Returns: what is left to do.
  private func splitLargest(_ top: TopNode, _ pieceSize: Int) -> [TopNode] {
    // One thread would find the places, and the others had better split smaller nodes meanwhile.
    if Place.looksAtPoints { return [top] }
    let most = max(top.segment.count / threads, pieceSize)
    var (large, small) = ([top], [TopNode]())
    while let node = large.popLast() {
      if node.segment.count > most, let parts = splitter.split(node.segment, threads: threads) {
        large += node.split(parts)
      } else {
        small.append(node)
      }
    }
    return small
  }
}
