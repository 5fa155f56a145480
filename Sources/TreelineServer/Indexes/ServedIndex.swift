import GridBaseline
import Synchronization
import Treeline
@_spi(Server) import TreelineComparison
import TreelineFormats

/// What was under a name at some moment: an index, mapped into memory, and what is found of it once and kept.
///
/// It never changes. Whoever answers a request holds on to it until that is done, whatever takes its name meanwhile.
public final class ServedIndex: Sendable {
  public let name: String
  public let tree: ClusterTree

  /// The index's checksum in hexadecimal digits: two files that share it are the same.
  public let version: String

  let mark: FileMark?
  let features: FeatureCollectionWriter
  let transitions: TransitionWriter
  private let foundGrid = Mutex<Grid?>(nil)
  private let foundPlaces = Mutex<[UInt64]?>(nil)

  /// - Throws: `IndexError`
  init(name: String, path: String) throws {
    // Header and tree are read one after the other, so the file must be the same before and after.
    var (header, tree, mark): (IndexHeader, ClusterTree, FileMark?)
    repeat {
      mark = FileMark(path: path)
      header = try IndexHeader(ofIndex: path)
      tree = try ClusterTree(index: path)
    } while mark != FileMark(path: path)
    self.name = name
    self.tree = tree
    self.mark = mark
    let digits = String(header.checksum, radix: 16)
    version = String(repeating: "0", count: 16 - digits.count) + digits
    features = FeatureCollectionWriter(plane: tree.plane)
    transitions = TransitionWriter(plane: tree.plane)
  }

  /// The grid over its points, made when it is first asked for.
  ///
  /// - Complexity: O(points) once, for which others wait.
  var grid: Grid {
    foundGrid.withLock { found in
      if let found { return found }
      let grid = Grid(over: tree)
      found = grid
      return grid
    }
  }

  // No waiting for whoever is about to find them.
  var hasGrid: Bool { foundGrid.withLockIfAvailable { $0 != nil } ?? false }
  var hasPlaces: Bool { foundPlaces.withLockIfAvailable { $0 != nil } ?? false }

  /// Where a row stands in tree order; nil where there is none.
  ///
  /// - Complexity: O(log points), but O(points log points) once, for which others wait.
  func place(ofRow row: Int) -> Int? {
    guard let row = UInt32(exactly: row) else { return nil }
    return foundPlaces.withLock { found in
      let places = found ?? placesByRow()
      found = places
      var (low, high) = (0, places.count)
      while low < high {
        let middle = (low + high) / 2
        if places[middle] >> 32 < UInt64(row) { low = middle + 1 } else { high = middle }
      }
      return low < places.count && places[low] >> 32 == UInt64(row) ? Int(places[low] & 0xFFFF_FFFF) : nil
    }
  }

  /// Rows in their order, each above its place. There may be more rows than points, for not all have a position.
  private func placesByRow() -> [UInt64] {
    (0..<tree.pointCount).map { UInt64(tree.row(atTreeIndex: $0)) << 32 | UInt64($0) }.sorted()
  }
}
