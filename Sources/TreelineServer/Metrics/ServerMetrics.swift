import Synchronization
import TreelineFormats

/// What the server counts, and how Prometheus reads it (text exposition format 0.0.4).
final class ServerMetrics: Sendable {
  private struct Route {
    var countByStatus: [Int: Int] = [:]
    /// How many requests took at most as long as each bound, and no less than the one before.
    var countByBound = [Int](repeating: 0, count: ServerMetrics.bounds.count)
    var seconds = 0.0
    var count = 0
  }

  private struct Counts {
    var routes: [String: Route] = [:]
    var reloads = 0
    var failedReloads = 0
  }

  private let counts = Mutex(Counts())

  /// In seconds.
  private static let bounds = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
  ]

  /// - Parameter route: As it is written in the routes, not as it was asked for.
  func countRequest(to route: String, status: Int, took duration: Duration) {
    let seconds = Double(duration.components.attoseconds) / 1e18 + Double(duration.components.seconds)
    counts.withLock { counts in
      counts.routes[route, default: Route()].countByStatus[status, default: 0] += 1
      counts.routes[route]!.seconds += seconds
      counts.routes[route]!.count += 1
      if let bound = Self.bounds.firstIndex(where: { seconds <= $0 }) {
        counts.routes[route]!.countByBound[bound] += 1
      }
    }
  }

  func countReload(succeeded: Bool) {
    counts.withLock {
      if succeeded { $0.reloads += 1 } else { $0.failedReloads += 1 }
    }
  }

  func text(openIndexes: Int) -> String {
    let counts = counts.withLock { $0 }
    let routes = counts.routes.sorted { $0.key < $1.key }
    var text = Self.head("treeline_requests_total", "counter", "Requests by route and status.")
    for (name, route) in routes {
      for (status, count) in route.countByStatus.sorted(by: { $0.key < $1.key }) {
        text += "treeline_requests_total{route=\"\(name)\",status=\"\(status)\"} \(count)\n"
      }
    }
    text += Self.head(
      "treeline_request_seconds", "histogram", "Time from a request's head to its answer, without sending it."
    )
    for (name, route) in routes {
      var sum = 0
      for (bound, count) in zip(Self.bounds, route.countByBound) {
        sum += count
        text += "treeline_request_seconds_bucket{route=\"\(name)\",le=\"\(bound)\"} \(sum)\n"
      }
      text += "treeline_request_seconds_bucket{route=\"\(name)\",le=\"+Inf\"} \(route.count)\n"
      text += "treeline_request_seconds_sum{route=\"\(name)\"} \(route.seconds)\n"
      text += "treeline_request_seconds_count{route=\"\(name)\"} \(route.count)\n"
    }
    text += Self.head("treeline_open_indexes", "gauge", "Indexes that are served.")
    text += "treeline_open_indexes \(openIndexes)\n"
    text += Self.head("treeline_index_reloads_total", "counter", "Indexes that took the place of others.")
    text += "treeline_index_reloads_total{result=\"reopened\"} \(counts.reloads)\n"
    text += "treeline_index_reloads_total{result=\"refused\"} \(counts.failedReloads)\n"
    return text
  }

  private static func head(_ name: String, _ type: String, _ help: String) -> String {
    "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }
}
