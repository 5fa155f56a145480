import Logging
import NIOPosix
import ServiceLifecycle
import UnixSignals

/// Checks every second whether the files of indexes have changed, and opens changed files again. At SIGHUP, opens the
/// files of all indexes again. The work is done on threads that answer no requests.
struct IndexWatcher: Service {
  let catalog: Catalog
  let metrics: ServerMetrics
  let logger: Logger
  var interval = Duration.seconds(1)

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          await tell { catalog.check() }
          while (try? await Task.sleep(for: interval)) != nil { await tell { catalog.refresh() } }
        }
        group.addTask {
          for await _ in await UnixSignalsSequence(trapping: .sighup) { await tell { catalog.refresh(isForced: true) } }
        }
      }
    }
  }

  private func tell(_ changes: @escaping @Sendable () -> [Catalog.Change]) async {
    // The thread pool belongs to the process and ends with it.
    for change in (try? await NIOThreadPool.singleton.runIfActive(changes)) ?? [] {
      switch change {
      case .reopened(let name):
        metrics.countReload(succeeded: true)
        logger.notice("Reopened an index", metadata: ["index": "\(name)"])
      case .refused(let name, let error):
        metrics.countReload(succeeded: false)
        logger.error(
          "Could not read a changed index, so the old index is still served",
          metadata: ["index": "\(name)", "error": "\(error)"])
      case .damaged(let name, let error):
        logger.critical(
          "An index is damaged and is no longer served", metadata: ["index": "\(name)", "error": "\(error)"])
      }
    }
  }
}
