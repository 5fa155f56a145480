import CLibrary
import Treeline

/// Queries one open index from many threads at once. `scripts/check/threads` builds this program with the thread
/// sanitizer, which ends the process if two threads conflict.
@main enum ConcurrentQueries {
  private static let threadCount = 8
  private static let queryCount = 300

  static func main() throws {
    let tree = try ClusterTree(contentsOfFile: CommandLine.arguments[1])
    try ask(tree)
    // A filter creates data on its first use. Here all threads make this first use at the same time.
    let filter = try Filter("country IN ('US', 'FR', 'DE', 'IN') OR name LIKE '%a%'")
    try ask(try tree.filtered(by: filter), alone: answers(of: try tree.filtered(by: filter)))
  }

  private static func ask(_ tree: ClusterTree, alone: [Int]? = nil) throws {
    let alone = try alone ?? answers(of: tree)
    let workers = (0..<threadCount).map { _ in Worker(tree) }
    for worker in workers { worker.start() }
    for worker in workers {
      guard worker.join() == alone else { fatalError("Expected the answer of one thread, found another") }
    }
    print("\(threadCount) threads gave the same \(alone.count) answers")
  }

  private static let aggregates: [Aggregate] = [
    .count("name"), .top(2, of: "country"), .max("population"), .distinct("country"),
  ]

  static func answers(of tree: ClusterTree) throws -> [Int] {
    try (0..<queryCount).map { query in
      let point = tree.position(atTreeIndex: query * 7919 % tree.pointCount)
      let reach: UInt32 = .max >> UInt32(query % 24)
      let window = PlaneWindow(
        x: point.x &- reach / 2, width: reach, minY: point.y - min(point.y, reach / 2),
        maxY: point.y + min(.max - point.y, reach / 2))
      var answer = 0
      let clusters = try tree.clusters(.limit(20), in: window)
      for values in try clusters.values(of: aggregates) {
        for value in values { for byte in "\(value)".utf8 { answer = answer &* 31 &+ Int(byte) } }
      }
      for cluster in clusters {
        answer = answer &* 31 &+ Int(cluster.id.rawValue) &+ tree.members(of: cluster).reduce(0, &+)
        answer = answer &* 31 &+ Int(cluster.meanX.bitPattern >> 8)
        answer = answer &* 31 &+ tree.attributes(atTreeIndex: cluster.range.lowerBound).count { $0.value != .null }
        answer = try answer &* 31 &+ tree.ancestors(of: cluster.id).count
      }
      return answer
    }
  }
}

/// A thread of the operating system. The sanitizer recognizes such threads.
private final class Worker {
  private let tree: ClusterTree
  private var answers: [Int] = []
  #if canImport(Darwin)
    private var thread: pthread_t?
  #else
    private var thread = pthread_t()
  #endif

  init(_ tree: ClusterTree) { self.tree = tree }

  func start() {
    let worker = Unmanaged.passRetained(self).toOpaque()
    let status = pthread_create(
      &thread, nil,
      { worker in
        #if canImport(Darwin)
          let object = Unmanaged<Worker>.fromOpaque(worker).takeRetainedValue()
        #else
          let object = Unmanaged<Worker>.fromOpaque(worker!).takeRetainedValue()
        #endif
        object.answers = (try? ConcurrentQueries.answers(of: object.tree)) ?? []
        return nil
      }, worker)
    precondition(status == 0, "No thread could be started: \(status)")
  }

  func join() -> [Int] {
    #if canImport(Darwin)
      pthread_join(thread!, nil)
    #else
      pthread_join(thread, nil)
    #endif
    return answers
  }
}
