import Treeline

/// Builds the nodes over points on the plane: large nodes are split one by one, by whichever thread is free, and what
/// lies below a size is one piece of work.
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
    let box = arrays.box(first: 0, count: pointCount, splitter.monitor)
    let corner = PlanePoint(x: box.minX, y: box.minY)
    let root = Segment<UInt128>(
      first: 0, moments: arrays.moments(count: pointCount, from: corner, threads: threads, splitter.monitor),
      box: box, record: 0, level: 0)
    let top = TopNode(root)
    let pieceSize = threads == 1 ? pointCount : max(pointCount / (threads * Self.piecesPerThread), 1024)
    WorkQueue([top]).run(threads: threads) { node in
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
}

extension PointArrays {
  fileprivate func moments(
    count: Int, from corner: PlanePoint, threads: Int, _ monitor: BuildMonitor
  ) -> Moments<UInt128> {
    inChunks(of: count, threads: threads) { range in
      moments(first: range.lowerBound, count: range.count, from: corner, monitor)
    }.reduce(Moments(), +)
  }
}
