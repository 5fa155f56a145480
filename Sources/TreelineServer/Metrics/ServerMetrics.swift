import Synchronization

/// Metrics of the server, in the Prometheus text exposition format 0.0.4.
final class ServerMetrics: Sendable {
  private struct RequestKind: Hashable {
    let route: String
    let status: Int
  }

  /// The durations of the requests to a route.
  private struct Times {
    /// Upper bounds, in seconds.
    static let bounds = [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

    /// For each upper bound, the number of measured durations that are at most this bound and greater than the
    /// previous bound.
    var countByBound = [Int](repeating: 0, count: bounds.count)
    var seconds = 0.0
    var count = 0

    mutating func add(_ duration: Duration) {
      let seconds = (duration / .nanoseconds(1)).rounded(.towardZero) / 1e9
      self.seconds += seconds
      count += 1
      if let bound = Self.bounds.firstIndex(where: { seconds <= $0 }) { countByBound[bound] += 1 }
    }
  }

  private struct Counts {
    var requests: [RequestKind: Int] = [:]
    var times: [String: Times] = [:]
    // These counters exist from the start. If a counter were added later, Prometheus would miss the counter's first
    // increase.
    var refusals = Dictionary(uniqueKeysWithValues: Bound.allCases.map { ($0, 0) })
    var reloads = ["reopened": 0, "refused": 0]
  }

  private let counts = Mutex(Counts())
  private let log: LogOutput?

  /// - Parameter log: The log whose dropped lines are reported; nil to report 0 dropped lines.
  init(log: LogOutput? = nil) { self.log = log }

  /// Counts a request and its duration.
  ///
  /// - Parameter route: Pattern of the route, such as `/v1/{index}`, instead of the path of the request.
  func countRequest(to route: String, status: Int, took duration: Duration) {
    counts.withLock {
      $0.requests[RequestKind(route: route, status: status), default: 0] += 1
      $0.times[route, default: Times()].add(duration)
    }
  }

  func countReload(succeeded: Bool) { counts.withLock { $0.reloads[succeeded ? "reopened" : "refused"]! += 1 } }

  func countRefusal(at bound: Bound) { counts.withLock { $0.refusals[bound]! += 1 } }

  /// Current values of the gauges.
  struct State {
    let openIndexes, staleIndexes, connections, answersUnderWay, queueLength, answerBytes, filters, filterBytes: Int
    var live: [LiveIndex] = []
  }

  /// Returns all metrics in the text format of Prometheus.
  func text(_ state: State) -> String {
    let counts = counts.withLock { $0 }
    let live = state.live.map { (name: $0.name, counts: $0.counts) }
    var text = ""
    // The values of labels are routes, names of indexes and names of bounds. None of them needs an escape.
    func write(_ type: String, _ name: String, _ help: String, _ samples: [(labels: String, value: Int)]) {
      text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
      for sample in samples.sorted(by: { $0.labels < $1.labels }) {
        text += "\(name)\(sample.labels) \(sample.value)\n"
      }
    }
    func write(gauge name: String, _ help: String, _ value: Int) { write("gauge", name, help, [("", value)]) }
    func write(live type: String, _ name: String, _ help: String, _ value: (LiveIndex.Counts) -> Int) {
      write(type, name, help, live.map { ("{index=\"\($0.name)\"}", value($0.counts)) })
    }

    write(
      "counter", "treeline_requests_total", "Number of requests by route and status.",
      counts.requests.map { ("{route=\"\($0.route)\",status=\"\($0.status)\"}", $1) })
    let seconds = "treeline_request_seconds"
    write(
      "histogram", seconds, "Time from the arrival of a request's headers until the answer is ready, in seconds.", [])
    for (route, times) in counts.times.sorted(by: { $0.key < $1.key }) {
      var sum = 0
      for (bound, count) in zip(Times.bounds, times.countByBound) {
        sum += count
        text += "\(seconds)_bucket{route=\"\(route)\",le=\"\(bound)\"} \(sum)\n"
      }
      text += "\(seconds)_bucket{route=\"\(route)\",le=\"+Inf\"} \(times.count)\n"
      text += "\(seconds)_sum{route=\"\(route)\"} \(times.seconds)\n"
      text += "\(seconds)_count{route=\"\(route)\"} \(times.count)\n"
    }
    write(gauge: "treeline_open_indexes", "Number of served indexes.", state.openIndexes)
    write(
      gauge: "treeline_stale_indexes",
      "Number of indexes whose older version is served, because the file is missing or invalid.", state.staleIndexes)
    write(
      "counter", "treeline_index_reloads_total",
      "Number of attempts to reopen an index whose file changed, by result.",
      counts.reloads.map { ("{result=\"\($0)\"}", $1) })
    write(
      "counter", "treeline_refusals_total",
      "Number of requests and connections that the server refused or ended, by reason.",
      counts.refusals.map { ("{bound=\"\($0.rawValue)\"}", $1) })
    write(gauge: "treeline_connections", "Open connections.", state.connections)
    write(
      gauge: "treeline_answers_under_way", "Number of requests that are being answered.", state.answersUnderWay)
    write(
      gauge: "treeline_queue_length", "Number of expensive answers that are waiting for a thread.", state.queueLength)
    write(
      gauge: "treeline_answer_bytes", "Total size of the answers that clients have not read yet, in bytes.",
      state.answerBytes)
    write(gauge: "treeline_filters", "Number of prepared filters in the cache.", state.filters)
    write(
      gauge: "treeline_filter_bytes", "Total size of the prepared filters in the cache, in bytes.", state.filterBytes)
    write(
      live: "counter", "treeline_live_batches_total",
      "Number of batches of changes to a live index; a restart does not reset this number.", \.batches)
    write(
      live: "gauge", "treeline_live_waiting_batches",
      "Number of batches that the served version of a live index does not contain yet.", \.waitingBatches)
    write(
      live: "gauge", "treeline_live_points",
      "Number of points of a live index, including changes that are not served yet.", \.points)
    write(live: "gauge", "treeline_live_log_bytes", "Length of the log of a live index, in bytes.", \.logBytes)
    write(
      live: "gauge", "treeline_live_failed",
      "1 if a live index cannot make new versions until the server restarts, otherwise 0."
    ) { $0.hasFailed ? 1 : 0 }
    write(
      "counter", "treeline_log_lines_dropped_total",
      "Number of log lines dropped because the log reader was too slow.", [("", log?.droppedLineCount ?? 0)])
    write(
      gauge: "process_resident_memory_bytes",
      "Resident memory of the process, including mapped files, in bytes.", ProcessMemory.residentBytes)
    return text
  }
}
