import Logging
import ServiceLifecycle
import Synchronization
import Treeline
import UnixSignals

/// The indexes that are served, by name.
public final class Catalog: Sendable {
  private struct Entry {
    let path: String
    var index: ServedIndex
    /// A newer file that could not be opened, so that it is tried and logged once.
    var refused: FileVersion?
  }

  private let entries: Mutex<[String: Entry]>

  /// - Throws: `CatalogError` where a name is invalid or comes twice, `IndexError` where an index cannot be opened.
  public init(_ sources: [(name: String, path: String)]) throws {
    var entries: [String: Entry] = [:]
    for source in sources {
      guard Self.isName(source.name) else { throw CatalogError.notAName(source.name) }
      let index = try ServedIndex(name: source.name, path: source.path)
      guard entries.updateValue(Entry(path: source.path, index: index), forKey: source.name) == nil else {
        throw CatalogError.nameTwice(source.name)
      }
    }
    self.entries = Mutex(entries)
  }

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
  }

  /// Reopens indexes whose files were replaced; what cannot be opened is tried again once it is another file, or if
  /// `isForced`.
  public func refresh(isForced: Bool = false) -> [Change] { names.compactMap { refresh($0, isForced) } }

  private func refresh(_ name: String, _ isForced: Bool) -> Change? {
    guard let entry = entries.withLock({ $0[name] }) else { return nil }
    guard let file = FileVersion(path: entry.path) else {
      // It may be on its way; who asks for it now is told.
      return isForced ? .refused(name: name, CatalogError.missing(path: entry.path)) : nil
    }
    guard isForced || file != entry.index.file && file != entry.refused else { return nil }
    do {
      let index = try ServedIndex(name: name, path: entry.path)
      entries.withLock { $0[name] = Entry(path: entry.path, index: index) }
      return .reopened(name: name)
    } catch {
      entries.withLock { $0[name]?.refused = file }
      return .refused(name: name, error)
    }
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

/// Reopens replaced indexes, each second and at SIGHUP.
struct IndexWatcher: Service {
  let catalog: Catalog
  let metrics: ServerMetrics
  let logger: Logger
  var interval = Duration.seconds(1)

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { while (try? await Task.sleep(for: interval)) != nil { tell(catalog.refresh()) } }
        group.addTask {
          for await _ in await UnixSignalsSequence(trapping: .sighup) { tell(catalog.refresh(isForced: true)) }
        }
      }
    }
  }

  private func tell(_ changes: [Catalog.Change]) {
    for change in changes {
      switch change {
      case .reopened(let name):
        metrics.countReload(succeeded: true)
        logger.notice("Reopened \(name)")
      case .refused(let name, let error):
        metrics.countReload(succeeded: false)
        logger.error("Kept the old \(name): \(error)")
      }
    }
  }
}
