import Foundation
import Synchronization
import Treeline

/// The indexes that are served, by name.
public final class Catalog: Sendable {
  private struct Entry {
    let path: String
    var index: ServedIndex
    /// What was last opened, or could not be, so that it is tried and logged once.
    var tried: FileVersion
    /// Whether a later write would have shown; if not, the file is read once more.
    var wasSettled: Bool
  }

  private let entries: Mutex<[String: Entry]>
  private let refreshing = Mutex(())
  private let residentBytes: Int
  private let filterBytes: Int

  /// - Parameters:
  ///   - sources: Names and paths. In this order indexes are read into memory as long as there is room.
  ///   - residentBytes: How large the indexes in memory may be in sum; others stay in their files. While one is
  ///     replaced it is there twice.
  ///   - filterBytes: How large the filters of each index may be in sum that are kept for further requests; the last
  ///     one asked for is kept in any case.
  /// - Throws: `CatalogError` where a name is invalid or comes twice, `IndexError` where an index cannot be opened.
  /// - Complexity: O(bytes) of the indexes in memory.
  public init(
    _ sources: [(name: String, path: String)], residentBytes: Int = Catalog.standardResidentBytes,
    filterBytes: Int = Catalog.standardFilterBytes
  ) throws {
    var (entries, room): ([String: Entry], Int) = ([:], residentBytes)
    for source in sources {
      guard Self.isName(source.name) else { throw CatalogError.notAName(source.name) }
      guard let file = FileVersion(path: source.path), file.isRegular else {
        // Says why there is no file to open.
        _ = try IndexHeader(ofIndex: source.path)
        throw CatalogError.missing(path: source.path)
      }
      let wasSettled = file.isSettled
      let residence = file.size <= room ? ServedIndex.Residence.memory : .file
      let index = try ServedIndex(
        name: source.name, path: source.path, file, in: residence, filterBytes: filterBytes)
      if residence == .memory { room -= file.size }
      let entry = Entry(path: source.path, index: index, tried: file, wasSettled: wasSettled)
      guard entries.updateValue(entry, forKey: source.name) == nil else { throw CatalogError.nameTwice(source.name) }
    }
    self.entries = Mutex(entries)
    (self.residentBytes, self.filterBytes) = (residentBytes, filterBytes)
  }

  /// Half of the memory that the process may have.
  public static var standardResidentBytes: Int {
    let physical = ProcessInfo.processInfo.physicalMemory
    // Of a container (control groups, version 2); 'max' where there is no limit.
    let limit = try? String(contentsOfFile: "/sys/fs/cgroup/memory.max", encoding: .utf8)
    let own = limit.flatMap { UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    return Int(min(physical, own ?? physical) / 2)
  }

  /// 256 MiB, some fifteen filters of ten million points.
  public static let standardFilterBytes = 256 << 20

  /// Whether it needs no encoding in a path, and is not the name of a route.
  private static func isName(_ name: String) -> Bool {
    name.wholeMatch(of: /[A-Za-z0-9._-]{1,64}/) != nil && name != "indexes" && name.contains { $0 != "." }
  }

  /// The index that is served under a name, as it is now.
  public subscript(name: String) -> ServedIndex? { entries.withLock { $0[name]?.index } }

  /// In alphabetical order.
  public var names: [String] { entries.withLock { $0.keys.sorted() } }

  /// In the order of their names.
  public var indexes: [ServedIndex] { names.compactMap { self[$0] } }

  /// What became of an index whose file is another one.
  public enum Change: Sendable {
    /// The new file is served.
    case reopened(name: String)
    /// The one that was open is served on.
    case refused(name: String, any Error)
    /// A mapped file is not what its checksums say; it is not served until it is replaced.
    case damaged(name: String, any Error)
  }

  /// Reads the mapped indexes through and withdraws those that are damaged.
  ///
  /// - Complexity: O(bytes)
  public func check() -> [Change] {
    indexes.compactMap { index in
      do { try index.check() } catch { return .damaged(name: index.name, error) }
      return nil
    }
  }

  /// Reopens indexes whose files were replaced or written to; what cannot be opened is tried again once it is another
  /// file, or if `isForced`. The old one answers meanwhile.
  ///
  /// - Complexity: O(bytes) of those that were.
  public func refresh(isForced: Bool = false) -> [Change] {
    refreshing.withLock { _ in names.compactMap { refresh($0, isForced) } }
  }

  private func refresh(_ name: String, _ isForced: Bool) -> Change? {
    guard let entry = entries.withLock({ $0[name] }) else { return nil }
    let old = entry.index
    guard let file = FileVersion(path: entry.path) else {
      // It may be on its way; who asks for it now is told.
      return isForced ? .refused(name: name, CatalogError.missing(path: entry.path)) : nil
    }
    guard isForced || file != entry.tried || !entry.wasSettled else { return nil }
    let (wasSettled, isNew) = (file.isSettled, file != entry.tried)
    entries.withLock { entries in
      entries[name]?.tried = file
      entries[name]?.wasSettled = wasSettled
    }
    // Its bytes are not what they were, whatever they are now.
    if isNew && old.residence == .file && file.isSameFile(as: old.file) { old.markDamaged() }
    do {
      let residence = file.size <= room(for: name) ? ServedIndex.Residence.memory : .file
      let index = try ServedIndex(
        name: name, path: entry.path, file, in: residence, filterBytes: filterBytes)
      try index.check()
      // Read once more, it is what it was.
      if !isNew && !isForced && index.version == old.version && !old.isDamaged { return nil }
      entries.withLock { $0[name]?.index = index }
      return .reopened(name: name)
    } catch {
      // One that broke while it was read is most likely being written.
      return isNew || isForced ? .refused(name: name, error) : nil
    }
  }

  /// For how many bytes of an index there is room beside the others in memory.
  private func room(for name: String) -> Int {
    let others = indexes.filter { $0.name != name && $0.residence == .memory }
    return residentBytes - others.reduce(0) { $0 + $1.size }
  }
}

/// Indexes that cannot be served side by side.
public enum CatalogError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A name that needs encoding in a path, or that is the name of a route.
  case notAName(String)
  /// Two indexes of one name.
  case nameTwice(String)
  /// The file of an index that is served is gone.
  case missing(path: String)

  public var description: String {
    switch self {
    case .notAName(let name):
      "expected a name of 1 to 64 letters, digits, '.', '_' and '-', other than 'indexes', found '\(name)'; "
        + "choose one, as in 'places=FILE'"
    case .nameTwice(let name): "expected each name once, found '\(name)' twice; choose another, as in '\(name)-2=FILE'"
    case .missing(let path): "\(path): expected an index there, found none; build it anew"
    }
  }
}
