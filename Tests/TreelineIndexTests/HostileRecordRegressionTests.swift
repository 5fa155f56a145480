import Testing
@_spi(Server) @testable import Treeline
@testable import TreelinePages

/// Checks damaged records that once crashed the process. The checksums do not reveal the damage. Each query must end
/// in an answer or in a typed error.
@Suite struct HostileRecordRegressionTests {
  @Test(arguments: Damage.all) func damageEndsInAnAnswerOrATypedError(_ damage: Damage) throws {
    _ = IndexExercise(try damage.damaged().repaired(), queries: 100)
  }

  @Test(arguments: Damage.all) func verificationReportsIt(_ damage: Damage) throws {
    let index = try damage.damaged().repaired()
    do throws(IndexError) {
      // The content hash also detects most of this damage, but not where the damage is.
      let problems = try index.problems().filter { $0.location != "content hash" }
      #expect(!problems.isEmpty)
    } catch { #expect("\(error)".contains("expected")) }
  }

  /// Guards against an old fault: the rows and columns of cells of a box were computed with arithmetic that traps.
  @Test func publishingBoxesWithoutTheirPointsEndsInPages() throws {
    let sizes = PageSizes(
      points: [100], nodePoints: [18], leastCode: [1], pairs: [5], parts: [4], listed: 10, values: 100, fileBytes: 3000)
    for index in [TestIndex.nodes, .tiny] {
      for edge in [IndexEditor.NodeField.minX, .minY, .maxX, .maxY] {
        for value in [0, 1 << 31, UInt32.max] {
          var editor = try IndexEditor(index)
          for record in 0..<editor.header.nodeCount { editor.set(edge, ofRecord: record, to: value) }
          let pages = PageMemory()
          _ = try PagePublisher(editor.repaired().open(), contentHash: 0, sizes: sizes).write(to: pages, threads: 1)
          #expect(pages.byteCount > 0)
        }
      }
    }
  }

  /// Guards against an old fault: the sums of a node's children were read before anything had checked that the children
  /// exist.
  @Test func nodeAtTheLimitIsCheckedBeforeItsSumsAreRead() throws {
    var editor = try IndexEditor(TestIndex.nodes)
    let record = editor.record(isStored: true)
    editor.set(.childOffset, ofRecord: record, to: 0x00FF_FFFF)
    let tree = try editor.repaired().open()
    let error = #expect(throws: IndexError.self) {
      _ = try tree.clusters(.limit(record == 1 ? 2 : 3), in: PlaneWindow.everything)
    }
    guard case .damagedNode(_, record, let offset, let expected, _)? = error else {
      Issue.record("found \(String(describing: error))")
      return
    }
    #expect(offset == UInt64(editor.offset(of: .nodes) + 24 * record) && expected.hasPrefix("children within"))
  }

  /// Guards against an old fault: the width of a box that is inside out was a negative difference, which traps.
  @Test func boxInsideOutTrapsNowhere() {
    let box = PlaneRect(minX: 9, minY: 9, maxX: 1, maxY: 1)
    #expect(!PlaneWindow(x: 20, width: 5, minY: 0, maxY: 5).contains(box))
    _ = PlaneWindow(x: 2, width: 5, minY: 0, maxY: 20).intersects(box)
  }

  /// Guards against an old fault: the paths to a bucket had different lengths. The difference of the levels was
  /// negative, which trapped in verification.
  @Test func bucketOfTwoParentsIsReported() throws {
    let index = IndexBytes(try HandmadeTree.sharedBucket.tree().indexBytes())
    #expect(try !index.problems().isEmpty)
    _ = IndexExercise(index, queries: 100)
  }

  /// Guards against an old fault: the points of a bucket lay outside its box. So their mean lay outside the box, too,
  /// and was not a valid position.
  @Test func meanOfABucketIsInItsBoxWhereverItsPointsAre() throws {
    var editor = try IndexEditor(TestIndex.tiny)
    for (edge, value) in [
      (IndexEditor.NodeField.minX, 4_000_000_000), (.minY, 4_000_000_000), (.maxX, 4_200_000_000),
      (.maxY, 4_200_000_000),
    ] as [(IndexEditor.NodeField, UInt32)] { editor.set(edge, ofRecord: 0, to: value) }
    let root = try #require(try editor.repaired().open().root)
    #expect((4e9...4.2e9).contains(root.meanX) && (4e9...4.2e9).contains(root.meanY))
  }
}
