import Foundation
import Synchronization
import Testing
@_spi(Server) @testable import Treeline

/// Checks trees that only a damaged file can contain. They are as deep as a level can count, or deeper.
@Suite struct DeepTreeTests {
  /// The search for a point in a node is recursive. Checks that it fits the smallest stack that a thread may have.
  @Test func deepestTreeFitsASmallStack() throws {
    let index = IndexBytes(try HandmadeTree.chain(levels: 1008).tree().indexBytes())
    let tree = try index.open()
    // The window contains no side of any box, so the search visits every node down to the last one.
    let window = PlaneWindow(x: 5, width: 100, minY: 5, maxY: 100)
    let found = Mutex<Result<Int, any Error>?>(nil)
    let thread = Thread {
      let answer = Result { try tree.clusters(.limit(10), in: window).count }
      found.withLock { $0 = answer }
    }
    thread.stackSize = 256 << 10
    thread.start()
    while !thread.isFinished { usleep(1000) }
    #expect(try found.withLock { $0 }?.get() == 0)
  }

  @Test func deeperTreeIsAnError() throws {
    let index = IndexBytes(try HandmadeTree.chain(levels: 1100).tree().indexBytes())
    let tree = try index.open()
    let error = #expect(throws: IndexError.self) { _ = try tree.shape() }
    #expect("\(try #require(error))".contains("expected a tree of at most 1023 levels"))
    #expect(try !index.problems().isEmpty)
  }

  /// The levels of all clusters fit into their ids. Checks that no two clusters of an answer have the same id.
  @Test func idsAreUniqueToTheDeepestLevel() throws {
    let tree = try IndexBytes(HandmadeTree.chain(levels: 1008).tree().indexBytes()).open()
    let ids = try tree.clusters(.limit(.max), in: PlaneWindow.everything).map(\.id)
    #expect(ids.count > 1000 && Set(ids).count == ids.count)
  }
}
