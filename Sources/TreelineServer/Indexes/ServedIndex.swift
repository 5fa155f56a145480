import Foundation
import GridBaseline
import Synchronization
@_spi(Server) import Treeline
@_spi(Server) import TreelineComparison
import TreelineFormats

/// One version of an index. Requests in progress continue to use this version when a newer version replaces it.
public final class ServedIndex: Sendable {
  /// Where the bytes of an index are.
  public enum Residence: String, Sendable {
    /// In memory, copied from the file and verified by checksums. Later changes to the file do not change answers.
    case memory
    /// Mapped from the file. If a program writes to the file, the answers change. If a program truncates the file, the
    /// server's process ends.
    case file
  }

  /// Name under which the index is served.
  public let name: String
  /// Tree that answers queries.
  public let tree: ClusterTree

  /// Version of the index, as sixteen hexadecimal digits. The version of an index file is its checksum, so that
  /// indexes with equal versions have equal contents. The version of a live index is a hash of `sequence` and of the
  /// random number that is the name of the log (see `LiveIndex.logName`).
  public let version: String

  /// Where the bytes are.
  public let residence: Residence
  /// Size in bytes.
  let size: Int

  /// A text from which entity tags are computed. This text contains the version. For a mapped file, it also contains
  /// the identity and times of the file, because the bytes of the file may no longer match the version.
  let tag: String
  /// Number of the version of a live index; nil for an index that does not change.
  let sequence: UInt64?
  /// Column with the keys of the points of a live index.
  let key: String?
  /// Texts about the index that are shown to people.
  let description: IndexDescription
  /// The file with the index; nil for a live index.
  let file: FileVersion?
  let features: FeatureCollectionWriter
  let transitions: TransitionWriter
  private let loaded: LoadedIndex?
  private let path: String
  private let isKnownDamaged = Atomic(false)
  /// Prepared filters of the index.
  let filters: FilterCache
  private let foundGrid = Mutex<Grid?>(nil)
  private let foundRowOrder = Mutex<RowOrder?>(nil)

  /// Opens an index file.
  ///
  /// - Parameter filterBytes: Maximum total size of the prepared filters that are kept.
  /// - Throws: `IndexError`
  /// - Complexity: O(bytes) if the index is read into memory, O(sections) if it is mapped.
  init(name: String, path: String, _ file: FileVersion, in residence: Residence, filterBytes: Int) throws {
    let index =
      switch residence {
      case .memory: try LoadedIndex(copying: path)
      case .file: try LoadedIndex(mapping: path)
      }
    (self.name, self.path, self.file, self.residence, size) = (name, path, file, residence, file.size)
    (loaded, tree, description) = (index, index.tree, index.tree.indexDescription)
    (sequence, key) = (nil, nil)
    version = ContentHash.digits(of: index.checksum)
    tag = residence == .memory ? version : version + "-" + ContentHash.digits(of: "\(file)".utf8)
    filters = FilterCache(of: tree, mostBytes: filterBytes)
    features = FeatureCollectionWriter(plane: tree.plane)
    transitions = TransitionWriter(plane: tree.plane)
  }

  /// Creates a version of a live index.
  init(
    name: String, tree: ClusterTree, description: IndexDescription, key: String, version: String, sequence: UInt64,
    filterBytes: Int
  ) {
    (self.name, self.tree, self.description, self.version) = (name, tree, description, version)
    (tag, self.sequence, self.key) = (version, sequence, key)
    (loaded, path, file, residence, size) = (nil, "", nil, .memory, 0)
    filters = FilterCache(of: tree, mostBytes: filterBytes)
    features = FeatureCollectionWriter(plane: tree.plane)
    transitions = TransitionWriter(plane: tree.plane)
  }

  /// Verifies the checksums of a mapped file. An index in memory was verified when it was read.
  ///
  /// - Throws: `IndexError`
  /// - Complexity: O(bytes)
  func check() throws {
    guard residence == .file, let loaded else { return }
    do { try loaded.checkSections(ofIndex: path) } catch {
      markDamaged()
      throw error
    }
  }

  /// Whether it is known that the bytes do not match the checksums in the header. If true, no answer can be trusted.
  var isDamaged: Bool { isKnownDamaged.load(ordering: .relaxed) }

  func markDamaged() { isKnownDamaged.store(true, ordering: .relaxed) }

  /// The grid over all points. Viewers can request the clusters of this grid, to compare them with the clusters of
  /// the tree.
  ///
  /// - Complexity: O(points) for the first access. Meanwhile other threads wait.
  var grid: Grid {
    foundGrid.withLock { found in
      if let found { return found }
      let grid = Grid(over: tree)
      found = grid
      return grid
    }
  }

  // Whether the grid is complete, and whether the row order is complete. These properties never wait for the thread
  // that makes the grid or the row order.
  var hasGrid: Bool { foundGrid.withLockIfAvailable { $0 != nil } ?? false }
  var hasRowOrder: Bool { foundRowOrder.withLockIfAvailable { $0 != nil } ?? false }

  /// Returns the tree index of the point with the given row number; nil if no point has this number.
  ///
  /// - Complexity: O(log points). The first call takes O(points log points). Meanwhile other threads wait.
  func treeIndex(ofRow row: Int) -> Int? {
    foundRowOrder.withLock { found in
      let order = found ?? RowOrder(of: tree)
      found = order
      return order.treeIndex(ofRow: row)
    }
  }
}
