import CoreMetrics
import Synchronization

/// Metrics of the server.
final class ServerMetrics: Sendable {
  private struct RequestKind: Hashable {
    let route: String
    let status: Int
  }

  private typealias RequestMetrics = (counter: Counter, timer: Timer)

  private let backend = PrometheusMetrics([
    (requests, "counter", "Number of requests by route and status."),
    (seconds, "histogram", "Time from the arrival of a request's headers until the answer is ready, in seconds."),
    (openIndexes, "gauge", "Number of served indexes."),
    (staleIndexes, "gauge", "Number of indexes whose older version is served, because the file is missing or invalid."),
    (reloads, "counter", "Number of attempts to reopen an index whose file changed, by result."),
    (refusals, "counter", "Number of requests and connections that the server refused or ended, by reason."),
    (connections, "gauge", "Open connections."),
    (underWay, "gauge", "Number of requests that are being answered."),
    (queueLength, "gauge", "Number of expensive answers that are waiting for a thread."),
    (answerBytes, "gauge", "Total size of the answers that clients have not read yet, in bytes."),
    (filters, "gauge", "Number of prepared filters in the cache."),
    (filterBytes, "gauge", "Total size of the prepared filters in the cache, in bytes."),
    (liveBatches, "counter", "Number of batches of changes to a live index; a restart does not reset this number."),
    (liveWaiting, "gauge", "Number of batches that the served version of a live index does not contain yet."),
    (livePoints, "gauge", "Number of points of a live index, including changes that are not served yet."),
    (liveLogBytes, "gauge", "Length of the log of a live index, in bytes."),
    (liveFailures, "gauge", "1 if a live index cannot make new versions until the server restarts, otherwise 0."),
    (droppedLines, "counter", "Number of log lines dropped because the log reader was too slow."),
    (memory, "gauge", "Resident memory of the process, including mapped files, in bytes."),
  ])
  private let requests = Mutex<[RequestKind: RequestMetrics]>([:])
  private let refusals: [Bound: Counter]
  private let reopened: Counter
  private let refused: Counter

  private static let requests = "treeline_requests_total"
  private static let seconds = "treeline_request_seconds"
  private static let openIndexes = "treeline_open_indexes"
  private static let staleIndexes = "treeline_stale_indexes"
  private static let refusals = "treeline_refusals_total"
  private static let connections = "treeline_connections"
  private static let underWay = "treeline_answers_under_way"
  private static let queueLength = "treeline_queue_length"
  private static let answerBytes = "treeline_answer_bytes"
  private static let filters = "treeline_filters"
  private static let filterBytes = "treeline_filter_bytes"
  private static let liveBatches = "treeline_live_batches_total"
  private static let liveWaiting = "treeline_live_waiting_batches"
  private static let livePoints = "treeline_live_points"
  private static let liveLogBytes = "treeline_live_log_bytes"
  private static let liveFailures = "treeline_live_failed"
  private static let droppedLines = "treeline_log_lines_dropped_total"
  private static let memory = "process_resident_memory_bytes"
  private static let reloads = "treeline_index_reloads_total"

  private let log: LogOutput?

  /// - Parameter log: The log whose dropped lines are reported; nil to report 0 dropped lines.
  init(log: LogOutput? = nil) {
    self.log = log
    // These counters exist from the start. If a counter were added later, Prometheus would miss the counter's first
    // increase.
    let bounds = Bound.allCases.map { [backend] bound in
      (bound, Counter(label: Self.refusals, dimensions: [("bound", bound.rawValue)], factory: backend))
    }
    refusals = Dictionary(uniqueKeysWithValues: bounds)
    reopened = Counter(label: Self.reloads, dimensions: [("result", "reopened")], factory: backend)
    refused = Counter(label: Self.reloads, dimensions: [("result", "refused")], factory: backend)
  }

  /// Counts a request and its duration.
  ///
  /// - Parameter route: Pattern of the route, such as `/v1/{index}`, instead of the path of the request.
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

  func countRefusal(at bound: Bound) { refusals[bound]?.increment() }

  /// Current values of the gauges.
  struct State {
    let openIndexes, staleIndexes, connections, answersUnderWay, queueLength, answerBytes, filters, filterBytes: Int
    var live: [LiveIndex] = []
  }

  /// Returns all metrics in the text format of Prometheus.
  func text(_ state: State) -> String {
    let gauges = [
      (Self.openIndexes, state.openIndexes), (Self.staleIndexes, state.staleIndexes),
      (Self.connections, state.connections), (Self.underWay, state.answersUnderWay),
      (Self.queueLength, state.queueLength),
      (Self.answerBytes, state.answerBytes), (Self.filters, state.filters), (Self.filterBytes, state.filterBytes),
      (Self.droppedLines, log?.droppedLineCount ?? 0),
      (Self.memory, ProcessMemory.residentBytes),
    ]
    for (label, value) in gauges { Gauge(label: label, factory: backend).record(value) }
    for index in state.live {
      let counts = index.counts
      for (label, value) in [
        (Self.liveBatches, counts.batches), (Self.liveWaiting, counts.waitingBatches), (Self.livePoints, counts.points),
        (Self.liveLogBytes, counts.logBytes), (Self.liveFailures, counts.hasFailed ? 1 : 0),
      ] { Gauge(label: label, dimensions: [("index", index.name)], factory: backend).record(value) }
    }
    return backend.text
  }
}

/// A backend of swift-metrics that writes the Prometheus text exposition format 0.0.4.
final class PrometheusMetrics: MetricsFactory {
  /// A family of metrics: their common name, their type and their help text.
  typealias Family = (name: String, type: String, help: String)

  private let families: [Family]
  /// Metrics by name, and then by labels, such as `{route="/health"}`.
  private let metrics = Mutex<[String: [String: any PrometheusMetric]]>([:])

  /// - Parameter families: Names of metrics, in the order in which they are written. Metrics with other names are left
  ///   out.
  init(_ families: [Family]) { self.families = families }

  var text: String {
    let metrics = metrics.withLock { $0 }
    var text = ""
    for family in families {
      text += "# HELP \(family.name) \(family.help)\n# TYPE \(family.name) \(family.type)\n"
      for (labels, metric) in (metrics[family.name] ?? [:]).sorted(by: { $0.key < $1.key }) {
        metric.write(name: family.name, labels: labels, to: &text)
      }
    }
    return text
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    metric(label, dimensions, NumberMetric())
  }

  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    metric(label, dimensions, NumberMetric())
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    metric(label, dimensions, HistogramMetric())
  }

  func destroyCounter(_: any CounterHandler) {}
  func destroyRecorder(_: any RecorderHandler) {}
  func destroyTimer(_: any TimerHandler) {}

  private static func escaped(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  /// Returns the metric with a name and labels. Adds the metric if it is missing.
  private func metric<Metric: PrometheusMetric>(_ name: String, _ dimensions: [(String, String)], _ new: Metric)
    -> Metric
  {
    let list = dimensions.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
    let labels = list.isEmpty ? "" : "{\(list)}"
    return metrics.withLock { metrics in
      if let known = metrics[name]?[labels] as? Metric { return known }
      metrics[name, default: [:]][labels] = new
      return new
    }
  }
}

private protocol PrometheusMetric: Sendable { func write(name: String, labels: String, to text: inout String) }

/// A counter or a gauge whose value is a whole number.
private final class NumberMetric: CounterHandler, RecorderHandler, PrometheusMetric {
  private let number = Atomic<Int64>(0)

  func increment(by amount: Int64) { number.add(amount, ordering: .relaxed) }
  func reset() { record(Int64(0)) }
  func record(_ value: Int64) { number.store(value, ordering: .relaxed) }
  func record(_ value: Double) { record(Int64(value)) }

  func write(name: String, labels: String, to text: inout String) {
    text += "\(name)\(labels) \(number.load(ordering: .relaxed))\n"
  }
}

private final class HistogramMetric: TimerHandler, PrometheusMetric {
  private struct Times {
    /// For each upper bound, the number of measured durations that are at most this bound and greater than the
    /// previous bound.
    var countByBound = [Int](repeating: 0, count: HistogramMetric.bounds.count)
    var seconds = 0.0
    var count = 0
  }

  private let times = Mutex(Times())

  /// Upper bounds, in seconds.
  private static let bounds = [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

  func recordNanoseconds(_ duration: Int64) {
    let seconds = Double(duration) / 1e9
    times.withLock { times in
      times.seconds += seconds
      times.count += 1
      if let bound = Self.bounds.firstIndex(where: { seconds <= $0 }) { times.countByBound[bound] += 1 }
    }
  }

  func write(name: String, labels: String, to text: inout String) {
    let times = times.withLock { $0 }
    let own = labels.isEmpty ? "" : labels.dropFirst().dropLast() + ","
    var sum = 0
    for (bound, count) in zip(Self.bounds, times.countByBound) {
      sum += count
      text += "\(name)_bucket{\(own)le=\"\(bound)\"} \(sum)\n"
    }
    text += "\(name)_bucket{\(own)le=\"+Inf\"} \(times.count)\n"
    text += "\(name)_sum\(labels) \(times.seconds)\n\(name)_count\(labels) \(times.count)\n"
  }
}
