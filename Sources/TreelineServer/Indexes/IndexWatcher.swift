import Logging
import ServiceLifecycle
import UnixSignals

/// Looks, each second and at SIGHUP, whether an index was replaced, and has it opened anew.
struct IndexWatcher: Service {
  let catalog: Catalog
  let metrics: ServerMetrics
  let logger: Logger
  var interval = Duration.seconds(1)

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          while (try? await Task.sleep(for: interval)) != nil { tell(catalog.refresh()) }
        }
        group.addTask {
          for await _ in await UnixSignalsSequence(trapping: .sighup) {
            tell(catalog.refresh(isForced: true))
          }
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
