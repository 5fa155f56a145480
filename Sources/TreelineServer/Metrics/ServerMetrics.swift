import CoreMetrics
import Synchronization

/// What the server counts.
final class ServerMetrics: Sendable {
  private struct RequestKind: Hashable {
    let route: String
    let status: Int
  }

  private typealias RequestMetrics = (counter: Counter, timer: Timer)

  private let backend = PrometheusMetrics([
    (requests, "counter", "Requests by route and status."),
    (seconds, "histogram", "Time from a request's head to its answer, without sending it."),
    (openIndexes, "gauge", "Indexes that are served."),
    (reloads, "counter", "Indexes that took the place of others."),
  ])
  private let requests = Mutex<[RequestKind: RequestMetrics]>([:])
  private let openIndexes: Gauge
  private let reopened: Counter
  private let refused: Counter

  private static let requests = "treeline_requests_total"
  private static let seconds = "treeline_request_seconds"
  private static let openIndexes = "treeline_open_indexes"
  private static let reloads = "treeline_index_reloads_total"

  init() {
    openIndexes = Gauge(label: Self.openIndexes, factory: backend)
    reopened = Counter(label: Self.reloads, dimensions: [("result", "reopened")], factory: backend)
    refused = Counter(label: Self.reloads, dimensions: [("result", "refused")], factory: backend)
  }

  /// - Parameter route: As it is written in the routes, not as it was asked for.
  func countRequest(to route: String, status: Int, took duration: Duration) {
    let metrics = requests.withLock { requests in
      let kind = RequestKind(route: route, status: status)
      if let known = requests[kind] { return known }
      let new = RequestMetrics(
        counter: Counter(
          label: Self.requests, dimensions: [("route", route), ("status", "\(status)")], factory: backend),
        timer: Timer(label: Self.seconds, dimensions: [("route", route)], factory: backend))
      requests[kind] = new
      return new
    }
    metrics.counter.increment()
    metrics.timer.recordNanoseconds(Int64(duration / .nanoseconds(1)))
  }

  func countReload(succeeded: Bool) { (succeeded ? reopened : refused).increment() }

  /// As Prometheus reads it.
  func text(openIndexes count: Int) -> String {
    openIndexes.record(count)
    return backend.text
  }
}
