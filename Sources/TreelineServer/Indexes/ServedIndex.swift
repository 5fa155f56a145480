import Foundation
import GridBaseline
import Synchronization
@_spi(Server) import Treeline
@_spi(Server) import TreelineComparison
import TreelineFormats

/// One version of an index, mapped into memory. Requests in progress keep it when another takes its name.
public final class ServedIndex: Sendable {
  /// Under which it is served.
  public let name: String
  /// What answers.
  public let tree: ClusterTree

  /// The index's checksum in hexadecimal digits: two files that share it are the same.
  public let version: String

  let file: FileVersion?
  let features: FeatureCollectionWriter
  let transitions: TransitionWriter
  private let foundGrid = Mutex<Grid?>(nil)
  private let foundRowOrder = Mutex<RowOrder?>(nil)

  /// - Throws: `IndexError`
  init(name: String, path: String) throws {
    // Header and tree are read one after the other, so the file must be the same before and after.
    var (header, tree, file): (IndexHeader, ClusterTree, FileVersion?)
    repeat {
      file = FileVersion(path: path)
      header = try IndexHeader(ofIndex: path)
      tree = try ClusterTree(index: path)
    } while file != FileVersion(path: path)
    self.name = name
    self.tree = tree
    self.file = file
    version = ContentHash.digits(of: header.checksum)
    features = FeatureCollectionWriter(plane: tree.plane)
    transitions = TransitionWriter(plane: tree.plane)
  }

  /// - Complexity: O(points) when it is first asked for, for which others wait.
  var grid: Grid {
    foundGrid.withLock { found in
      if let found { return found }
      let grid = Grid(over: tree)
      found = grid
      return grid
    }
  }

  // Without waiting for whoever is about to make them.
  var hasGrid: Bool { foundGrid.withLockIfAvailable { $0 != nil } ?? false }
  var hasRowOrder: Bool { foundRowOrder.withLockIfAvailable { $0 != nil } ?? false }

  /// The tree index of the point of a row; nil where there is none.
  ///
  /// - Complexity: O(log points), but O(points log points) once, for which others wait.
  func treeIndex(ofRow row: Int) -> Int? {
    foundRowOrder.withLock { found in
      let order = found ?? RowOrder(of: tree)
      found = order
      return order.treeIndex(ofRow: row)
    }
  }
}

/// Tells a file at a path from any other there, and from itself once it was written to.
struct FileVersion: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  /// nil where there is no regular file.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int(status.st_size)
    #if canImport(Darwin)
      (seconds, nanoseconds) = (status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
    #else
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    #endif
  }
}
