import Foundation
import Synchronization
@_spi(Server) import Treeline

/// The served indexes, by name.
public final class Catalog: Sendable {
  private struct Entry {
    let path: String
    var index: ServedIndex
    /// Version of the file that the server last tried to open. A check opens this version again only if the check is
    /// forced or `wasSettled` is false.
    var tried: FileVersion
    /// Whether an older version is served, because the file is missing or could not be opened.
    var isStale = false
    /// Whether the file was missing at the last check.
    var wasMissing = false
    /// Whether a later write is certain to change the times of the file. False if the file was written just before the
    /// server read it. Such a file is read once more.
    var wasSettled: Bool
  }

  private let entries: Mutex<[String: Entry]>
  private let refreshing = Mutex(())
  /// Live indexes by name. Requests change live indexes, so the files of live indexes are not watched.
  private let live: [String: LiveIndex]
  /// For each index that is not live, by name: the announcements of its new versions.
  private let versions: [String: IndexVersions]
  private let residentBytes: Int
  private let filterBytes: Int

  /// - Parameters:
  ///   - sources: Names and paths of the indexes. In the order of this list, each index that still fits into
  ///     `residentBytes` is read into memory.
  ///   - residentBytes: Maximum total size of the indexes in memory. Other indexes stay in their files. An index that
  ///     is being replaced is in memory twice.
  ///   - filterBytes: Maximum total size of the prepared filters that are kept for each index. The filter used last is
  ///     always kept.
  ///   - live: Indexes whose points change.
  /// - Throws: `CatalogError` if a name is invalid or occurs twice, `IndexError` if an index cannot be opened.
  /// - Complexity: O(bytes) of the indexes in memory.
  public init(
    _ sources: [(name: String, path: String)], residentBytes: Int = Catalog.standardResidentBytes,
    filterBytes: Int = Catalog.standardFilterBytes, live: [LiveIndex] = []
  ) throws {
    var (entries, room): ([String: Entry], Int) = ([:], residentBytes)
    for source in sources {
      guard Self.isName(source.name) else { throw CatalogError.notAName(source.name) }
      guard let file = FileVersion(path: source.path), file.isRegular else {
        // If the file cannot be opened, this call throws an error that explains why.
        _ = try LoadedIndex.checksum(ofIndex: source.path)
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
    var liveIndexes: [String: LiveIndex] = [:]
    for index in live {
      guard Self.isName(index.name) else { throw CatalogError.notAName(index.name) }
      guard entries[index.name] == nil, liveIndexes.updateValue(index, forKey: index.name) == nil else {
        throw CatalogError.nameTwice(index.name)
      }
    }
    self.live = liveIndexes
    names = sources.map(\.name) + live.map(\.name)
    versions = entries.mapValues { IndexVersions($0.index) }
    self.entries = Mutex(entries)
    (self.residentBytes, self.filterBytes) = (residentBytes, filterBytes)
  }

  /// A third of the memory that the process may use. The limit leaves room to replace an index, because an index that
  /// is being replaced is in memory twice.
  public static var standardResidentBytes: Int {
    let physical = ProcessInfo.processInfo.physicalMemory
    return Int(min(physical, MemoryLimit.ofControlGroup() ?? physical) / 3)
  }

  /// Memory for about fifteen filters of ten million points each: 256 MiB.
  public static let standardFilterBytes = 256 << 20

  /// Returns whether a name is valid. A valid name needs no encoding in a path and is not the name of a route.
  private static func isName(_ name: String) -> Bool {
    name.wholeMatch(of: /[A-Za-z0-9._-]{1,64}/) != nil && name != "indexes" && name.contains { $0 != "." }
  }

  /// The current index under a name.
  public subscript(name: String) -> ServedIndex? { live[name]?.current ?? entries.withLock { $0[name]?.index } }

  /// The live indexes, in the order of their names.
  var liveIndexes: [LiveIndex] { live.values.sorted { $0.name < $1.name } }

  /// Returns the live index under a name.
  func live(_ name: String) -> LiveIndex? { live[name] }

  /// Returns the announcements of new versions of an index.
  func versions(of name: String) -> IndexVersions? { live[name]?.versions ?? versions[name] }

  /// Ends all streams of events. Called when the server stops.
  func stopEvents() { for name in names { versions(of: name)?.stop() } }

  /// Names of the indexes, in the order in which the indexes were given. Live indexes come last.
  public let names: [String]

  /// The indexes, in the order of `names`.
  public var indexes: [ServedIndex] { names.compactMap { self[$0] } }

  /// Names of the indexes whose files are missing or could not be opened, in alphabetical order.
  var staleNames: [String] { entries.withLock { $0.filter(\.value.isStale).keys.sorted() } }

  /// The outcome for an index whose file has changed.
  public enum Change: Sendable {
    /// The new file is served.
    case reopened(name: String)
    /// The new file could not be opened. The old index is still served.
    case refused(name: String, any Error)
    /// The bytes of a mapped file do not match their checksums. The index is not served until the file is replaced.
    case damaged(name: String, any Error)
  }

  /// Reads all mapped indexes and withdraws damaged indexes.
  ///
  /// - Complexity: O(bytes)
  public func check() -> [Change] {
    indexes.compactMap { index in
      do { try index.check() } catch { return .damaged(name: index.name, error) }
      return nil
    }
  }

  /// Opens the files of indexes again if the files were replaced or written to. Meanwhile the old index answers
  /// requests. If a file cannot be opened, the next attempt is made when the file changes, or if `isForced` is true.
  ///
  /// - Complexity: O(bytes) of the reopened indexes.
  public func refresh(isForced: Bool = false) -> [Change] {
    refreshing.withLock { _ in names.compactMap { refresh($0, isForced) } }
  }

  private func refresh(_ name: String, _ isForced: Bool) -> Change? {
    guard let entry = entries.withLock({ $0[name] }) else { return nil }
    let old = entry.index
    guard let file = FileVersion(path: entry.path) else {
      // Another program may be about to move a new file to this path. So a file counts as missing only if two
      // successive checks do not find it.
      let isFound = isForced || entry.wasMissing && !entry.isStale
      entries.withLock { entries in
        entries[name]?.wasMissing = true
        if isFound { entries[name]?.isStale = true }
      }
      return isFound ? .refused(name: name, CatalogError.missing(path: entry.path)) : nil
    }
    if entry.wasMissing {
      entries.withLock { entries in
        entries[name]?.wasMissing = false
        // If the file of the open index is at its path again, the index is not stale any more.
        if file == old.file { entries[name]?.isStale = false }
      }
    }
    guard isForced || file != entry.tried || !entry.wasSettled else { return nil }
    let (wasSettled, isNew) = (file.isSettled, file != entry.tried)
    entries.withLock { entries in
      entries[name]?.tried = file
      entries[name]?.wasSettled = wasSettled
    }
    // The open index may be mapped from this same file. In this case a program has written to the file, so the bytes
    // of the open index have changed.
    if isNew && old.residence == .file && old.file.map(file.isSameFile) ?? false { old.markDamaged() }
    do {
      let residence = file.size <= room(for: name) ? ServedIndex.Residence.memory : .file
      let index = try ServedIndex(
        name: name, path: entry.path, file, in: residence, filterBytes: filterBytes)
      try index.check()
      // If a file was read just after a write, it is read once more, because a second write may have left the times
      // of the file unchanged. `isKnown` is true if the file was read only for this reason and its content is still
      // the same.
      let isKnown = !isNew && !isForced && index.version == old.version && !old.isDamaged
      entries.withLock { entries in
        entries[name]?.isStale = false
        if !isKnown { entries[name]?.index = index }
      }
      if isKnown { return nil }
      versions[name]?.publish(index)
      return .reopened(name: name)
    } catch {
      // A check that is not forced opens the same version again only if the file had just been written. Another
      // program is then most likely still writing to the file. So a failure is reported only for a new version or a
      // forced check.
      if isNew || isForced { entries.withLock { $0[name]?.isStale = true } }
      return isNew || isForced ? .refused(name: name, error) : nil
    }
  }

  /// Returns the free memory for an index, in bytes: `residentBytes` minus the size of the other indexes in memory.
  private func room(for name: String) -> Int {
    let others = indexes.filter { $0.name != name && $0.residence == .memory }
    return residentBytes - others.reduce(0) { $0 + $1.size }
  }
}

/// An error in the names or files of the indexes.
public enum CatalogError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name needs encoding in a path, or it is the name of a route.
  case notAName(String)
  /// Two indexes have the same name.
  case nameTwice(String)
  /// The file of an index is missing.
  case missing(path: String)

  public var description: String {
    switch self {
    case .notAName(let name):
      "the name of an index must have 1 to 64 characters (letters, digits, '.', '_' or '-') and must not be 'indexes', "
        + "found '\(name)'; choose a name, as in 'places=FILE'"
    case .nameTwice(let name): "two indexes have the name '\(name)'; choose another name, as in '\(name)-2=FILE'"
    case .missing(let path): "\(path): there is no index file at this path; build the index"
    }
  }
}

extension CatalogError: LocalizedError {
  public var errorDescription: String? { description }
}
