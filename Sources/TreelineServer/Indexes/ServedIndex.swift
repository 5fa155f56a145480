import Foundation
import GridBaseline
import Synchronization
@_spi(Server) import Treeline
@_spi(Server) import TreelineComparison
import TreelineFormats

/// One version of an index. Requests in progress keep it when another takes its name.
public final class ServedIndex: Sendable {
  /// Where its bytes are.
  public enum Residence: String, Sendable {
    /// Copied into memory and compared with their checksums: nothing that happens to the file changes an answer.
    case memory
    /// Mapped from the file: whoever writes to the file changes answers, and whoever shortens it ends the process.
    case file
  }

  /// Under which it is served.
  public let name: String
  /// What answers.
  public let tree: ClusterTree

  /// The index's checksum in hexadecimal digits: two files that share it are the same.
  public let version: String

  /// Where its bytes are.
  public let residence: Residence
  /// In bytes.
  let size: Int

  /// What entity tags begin with: the version and, as nothing has compared the bytes of a mapped file with it, which
  /// file that is and when it was written to.
  let tag: String
  let file: FileVersion
  let features: FeatureCollectionWriter
  let transitions: TransitionWriter
  private let header: IndexHeader
  private let path: String
  private let isKnownDamaged = Atomic(false)
  /// The filters that were asked for.
  let filters: FilterCache
  private let foundGrid = Mutex<Grid?>(nil)
  private let foundRowOrder = Mutex<RowOrder?>(nil)

  /// - Parameter filterBytes: How large the filters may be in sum that are kept.
  /// - Throws: `IndexError`
  /// - Complexity: O(bytes) in memory, O(sections) in the file.
  init(name: String, path: String, _ file: FileVersion, in residence: Residence, filterBytes: Int) throws {
    let index =
      switch residence {
      case .memory: try LoadedIndex(copying: path)
      case .file: try LoadedIndex(mapping: path)
      }
    (self.name, self.path, self.file, self.residence, size) = (name, path, file, residence, file.size)
    (header, tree) = (index.header, index.tree)
    version = ContentHash.digits(of: header.checksum)
    tag = residence == .memory ? version : version + "-" + ContentHash.digits(of: "\(file)".utf8)
    filters = FilterCache(of: tree, mostBytes: filterBytes)
    features = FeatureCollectionWriter(plane: tree.plane)
    transitions = TransitionWriter(plane: tree.plane)
  }

  /// Compares the checksums of a mapped file; those of an index in memory were when it was read.
  ///
  /// - Throws: `IndexError`
  /// - Complexity: O(bytes)
  func check() throws {
    guard residence == .file else { return }
    do { try header.checkSections(ofIndex: path) } catch {
      markDamaged()
      throw error
    }
  }

  /// Whether its bytes are known to be others than its header says, so that no answer can be trusted.
  var isDamaged: Bool { isKnownDamaged.load(ordering: .relaxed) }

  func markDamaged() { isKnownDamaged.store(true, ordering: .relaxed) }

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
